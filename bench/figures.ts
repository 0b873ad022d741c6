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

/** The memory of a process at one moment, after a garbage collection. */
export interface Sample {
  readonly heapBytes: number;
  /** Open TCP connections. */
  readonly sockets: number;
  /** All that keeps an event loop alive: connections, timers, requests under way. */
  readonly handles: number;
}

/** The most that a figure may grow between two halves of a run, as a share and as a floor below which it is noise. */
const FLAT = {
  heapBytes: { share: 0.1, floor: 4 * 2 ** 20 },
  sockets: { share: 0.1, floor: 8 },
  handles: { share: 0.1, floor: 24 },
} as const;

/**
 * Sentences on what grew: medians of the second half of the samples against those of the first half. The caller leaves
 * out the samples of the time in which caches fill.
 */
export function growthOf(samples: readonly Sample[]): string[] {
  const middle = Math.floor(samples.length / 2);
  return (['heapBytes', 'sockets', 'handles'] as const).flatMap((figure) => {
    const [before, after] = [samples.slice(0, middle), samples.slice(middle)].map((half) =>
      median(half.map((sample) => sample[figure])),
    ) as [number, number];
    const limit = before + Math.max(FLAT[figure].floor, before * FLAT[figure].share);
    return after > limit ? [`${figure} grew from ${before} to ${after}`] : [];
  });
}
