import type { Condition } from '#api/meta.js';

/** A condition without the time, which `setCondition` decides. */
export type NewCondition = Omit<Condition, 'lastTransitionTime'>;

/** Longest message that a CRD of ours or Flux's accepts. */
const MAX_MESSAGE = 32_768;

export function getCondition(conditions: readonly Condition[] | undefined, type: string): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** True when the condition exists and its status is `True`. */
export function isTrue(conditions: readonly Condition[] | undefined, type: string): boolean {
  return getCondition(conditions, type)?.status === 'True';
}

/**
 * A copy of `conditions` with `next` in the place of the one of its type, or at the end. The transition time stays as
 * it was when the status did not change (Kubernetes API conventions). `now` is RFC 3339 with seconds.
 */
export function setCondition(conditions: readonly Condition[], next: NewCondition, now: string): Condition[] {
  const old = getCondition(conditions, next.type);
  const lastTransitionTime = old?.status === next.status ? old.lastTransitionTime : now;
  const condition = { ...next, message: next.message.slice(0, MAX_MESSAGE), lastTransitionTime };
  if (old === undefined) return [...conditions, condition];
  return conditions.map((each) => (each.type === next.type ? condition : each));
}

/** A copy without the conditions of these types. */
export function withoutConditions(conditions: readonly Condition[], ...types: string[]): Condition[] {
  return conditions.filter((condition) => !types.includes(condition.type));
}

/** How `toISOString` ends. */
const MILLISECONDS = '.000Z';

/** RFC 3339 with seconds, as metav1.Time prints it. `epochMs` in milliseconds. */
export function timestamp(epochMs: number): string {
  // Not a clock: formats the time it is given.
  // eslint-disable-next-line no-restricted-globals
  return `${new Date(epochMs).toISOString().slice(0, -MILLISECONDS.length)}Z`;
}

/** Epoch milliseconds of an RFC 3339 time; undefined when the text is none. Never throws. */
export function parseTimestamp(text: string): number | undefined {
  // eslint-disable-next-line no-restricted-globals
  const epochMs = Date.parse(text);
  return Number.isNaN(epochMs) ? undefined : epochMs;
}
