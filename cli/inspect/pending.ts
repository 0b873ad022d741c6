import type { Command } from 'commander';
import type { Application } from '#api/v1alpha1/application.js';
import { oneLine } from '#lib/text/text.js';
import { readWaits } from '#queries/plans/planned.js';
import { pendingViews, unlisted } from '#queries/views/pending-view.js';
import { pendingCommands } from '#queries/views/next-command.js';
import type { PendingView } from '#queries/answers/application.js';
import type { Kube } from '#runtime/client/kube.js';
import { withConnection } from '../command/connection.js';
import { interrupted, interruption } from '../command/exit.js';
import { checkNamespaces, inFormat, isTable, type ListingOptions, placeOf, withListing } from '../output/listing.js';
import { withWorkbench } from '../command/local-helm.js';
import { listSelected, withSelection } from '../status/wait.js';
import { type Column, printTable } from '../output/model/table.js';
import { outputTerminal, print } from '../output/standard-output.js';
import { nextText } from './model/rollout-text.js';
import { ageOf } from './model/source-table.js';

interface PendingTableOptions {
  readonly allNamespaces: boolean;
  readonly columns: number | undefined;
  /** Epoch milliseconds, for ages. */
  readonly now: number;
}

/** The table of `fairlead pending`: what changes, and what it waits for. */
export function pendingTable(
  rows: readonly PendingView[],
  { allNamespaces, columns, now }: PendingTableOptions,
): string {
  const all: Column<PendingView>[] = [
    ...(allNamespaces ? [{ title: 'PROJECT', value: (row: PendingView) => row.namespace }] : []),
    { title: 'APPLICATION', value: (row) => row.application },
    { title: 'DESTINATION', value: (row) => row.destination },
    { title: 'CLUSTER', value: (row) => row.cluster, spare: 1 },
    { title: 'FROM', value: ({ from }) => String(from ?? '') },
    { title: 'TO', value: ({ to }) => String(to ?? '') },
    { title: 'REASON', value: (row) => row.reason },
    { title: 'AGE', value: (row) => ageOf(row.since, now) },
  ];
  const text = {
    title: 'MESSAGE',
    value: ({ change, message }: PendingView) => [change, message].filter((part) => part !== '').join(': '),
  };
  return printTable({ columns: all, text, rows }, columns);
}

type Rows = NonNullable<NonNullable<Application['status']>['pending']>['destinations'];

/** What waits of the Applications of which the status cannot list all; of the others that is known already. */
async function readUnlisted(kube: Kube, applications: readonly Application[]): Promise<Map<Application, Rows>> {
  const read = new Map<Application, Rows>();
  const cut = applications.filter((each) => unlisted(each) > 0);
  if (cut.length === 0) return read;
  const signal = interruption();
  const readAll = async (application: Application) =>
    withWorkbench(undefined, (workbench) => readWaits(application, { kube, ...workbench, signal }));
  for (const application of cut) {
    const waits = await Promise.race([readAll(application), interrupted(signal)]);
    const { namespace = '', name } = application.metadata;
    if ('rows' in waits) read.set(application, waits.rows);
    else
      process.stderr.write(
        `Application ${namespace}/${name}: not all that wait are known: ${oneLine(waits.unknown)}\n`,
      );
  }
  return read;
}

async function pending(name: string | undefined, options: ListingOptions): Promise<void> {
  checkNamespaces(options);
  await withSelection(name, options, async (kube, selection) => {
    const applications = await listSelected(kube, selection);
    const views = pendingViews(applications, await readUnlisted(kube, applications));
    const { columns, hasSymbols } = outputTerminal();
    const table = { allNamespaces: options.allNamespaces === true, now: Date.now() };
    const text = inFormat(options, views, (wide) =>
      pendingTable(views.pending, { ...table, columns: wide ? undefined : columns }),
    );
    if (isTable(options) && views.pending.length === 0)
      process.stderr.write(`Nothing waits in ${name === undefined ? '' : `${name} of `}${placeOf(selection.query)}.\n`);
    else print(text);
    if (isTable(options) && views.more > 0)
      process.stderr.write(`and ${views.more} more that have no row in the status\n`);
    const next = nextText(applications.flatMap(pendingCommands));
    if (isTable(options) && hasSymbols && next !== '') print(`\n${next}`);
  });
}

/** `fairlead pending`: the destinations that wait, by the status of Applications, and by their objects where that is cut. */
export function pendingCommand(command: Command): void {
  command.argument('[name]', 'only this Application');
  withConnection(withListing(command, 'Applications')).action(pending);
}
