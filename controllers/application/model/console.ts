import type { Condition } from '../../../api/meta.js';
import { shortened } from './messages.js';
import { WORST_FIRST, type Row } from './rows.js';
import type { Child } from './types.js';

/** Above this, the console's map would make the object too big. */
export const MAX_CONSOLE_DESTINATIONS = 100;

/** The parts of a child's status that the console shows; the rest would only make the Application big. */
const SHOWN_FIELDS = ['observedGeneration', 'lastAttemptedRevision', 'lastAppliedRevision', 'helmChart'] as const;

function unknownReady(child: Child | undefined): Condition {
  return {
    type: 'Ready',
    status: 'Unknown',
    reason: 'Pending',
    message: 'no report yet',
    // The console only shows it; the child's own creation is the one time that never changes by itself.
    lastTransitionTime: child?.metadata.creationTimestamp ?? '1970-01-01T00:00:00Z',
  };
}

/** The console reads `conditions[0]` as Ready, always. */
function readyFirst(child: Child | undefined): Condition[] {
  const conditions = child?.status?.conditions ?? [];
  const ready = conditions.find(({ type }) => type === 'Ready') ?? unknownReady(child);
  const all = [ready, ...conditions.filter(({ type }) => type !== 'Ready')];
  // Of a child alone they may be as long as they like, of a hundred they would make the object too big to be written.
  return all.map((condition) => ({ ...condition, message: shortened(condition.message) }));
}

function statusOf(child: Child | undefined): Record<string, unknown> {
  const shown = SHOWN_FIELDS.flatMap((field) => {
    const value = child?.status?.[field];
    return value === undefined ? [] : [[field, value] as const];
  });
  return { ...Object.fromEntries(shown), conditions: readyFirst(child) };
}

/**
 * The children's status by destination key, as the console reads it. Keys that collide show the worst of them;
 * undefined when there are too many destinations.
 */
export function consoleStatus(rows: readonly Row[]): Record<string, Record<string, unknown>> | undefined {
  const wanted = rows.filter((row) => row.wanted);
  if (wanted.length > MAX_CONSOLE_DESTINATIONS) return undefined;
  const bestFirst = [...wanted].sort((a, b) => WORST_FIRST.indexOf(b.state) - WORST_FIRST.indexOf(a.state));
  const byKey = new Map(bestFirst.map((row) => [row.key, statusOf(row.child)]));
  return Object.fromEntries([...byKey].sort(([a], [b]) => (a < b ? -1 : 1)));
}
