import { WORST_FIRST } from '#api/v1alpha1/states.js';
import { parseTimestamp } from '#lib/kube/conditions.js';
import { describeObject } from '#lib/net/urls.js';
import type { SourceView, UserView } from '#queries/answers/clusters.js';
import type { TableOptions } from '../../status/model/status-table.js';
import { byState, type Column, printTable, stateColumn } from '../../output/model/table.js';

export interface SourceTableOptions extends TableOptions {
  /** Epoch milliseconds, for ages. */
  readonly now: number;
}

/** Of a digest in a revision; enough to tell commits apart. */
const DIGEST_CHARACTERS = 12;

const UNITS = [
  { letter: 'd', ms: 86_400_000 },
  { letter: 'h', ms: 3_600_000 },
  { letter: 'm', ms: 60_000 },
] as const;

/** As kubectl writes it, in one unit; empty for what is no time. */
export function ageOf(time: string, now: number): string {
  const at = parseTimestamp(time);
  if (at === undefined) return '';
  const ms = now - at;
  const unit = UNITS.find((each) => ms >= 2 * each.ms) ?? { letter: 's', ms: 1_000 };
  return `${Math.max(0, Math.floor(ms / unit.ms))}${unit.letter}`;
}

/** `main@sha1:0123456789ab`: a digest is only read to tell revisions apart. */
export function shortRevision(revision: string): string {
  return revision.replace(/((?:sha1|sha256|sha512):[0-9a-f]+)/g, (digest) =>
    digest.slice(0, digest.indexOf(':') + 1 + DIGEST_CHARACTERS),
  );
}

function names(usedBy: readonly UserView[]): string {
  return usedBy.map(({ kind, ...ref }) => describeObject(kind, ref)).join(', ');
}

function columnsOf({ allNamespaces, wide, terminal, now }: SourceTableOptions): Column<SourceView>[] {
  const spare = (rank: number): { spare?: number } => (wide ? {} : { spare: rank });
  return [
    ...(allNamespaces ? [{ title: 'NAMESPACE', value: ({ namespace }: SourceView) => namespace }] : []),
    { title: 'KIND', value: ({ kind }) => kind },
    { title: 'NAME', value: ({ name }) => name },
    stateColumn(terminal),
    { title: 'REVISION', value: ({ revision }) => (wide ? revision : shortRevision(revision)), ...spare(1) },
    { title: 'AGE', value: ({ storedAt }) => ageOf(storedAt, now), ...spare(2) },
    { title: 'USED BY', value: ({ usedBy }) => (wide ? names(usedBy) : String(usedBy.length)) },
  ];
}

/** The table of `fairlead source`: one row per source, worst first. */
export function sourceTable(views: readonly SourceView[], options: SourceTableOptions): string {
  const rows = byState(views, WORST_FIRST);
  const shown = ({ state, message }: SourceView): string => (state === 'Ready' && !options.wide ? '' : message);
  const table = { columns: columnsOf(options), text: { title: 'MESSAGE', value: shown }, rows };
  return printTable(table, options.terminal.columns);
}
