import { Command } from 'commander';
import { sourceViews, type SourceView } from '#queries/views/source-view.js';
import { withConnection, withKube } from './connection.js';
import {
  checkNamespaces,
  inFormat,
  isTable,
  namespaceQuery,
  noSuchObject,
  notInstalled,
  placeOf,
  withListing,
  type ListingOptions,
} from './listing.js';
import { findSources, sourceName } from './source/selection.js';
import { sourceTable } from './source/source-table.js';
import { outputTerminal, print } from './terminal/standard-output.js';

function textOf(views: readonly SourceView[], options: ListingOptions): string {
  const allNamespaces = options.allNamespaces === true;
  return inFormat(options, { sources: views }, (wide) =>
    sourceTable(views, { allNamespaces, wide, terminal: outputTerminal(), now: Date.now() }),
  );
}

/** What may not be read does not hide the rest. */
function warn(kinds: readonly string[], place: string, consequence: string): void {
  if (kinds.length > 0) process.stderr.write(`You may not list ${kinds.join(', ')}${place}: ${consequence}.\n`);
}

async function source(argument: string | undefined, options: ListingOptions): Promise<void> {
  checkNamespaces(options);
  const wanted = argument === undefined ? undefined : sourceName(argument);
  await withKube(options, async (kube) => {
    const query = await namespaceQuery(options);
    const { sources, users, hidden, hiddenUsers, isInstalled } = await findSources(kube, wanted, query);
    if (!isInstalled) throw notInstalled(kube);
    if (wanted !== undefined && sources.length === 0) throw noSuchObject(wanted.type.kind, wanted.name, query);
    if (isTable(options) && sources.length === 0) process.stderr.write(`No sources in ${placeOf(query)}.\n`);
    else print(textOf(sourceViews(sources, users), options));
    warn(hidden, '', 'they are not shown');
    warn(hiddenUsers, ' of all namespaces', 'some that use a source are not shown');
  });
}

/** `fairlead source`: exit code 1 when the named source does not exist. */
export function sourceCommand(): Command {
  const command = new Command('source')
    .description('Show sources, their revisions, and what uses them.')
    .argument('[KIND/NAME]', 'only this source, e.g. GitRepository/app');
  return withConnection(withListing(command, 'sources')).action(source);
}
