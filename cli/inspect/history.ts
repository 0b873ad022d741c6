import type { Command } from 'commander';
import type { RevisionView } from '#queries/answers/revisions.js';
import { listed } from '#lib/text/text.js';
import { readHistory } from '#queries/plans/history.js';
import type { Kube } from '#runtime/client/kube.js';
import type { Application } from '#api/v1alpha1/application.js';
import { type Column, printTable } from '../output/model/table.js';
import type { NamespaceOptions } from '../command/connection.js';
import { inFormat, isTable, type OutputOptions, withOutput } from '../output/listing.js';
import { useApplication, withApplication } from '../command/application.js';
import { note, outputTerminal, print } from '../output/standard-output.js';
import { ageOf } from './model/source-table.js';

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
    ...(wide ? [{ title: 'ID', value: ({ id = '' }: RevisionView) => id }] : []),
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

type HistoryOptions = NamespaceOptions & OutputOptions;

async function show(kube: Kube, application: Application, options: HistoryOptions): Promise<void> {
  const { view, forbidden } = await readHistory(kube, application);
  for (const kind of forbidden) note(`you may not list ${kind}s: clusters that have one are missing`);
  const { columns } = outputTerminal();
  const text = inFormat(options, view, (wide) =>
    historyTable(view.revisions, { wide, columns: wide ? undefined : columns, now: Date.now() }),
  );
  if (isTable(options) && view.revisions.length === 0) {
    const { namespace, name } = application.metadata;
    note(`Application ${namespace}/${name} keeps no revisions: set spec.revisionHistoryLimit or spec.rollout.`);
    return;
  }
  print(text);
  const { unknown } = view;
  if (isTable(options) && unknown.length > 0) note(`No revision is recorded for ${unknown.join(', ')}.`);
}

async function history(name: string, options: HistoryOptions): Promise<void> {
  await useApplication(name, options, (kube, application) => show(kube, application, options));
}

/** `fairlead history`: the revisions of an Application, and where each of them is. */
export function historyCommand(command: Command): void {
  withOutput(withApplication(command)).action(history);
}
