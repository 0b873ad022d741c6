import type { ApplicationReason } from '#api/v1alpha1/conditions.js';
import { type DestinationState, knownState, WORST_FIRST } from '#api/v1alpha1/states.js';
import { NEWEST_IS_OPEN } from '#queries/views/application-view.js';
import type { ApplicationView, DestinationView } from '#queries/answers/application.js';
import { causeFirst } from '#queries/views/state-meaning.js';
import { byState, type Column, printTable, stateColumn } from '../../output/model/table.js';
import type { Terminal } from '../../output/model/terminal.js';

/** A destination, an Application or a warning. */
export type Row = Omit<DestinationView, 'state'> & { readonly state: string; readonly application: ApplicationView };

export interface TableOptions {
  readonly allNamespaces: boolean;
  /** More columns, whole messages, and nothing left out on a narrow terminal. */
  readonly wide: boolean;
  readonly terminal: Pick<Terminal, 'columns' | 'hasColors' | 'hasSymbols'>;
}

/** Of the destinations, each of which has a row. */
const SUMMARY = 'DestinationsFailed' satisfies ApplicationReason;

/** True if the Application has something to say that neither its rollout nor one of its destinations reports. */
function speaksAsAWhole({ state, reason, message, destinations, rolloutState }: ApplicationView): boolean {
  if (message === NEWEST_IS_OPEN) return true;
  const rows = rolloutState === undefined ? destinations : [...destinations, rolloutState];
  const isTold = rows.some((row) => row.message !== '' && message.includes(row.message));
  return knownState(state)?.health === 'Degraded' && reason !== SUMMARY && !isTold;
}

/** The state of a row that says what to look at. */
const WARNING = 'Warning';

/**
 * One row per destination, one per warning, and one for a rollout that is not complete. An Application has a row of its
 * own where it has none, and where it is wrong as a whole, or not reconciled since its newest change: what runs may be
 * well.
 */
function rowsOf(view: ApplicationView): Row[] {
  const { destinations, warnings, rolloutState, ...own } = view;
  const rows = destinations.map((destination) => ({ ...destination, application: view }));
  const whole = { ...own, name: '', cluster: '', namespace: '', release: '', child: '', application: view };
  const shown = destinations.length === 0 || speaksAsAWhole(view) ? [whole, ...rows] : rows;
  const untold = warnings.filter((warning) => !shown.includes(whole) || !view.message.includes(warning));
  const rollout = rolloutState && { ...whole, state: rolloutState.phase, revision: '', message: rolloutState.message };
  return [
    ...(rollout === undefined || (shown.includes(whole) && view.message.includes(rollout.message)) ? [] : [rollout]),
    ...untold.map((message) => ({ ...whole, state: WARNING, revision: '', message })),
    ...shown,
  ];
}

/** The phases of rollouts and warnings, each in front of the state of a destination. */
const BEFORE: Readonly<Partial<Record<DestinationState, readonly string[]>>> = {
  Drifted: ['Halted', 'RollingBack', 'RolledBack'],
  Deleting: ['AwaitingApproval', 'AwaitingWindow', 'Paused', WARNING],
  Progressing: ['Baking'],
};
const ORDER: readonly string[] = WORST_FIRST.flatMap((state) => [...(BEFORE[state] ?? []), state]);

/** Worst first across all Applications; rows of one state stay in the order of the views. */
export function worstFirst(views: readonly ApplicationView[]): Row[] {
  return byState(views.flatMap(rowsOf), ORDER);
}

/** What a person needs to read: nothing of what is well, and the cause first; the wide table names the child. */
function textOf({ child, state, message }: Row): string {
  if (state === 'Ready') return '';
  const prefix = `${child}: `;
  return causeFirst(message.startsWith(prefix) ? message.slice(prefix.length) : message);
}

function columnsOf({ allNamespaces, wide, terminal }: TableOptions): Column<Row>[] {
  const spare = (rank: number): { spare?: number } => (wide ? {} : { spare: rank });
  return [
    ...(allNamespaces ? [{ title: 'PROJECT', value: (row: Row) => row.application.namespace }] : []),
    { title: 'APPLICATION', value: (row) => row.application.name },
    ...(wide ? [{ title: 'KIND', value: (row: Row) => row.application.kind }] : []),
    ...(wide ? [{ title: 'READY', value: (row: Row) => row.application.ready }] : []),
    { title: 'DESTINATION', value: (row) => row.name },
    { title: 'CLUSTER', value: (row) => row.cluster, ...spare(2) },
    { title: 'NAMESPACE', value: (row) => row.namespace, ...spare(3) },
    { title: 'RELEASE', value: (row) => row.release, ...spare(4) },
    stateColumn(terminal),
    { title: 'REVISION', value: (row) => row.revision, ...spare(1) },
  ];
}

/** The table of `fairlead status`: one row per destination, worst first. */
export function statusTable(views: readonly ApplicationView[], options: TableOptions): string {
  const text = { title: 'MESSAGE', value: (row: Row) => (options.wide ? row.message : textOf(row)) };
  const table = { columns: columnsOf(options), text, rows: worstFirst(views) };
  const { columns } = options.terminal;
  return printTable(table, columns);
}
