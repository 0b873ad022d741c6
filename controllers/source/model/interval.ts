import { durationOr } from '#lib/duration.js';

/** For a HelmRepository, whose interval is optional, as in Flux. */
const DEFAULT_INTERVAL_MS = 60_000;
/** Sources that were created together are not fetched together. */
const JITTER = 0.05;

/** Milliseconds until a source is fetched again; `random` is in [0, 1). Undefined (never) only for an interval of zero. */
export function nextFetchMs(interval: string | undefined, random: number): number | undefined {
  const intervalMs = durationOr(interval, DEFAULT_INTERVAL_MS);
  return intervalMs === 0 ? undefined : Math.round(intervalMs * (1 + JITTER * random));
}
