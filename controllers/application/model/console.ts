import type { Condition } from '../../../api/meta.js';
import { shortened } from './messages.js';
import { WORST_FIRST, type Row } from './rows.js';
import type { Child } from './types.js';

/** Above this, the console's map would make the object too big. */
export const MAX_CONSOLE_DESTINATIONS = 100;

/** The parts of a child's status that the console shows; the rest would only make the Application big. */
const SHOWN_FIELDS = ['observedGeneration', 'lastAttemptedRevision', 'lastAppliedRevision', 'helmChart'] as const;

function unknownReady(since: string): Condition {
  return {
    type: 'Ready',
    status: 'Unknown',
    reason: 'Pending',
    message: 'no report yet',
    lastTransitionTime: since,
  };
}

/** The console reads `conditions[0]` as Ready, always. */
function readyFirst(child: Child | undefined, since: string): Condition[] {
  const conditions = child?.status?.conditions ?? [];
  const ready =
    conditions.find(({ type }) => type === 'Ready') ?? unknownReady(child?.metadata.creationTimestamp ?? since);
  const all = [ready, ...conditions.filter(({ type }) => type !== 'Ready')];
  // Of a child alone they may be as long as they like, of a hundred they would make the object too big to be written.
  return all.map((condition) => ({ ...condition, message: shortened(condition.message) }));
}

function statusOf(child: Child | undefined, since: string): Record<string, unknown> {
  const shown = SHOWN_FIELDS.flatMap((field) => {
    const value = child?.status?.[field];
    return value === undefined ? [] : [[field, value] as const];
  });
  return { ...Object.fromEntries(shown), conditions: readyFirst(child, since) };
}

/**
 * The children's status by destination key, as the console reads it. Keys that collide show the worst of them;
 * undefined when there are too many destinations. `since`: the time, as RFC 3339, from which nothing is known of a
 * destination without a child.
 */
export function consoleStatus(
  rows: readonly Row[],
  since: string,
): Record<string, Record<string, unknown>> | undefined {
  const wanted = rows.filter((row) => row.wanted);
  if (wanted.length > MAX_CONSOLE_DESTINATIONS) return undefined;
  const bestFirst = [...wanted].sort((a, b) => WORST_FIRST.indexOf(b.state) - WORST_FIRST.indexOf(a.state));
  const byKey = new Map(bestFirst.map((row) => [row.key, statusOf(row.child, since)]));
  return Object.fromEntries([...byKey].sort(([a], [b]) => (a < b ? -1 : 1)));
}
