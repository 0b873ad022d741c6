const MINUTE_MS = 60_000;
/** Milliseconds of each unit, and from how many of the unit before on it is used. */
const UNITS: readonly (readonly [unit: string, ms: number])[] = [
  ['day', 24 * 60 * MINUTE_MS],
  ['hour', 60 * MINUTE_MS],
  ['minute', MINUTE_MS],
];

/** How long ago something was, in the largest unit of which there are two; empty if that is not known (NaN). */
export function ageWords(ms: number): string {
  if (Number.isNaN(ms)) return '';
  const [unit, unitMs] = UNITS.find(([, each]) => ms >= 2 * each) ?? ['minute', MINUTE_MS];
  const count = Math.floor(ms / unitMs);
  if (count < 1) return 'just now';
  return `${count.toLocaleString('en')} ${unit}${count === 1 ? '' : 's'} ago`;
}
