import { durationOr } from '../../../runtime/pure/duration.js';
import type { HelmReleaseSpec } from './types.js';

const DEFAULT_TIMEOUT_MS = 300_000;
const DEFAULT_INTERVAL_MS = 600_000;
/** Share of the interval by which passes of many releases are spread. */
const SPREAD = 0.1;

type TimedAction = 'install' | 'upgrade' | 'rollback' | 'uninstall' | 'test';

/** Milliseconds that one wait of an action may take: its own timeout, else the release's, else 5 minutes. */
export function actionTimeoutMs(spec: HelmReleaseSpec, action: TimedAction): number {
  return durationOr(spec[action]?.timeout, durationOr(spec.timeout, DEFAULT_TIMEOUT_MS));
}

/** Milliseconds until a release is looked at again without a reason; `seed` (a UID) spreads them by up to 10 %. */
export function intervalMs(spec: HelmReleaseSpec, seed: string): number {
  const interval = durationOr(spec.interval, DEFAULT_INTERVAL_MS);
  let hash = 0;
  for (const character of seed) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 1_000;
  return Math.round(interval * (1 - SPREAD / 2 + (SPREAD * hash) / 1_000));
}
