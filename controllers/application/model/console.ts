import type { Condition } from '#api/meta.js';
import { WORST_FIRST } from '#api/v1alpha1/conditions.js';
import { isMap } from '../../runtime/pure/plain.js';
import { shortened } from './messages.js';
import type { Row, Rows } from './rows.js';

/** More would make the Application too big. */
export const MAX_CONSOLE_DESTINATIONS = 100;

/** The fields of a child's status that the console shows. */
const SHOWN_FIELDS = ['observedGeneration', 'lastAttemptedRevision', 'lastAppliedRevision', 'helmChart'] as const;

/** Of a destination whose state is not known, as the console shows it. `since`: RFC 3339. */
export function unknownReady(since: string, message = 'no status reported yet'): Condition {
  return { type: 'Ready', status: 'Unknown', reason: 'Pending', message, lastTransitionTime: since };
}

/** The input of the map besides the rows. */
interface Known {
  /** Since when destinations without a child are unknown, as RFC 3339. */
  readonly since: string;
  /** The map in the old status. */
  readonly before?: Readonly<Record<string, unknown>> | undefined;
}

/** Ready children show no Reconciling: the map would be written twice at each of their intervals. */
function isNews(row: Row, { type }: Condition): boolean {
  return row.state !== 'Ready' || type !== 'Reconciling';
}

/** The console reads `conditions[0]` as Ready, always. */
function readyFirst(row: Row, since: string): Condition[] {
  const { child } = row;
  const conditions = child?.status?.conditions ?? [];
  const ready =
    conditions.find(({ type }) => type === 'Ready') ?? unknownReady(child?.metadata.creationTimestamp ?? since);
  const all = [ready, ...conditions.filter(({ type }) => type !== 'Ready')];
  // Long messages of a hundred children would make the Application too big.
  return all
    .filter((condition) => isNews(row, condition))
    .map((condition) => ({ ...condition, message: shortened(condition.message) }));
}

/** The conditions of a steady row are kept from the old status. */
function conditionsOf(row: Row, { since, before }: Known): unknown {
  const shown = row.isSteady === true ? before?.[row.key] : undefined;
  return (isMap(shown) ? shown['conditions'] : undefined) ?? readyFirst(row, since);
}

function statusOf(row: Row, known: Known): Record<string, unknown> {
  const shown = SHOWN_FIELDS.flatMap((field) => {
    const value = row.child?.status?.[field];
    return value === undefined ? [] : [[field, value] as const];
  });
  return { ...Object.fromEntries(shown), conditions: conditionsOf(row, known) };
}

/**
 * The status of children by destination key, as the console reads it. Of colliding keys the worst is shown; undefined
 * when there are too many destinations.
 */
export function consoleStatus({ wanted }: Rows, known: Known): Record<string, Record<string, unknown>> | undefined {
  if (wanted.length > MAX_CONSOLE_DESTINATIONS) return undefined;
  const bestFirst = [...wanted].sort((a, b) => WORST_FIRST.indexOf(b.state) - WORST_FIRST.indexOf(a.state));
  const byKey = new Map(bestFirst.map((row) => [row.key, statusOf(row, known)]));
  return Object.fromEntries([...byKey].sort(([a], [b]) => (a < b ? -1 : 1)));
}
