import type { Condition } from '#api/meta.js';
import { WORST_FIRST } from '#api/v1alpha1/conditions.js';
import { isMap } from '../../runtime/pure/plain.js';
import { shortened } from './messages.js';
import type { Row, Rows } from './rows.js';

/** Above this, the console's map would make the object too big. */
export const MAX_CONSOLE_DESTINATIONS = 100;

/** The parts of a child's status that the console shows; the rest would only make the Application big. */
const SHOWN_FIELDS = ['observedGeneration', 'lastAttemptedRevision', 'lastAppliedRevision', 'helmChart'] as const;

function unknownReady(since: string): Condition {
  return {
    type: 'Ready',
    status: 'Unknown',
    reason: 'Pending',
    message: 'no status reported yet',
    lastTransitionTime: since,
  };
}

/** What the map is made from beside the rows. */
interface Known {
  /** The time, as RFC 3339, from which nothing is known of a destination without a child. */
  readonly since: string;
  /** The map as it was. */
  readonly before?: Readonly<Record<string, unknown>> | undefined;
}

/** That it is looked at again is no news of what is well: it would have the map written twice in each pass. */
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
  // Of a child alone they may be as long as they like, of a hundred they would make the object too big to be written.
  return all
    .filter((condition) => isNews(row, condition))
    .map((condition) => ({ ...condition, message: shortened(condition.message) }));
}

/** Conditions of a child that is merely looked at again are those from before. */
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
 * The children's status by destination key, as the console reads it. Keys that collide show the worst of them;
 * undefined when there are too many destinations.
 */
export function consoleStatus({ wanted }: Rows, known: Known): Record<string, Record<string, unknown>> | undefined {
  if (wanted.length > MAX_CONSOLE_DESTINATIONS) return undefined;
  const bestFirst = [...wanted].sort((a, b) => WORST_FIRST.indexOf(b.state) - WORST_FIRST.indexOf(a.state));
  const byKey = new Map(bestFirst.map((row) => [row.key, statusOf(row, known)]));
  return Object.fromEntries([...byKey].sort(([a], [b]) => (a < b ? -1 : 1)));
}
