/**
 * A pass over an Application costs about this for each of its children: it reads them all, and writes one status for
 * all.
 */
const MS_PER_CHILD = 2;
/** Nobody who watches a large roll-out misses a step by it. */
const LONGEST_MS = 2_000;

/**
 * Milliseconds that a change of a child may wait for changes of others, so that `children` which report one after
 * another make few writes of the status. Of ten nobody notices; never more than two seconds.
 */
export function debounceMs(children: number): number {
  return Math.min(children * MS_PER_CHILD, LONGEST_MS);
}
