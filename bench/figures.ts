/** The middle one; 0 without figures. */
export function median(figures: readonly number[]): number {
  const sorted = [...figures].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** Two decimals: more would claim a precision that no run has. */
export function ratio(part: number, whole: number): number {
  return Math.round((part / whole) * 100) / 100;
}

/** The figure below which such a part of all lies, with one decimal; 0 without figures. */
export function quantile(figures: readonly number[], part: number): number {
  const sorted = [...figures].sort((a, b) => a - b);
  const at = Math.min(sorted.length - 1, Math.floor(sorted.length * part));
  return Math.round((sorted[at] ?? 0) * 10) / 10;
}
