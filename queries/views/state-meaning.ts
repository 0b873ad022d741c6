export type Meaning = 'bad' | 'moving' | 'idle' | 'good';

/** What the states of destinations, Applications and clusters mean to people. */
const MEANINGS: ReadonlyMap<string, Meaning> = new Map([
  ['Unreachable', 'bad'],
  ['Stalled', 'bad'],
  ['Failed', 'bad'],
  ['Drifted', 'bad'],
  ['Lost', 'bad'],
  ['NotReady', 'bad'],
  ['Missing', 'bad'],
  ['Suspended', 'idle'],
  ['Paused', 'idle'],
  ['Unmanaged', 'good'],
  ['Ready', 'good'],
]);

/** So that nobody has to tell colours apart. */
export const SYMBOLS: Readonly<Record<Meaning, string>> = { bad: '✗', moving: '●', idle: '‖', good: '✓' };

/** What is not known yet is still moving. */
export function meaningOf(state: string): Meaning {
  return MEANINGS.get(state) ?? 'moving';
}
