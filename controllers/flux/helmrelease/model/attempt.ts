import type { HelmReleaseStatus } from '#api/flux/helm-release.js';
import omit from 'lodash/omit.js';
import { defined } from '#controllers/runtime/pure/defined.js';
import { withoutFailures } from './status.js';

/** The inputs of the next action. */
export interface Attempt {
  readonly generation: number;
  readonly revision: string;
  readonly configDigest: string;
  /** Absent: the chart is from no OCI artifact. */
  readonly ociDigest?: string | undefined;
}

/** Records the inputs of this attempt; resets the failure counters if one of them changed, or on `reset`. */
export function withAttempt(status: HelmReleaseStatus, inputs: Attempt, reset: boolean): HelmReleaseStatus {
  const changed =
    status.lastAttemptedGeneration !== inputs.generation ||
    status.lastAttemptedRevision !== inputs.revision ||
    status.lastAttemptedConfigDigest !== inputs.configDigest;
  const base = changed || reset ? withoutFailures(status) : status;
  return {
    ...omit(base, 'lastAttemptedRevisionDigest'),
    lastAttemptedGeneration: inputs.generation,
    lastAttemptedRevision: inputs.revision,
    lastAttemptedConfigDigest: inputs.configDigest,
    ...defined({ lastAttemptedRevisionDigest: inputs.ociDigest }),
  };
}
