import type { HelmReleaseStatus } from '#api/flux/helm-release.js';
import { withoutFailures } from './status.js';

/** The inputs of the next action. */
export interface Attempt {
  readonly generation: number;
  readonly revision: string;
  readonly configDigest: string;
}

/** Records the inputs of this attempt; resets the failure counters if one of them changed, or on `reset`. */
export function withAttempt(status: HelmReleaseStatus, inputs: Attempt, reset: boolean): HelmReleaseStatus {
  const changed =
    status.lastAttemptedGeneration !== inputs.generation ||
    status.lastAttemptedRevision !== inputs.revision ||
    status.lastAttemptedConfigDigest !== inputs.configDigest;
  const base = changed || reset ? withoutFailures(status) : status;
  return {
    ...base,
    lastAttemptedGeneration: inputs.generation,
    lastAttemptedRevision: inputs.revision,
    lastAttemptedConfigDigest: inputs.configDigest,
  };
}
