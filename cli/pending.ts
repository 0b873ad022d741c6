import { Command } from 'commander';
import { pendingViews } from '../controllers/read-model/pending-view.js';
import { withConnection } from './connection.js';
import { checkNamespaces, inFormat, isTable, placeOf, withListing, type ListingOptions } from './listing.js';
import { pendingTable } from './pending/pending-table.js';
import { listSelected, withSelection } from './status/selection.js';
import { outputTerminal, print } from './terminal/standard-output.js';

async function pending(name: string | undefined, options: ListingOptions): Promise<void> {
  checkNamespaces(options);
  await withSelection(name, options, async (kube, selection) => {
    const applications = await listSelected(kube, selection);
    const views = pendingViews(applications);
    const { columns } = outputTerminal();
    const table = { allNamespaces: options.allNamespaces === true, now: Date.now() };
    const text = inFormat(options, views, (wide) =>
      pendingTable(views.pending, { ...table, columns: wide ? undefined : columns }),
    );
    if (isTable(options) && views.pending.length === 0)
      process.stderr.write(`Nothing waits in ${placeOf(selection.query)}.\n`);
    else print(text);
    if (isTable(options) && views.more > 0)
      process.stderr.write(`and ${views.more} more that have no row in the status\n`);
  });
}

/** `fairlead pending`: what the status of Applications says of destinations that wait. */
export function pendingCommand(): Command {
  const command = new Command('pending')
    .description('Show the destinations that wait, and for what.')
    .argument('[name]', 'only this Application');
  return withConnection(withListing(command, 'Applications')).action(pending);
}
