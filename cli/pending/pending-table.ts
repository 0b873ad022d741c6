import type { PendingView } from '#queries/views/pending-view.js';
import { ageOf } from '../source/source-table.js';
import { printTable, type Column } from '../table.js';

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
