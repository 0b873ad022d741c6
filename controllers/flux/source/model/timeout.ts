import { durationOr } from '#controllers/runtime/pure/duration.js';

const DEFAULT_MS = 60_000;
/** A fetch holds one of the few workers that fetch for everybody. */
const LONGEST_MS = 600_000;

/** Milliseconds that one fetch of a source may take: its `spec.timeout`, of which no more than ten minutes count. */
export function fetchTimeoutMs(timeout: string | undefined): number {
  return Math.min(durationOr(timeout, DEFAULT_MS), LONGEST_MS);
}

/** The field that sets a limit of `timeoutMs`, for messages; it says so when a longer one would not count. */
export function timeoutField(timeoutMs: number): string {
  return timeoutMs < LONGEST_MS ? 'spec.timeout' : 'spec.timeout, at most 10m';
}
