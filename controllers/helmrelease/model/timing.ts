import { durationOr } from '#lib/duration.js';
import type { HelmReleaseSpec } from './types.js';

const DEFAULT_TIMEOUT_MS = 300_000;

type TimedAction = 'install' | 'upgrade' | 'rollback' | 'uninstall' | 'test';

/** Timeout of each wait of an action: its own, else that of the release, else 5 minutes. */
export function actionTimeoutMs(spec: HelmReleaseSpec, action: TimedAction): number {
  return durationOr(spec[action]?.timeout, durationOr(spec.timeout, DEFAULT_TIMEOUT_MS));
}
