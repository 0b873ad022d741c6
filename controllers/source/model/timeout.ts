import { durationOr } from '#lib/duration.js';

const DEFAULT_MS = 60_000;
/** A fetch occupies one of the few workers that all tenants share. */
const LONGEST_MS = 600_000;

/** Milliseconds that one fetch of a source may take: its `spec.timeout`, but at most ten minutes. */
export function fetchTimeoutMs(timeout: string | undefined): number {
  return Math.min(durationOr(timeout, DEFAULT_MS), LONGEST_MS);
}

/** The field that sets a limit of `timeoutMs`, for messages; it says so when a longer one would not count. */
export function timeoutField(timeoutMs: number): string {
  return timeoutMs < LONGEST_MS ? 'spec.timeout' : 'spec.timeout, at most 10m';
}
