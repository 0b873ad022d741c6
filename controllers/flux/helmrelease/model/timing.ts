import { durationOr } from '../../../runtime/pure/duration.js';
import type { HelmReleaseSpec } from './types.js';

const DEFAULT_TIMEOUT_MS = 300_000;
const DEFAULT_INTERVAL_MS = 600_000;
const DEFAULT_RETRY_MS = 300_000;
/** Share of the interval by which passes of many releases are spread. */
const SPREAD = 0.1;

/** `0s` and `1ms` are durations, too: nobody is looked at more often than this. */
const SHORTEST_MS = 1_000;

type TimedAction = 'install' | 'upgrade' | 'rollback' | 'uninstall' | 'test';

/** Milliseconds that one wait of an action may take: its own timeout, else the release's, else 5 minutes. */
export function actionTimeoutMs(spec: HelmReleaseSpec, action: TimedAction): number {
  return durationOr(spec[action]?.timeout, durationOr(spec.timeout, DEFAULT_TIMEOUT_MS));
}

/**
 * Milliseconds until a failed action is tried again under `RetryOnFailure`: 5 minutes by default, at least one second.
 */
export function retryIntervalMs(retryInterval: string | undefined): number {
  return Math.max(SHORTEST_MS, durationOr(retryInterval, DEFAULT_RETRY_MS));
}

/**
 * Milliseconds until a release is looked at again without a reason, at least one second; `seed` (a UID) spreads them by
 * up to 10 %.
 */
export function intervalMs(spec: HelmReleaseSpec, seed: string): number {
  const interval = durationOr(spec.interval, DEFAULT_INTERVAL_MS);
  let hash = 0;
  for (const character of seed) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 1_000;
  return Math.max(SHORTEST_MS, Math.round(interval * (1 - SPREAD / 2 + (SPREAD * hash) / 1_000)));
}
