import { useRef } from 'preact/hooks';
import { NO_ENTRIES, rekeyed, withoutEntry, type Keyed } from './model/three-way.js';

let last = 0;
const fresh = (): number => (last += 1);

/** What is unfinished in the fields of an entry stays with it, and is never found in those of another. */
export function useEntryKeys(given: unknown) {
  const entries: readonly unknown[] = Array.isArray(given) ? given : NO_ENTRIES.entries;
  const drawn = useRef(NO_ENTRIES);
  /** What the list will be once it is drawn again. */
  const next = useRef(NO_ENTRIES);
  if (entries !== drawn.current.entries) {
    const keyed: Keyed = rekeyed(next.current, entries, fresh);
    [drawn.current, next.current] = [keyed, keyed];
  }
  const removed = (index: number): void => {
    next.current = withoutEntry(next.current, index);
  };
  return { keys: drawn.current.keys, removed };
}

/** The second click of a double click would do it to the entry that has taken its place. */
export function once(act: () => void): (event: MouseEvent) => void {
  return ({ detail }) => {
    if (detail <= 1) act();
  };
}
