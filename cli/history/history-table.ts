import type { RevisionView } from '#queries/views/history-view.js';
import { listed } from '#lib/text/text.js';
import { ageOf } from '../source/source-table.js';
import { printTable, type Column } from '../table.js';

/** Names of clusters, and fields, that a row has room for. */
const NAMED = 3;

interface HistoryTableOptions {
  /** All clusters and fields. */
  readonly wide: boolean;
  readonly columns: number | undefined;
  /** Epoch milliseconds, for ages. */
  readonly now: number;
}

function stateText({ states, pinnedClusters, haltedAt }: RevisionView, most: number): string {
  const where = { Pinned: listed(pinnedClusters, most), Halted: haltedAt ?? '' };
  const texts = states.map((state) => {
    const at = state === 'Pinned' || state === 'Halted' ? where[state] : '';
    return at === '' ? state : `${state} (${at})`;
  });
  return texts.join(', ');
}

/** The table of `fairlead history`: one row per revision, the newest first. */
export function historyTable(rows: readonly RevisionView[], { wide, columns, now }: HistoryTableOptions): string {
  const most = wide ? Infinity : NAMED;
  const all: Column<RevisionView>[] = [
    { title: 'REVISION', value: ({ revision }) => String(revision) },
    { title: 'STATE', value: (row) => stateText(row, most) },
    { title: 'AGE', value: ({ createdAt }) => ageOf(createdAt, now), ...(wide ? {} : { spare: 1 }) },
    { title: 'CLUSTERS', value: ({ clusters }) => listed(clusters, most) },
  ];
  const text = {
    title: 'CHANGE',
    value: ({ cause, changes }: RevisionView) =>
      [cause, listed(changes, most)].filter((part) => part !== '').join(': '),
  };
  return printTable({ columns: all, text, rows }, columns);
}
