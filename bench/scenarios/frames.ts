/** A screen of 60 Hz. */
const FRAME_MS = 1_000 / 60;

/** How smooth something was. */
export interface Smoothness {
  readonly frames: number;
  /** Moments of the screen at which no new frame was ready. */
  readonly dropped: number;
  readonly medianMs: number;
  readonly worstMs: number;
}

/** Of the times between frames. Pure. */
export function smoothnessOf(times: readonly number[]): Smoothness {
  const sorted = [...times].sort((a, b) => a - b);
  const missed = times.map((ms) => Math.max(0, Math.round(ms / FRAME_MS) - 1));
  return {
    frames: times.length,
    dropped: missed.reduce((sum, each) => sum + each, 0),
    medianMs: Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0),
    worstMs: Math.round(sorted.at(-1) ?? 0),
  };
}
