import { pause } from '#runtime/sleep.js';

/** How long one piece may keep the thread, in milliseconds. */
const TURN_MS = 10;

/**
 * Maps one after the other, and lets others have the thread whenever that took long. Throws what `map` throws, and a
 * CancelledError if it is aborted. `now`: monotonic milliseconds.
 */
export async function mapInTurns<T, R>(
  items: readonly T[],
  map: (item: T) => R,
  { signal, now = () => performance.now() }: { readonly signal: AbortSignal; readonly now?: () => number },
): Promise<R[]> {
  const results: R[] = [];
  let startedMs = now();
  for (const item of items) {
    if (now() - startedMs >= TURN_MS) {
      await pause(signal);
      startedMs = now();
    }
    results.push(map(item));
  }
  return results;
}
