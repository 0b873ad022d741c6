import { Command, Option } from 'commander';
import { dump } from 'js-yaml';
import { sourceViews, type SourceView } from '../controllers/read-model/source-view.js';
import type { ListQuery } from '../controllers/runtime/kube.js';
import { namespaceArgument } from './arguments.js';
import { contextNamespace, withConnection, withKube, type ConnectionOptions } from './connection.js';
import { findSources, sourceName } from './source/selection.js';
import { sourceTable } from './source/source-table.js';
import { placeOf } from './status/selection.js';
import { outputTerminal, print } from './terminal/standard-output.js';

interface SourceOptions extends ConnectionOptions {
  readonly allNamespaces?: true;
  readonly namespace?: string;
  readonly output: 'table' | 'wide' | 'json' | 'yaml';
}

function textOf(views: readonly SourceView[], { output, allNamespaces }: SourceOptions): string {
  if (output === 'json') return JSON.stringify({ sources: views }, null, 2);
  if (output === 'yaml') return dump({ sources: views }).trimEnd();
  const shown = { allNamespaces: allNamespaces === true, wide: output === 'wide' };
  return sourceTable(views, { ...shown, terminal: outputTerminal(), now: Date.now() });
}

async function queryOf({ allNamespaces, namespace, ...connection }: SourceOptions): Promise<ListQuery> {
  if (allNamespaces === true) return {};
  return { namespace: namespace ?? (await contextNamespace(connection)) };
}

async function source(argument: string | undefined, options: SourceOptions): Promise<void> {
  if (options.allNamespaces === true && options.namespace !== undefined) {
    throw new Error('-A selects all namespaces and -n one of them: use only one of the two');
  }
  const wanted = argument === undefined ? undefined : sourceName(argument);
  await withKube(options, async (kube) => {
    const query = await queryOf(options);
    const { sources, users, hasAllUsers, isInstalled } = await findSources(kube, wanted, query);
    if (!isInstalled) throw new Error(`Fairlead is not installed in ${kube.server}: run \`fairlead install\` first`);
    if (wanted !== undefined && sources.length === 0) {
      const wayOut = query.namespace === undefined ? '' : '; look in others with -A or -n NAMESPACE';
      throw new Error(`there is no ${wanted.type.kind} ${wanted.name} in ${placeOf(query)}${wayOut}`);
    }
    const isTable = options.output === 'table' || options.output === 'wide';
    if (isTable && sources.length === 0) process.stderr.write(`No sources in ${placeOf(query)}.\n`);
    else print(textOf(sourceViews(sources, users), options));
    if (!hasAllUsers) process.stderr.write('You may not list all namespaces: users in others are not shown.\n');
  });
}

/** `fairlead source`: exit code 1 when the named source does not exist. */
export function sourceCommand(): Command {
  const command = new Command('source')
    .description('Show sources, their revisions, and what uses them.')
    .argument('[KIND/NAME]', 'only this source, e.g. GitRepository/app')
    .option('-A, --all-namespaces', 'sources of all namespaces')
    .option('-n, --namespace <name>', 'namespace of the sources; default: the one of the context', namespaceArgument)
    .addOption(
      new Option('-o, --output <format>', 'output format').choices(['table', 'wide', 'json', 'yaml']).default('table'),
    );
  return withConnection(command).action(source);
}
