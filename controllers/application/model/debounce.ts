/**
 * About the cost of one child in the reconciliation of an Application, which reads all children and writes one status.
 */
const MS_PER_CHILD = 2;
/** Short enough to follow a large roll-out. */
const LONGEST_MS = 2_000;

/**
 * Milliseconds that a change of a child waits for changes of others, so that `children` that report one after another
 * cause few writes of the status. Never more than two seconds.
 */
export function debounceMs(children: number): number {
  return Math.min(children * MS_PER_CHILD, LONGEST_MS);
}
