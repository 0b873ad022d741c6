import type { KustomizationSpec } from '#api/flux/kustomization.js';
import { durationOr } from '#lib/duration.js';

const MARGIN_MS = 30_000;
const SHORTEST_TIMEOUT_MS = 30_000;
const SHORTEST_RETRY_MS = 1_000;

type Timing = Pick<KustomizationSpec, 'interval' | 'retryInterval' | 'timeout'>;

/** Milliseconds that objects have to become healthy; by default, as in Flux, until 30 s before the next pass. */
export function timeoutMs({ interval, timeout }: Timing): number {
  return Math.max(SHORTEST_TIMEOUT_MS, durationOr(timeout, durationOr(interval, 0) - MARGIN_MS));
}

/** Milliseconds until a failure is retried: as in Flux, a fixed time. */
export function retryMs({ interval, retryInterval }: Timing): number {
  return Math.max(SHORTEST_RETRY_MS, durationOr(retryInterval, durationOr(interval, 0)));
}
