import { durationOr } from '#lib/duration.js';

const DEFAULT_INTERVAL_MS = 600_000;
const DEFAULT_RETRY_MS = 300_000;
/** Share of the interval by which reconciliations of many objects are spread. */
const SPREAD = 0.1;

/** Lower limit: `0s` and `1ms` are valid durations. */
const SHORTEST_MS = 1_000;

/** Milliseconds until a failed action is retried under `RetryOnFailure`: 5 minutes by default, at least one second. */
export function retryIntervalMs(retryInterval: string | undefined): number {
  return Math.max(SHORTEST_MS, durationOr(retryInterval, DEFAULT_RETRY_MS));
}

/**
 * Milliseconds until the next reconciliation without a change, at least one second; `seed` (a UID) spreads them by up
 * to 10 %.
 */
export function intervalMs(spec: { readonly interval?: string | undefined }, seed: string): number {
  const interval = durationOr(spec.interval, DEFAULT_INTERVAL_MS);
  let hash = 0;
  for (const character of seed) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 1_000;
  return Math.max(SHORTEST_MS, Math.round(interval * (1 - SPREAD / 2 + (SPREAD * hash) / 1_000)));
}
