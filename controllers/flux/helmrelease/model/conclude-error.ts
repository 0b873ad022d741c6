import type { HelmReleaseStatus } from '#api/flux/helm-release.js';
import { ConflictError, TransientError, WaitingError } from '#controllers/runtime/pure/errors.js';
import { afterError, isReported, type Conclusion, type Failure } from '../../shared/model/conclusion.js';
import { notReady } from '../../shared/model/progress.js';
import { readRequests } from '../../shared/model/requests.js';
import type { Then } from './action-report.js';
import { lacksNamespace, missingNamespace, withNamespaceHint } from './missing-namespace.js';
import type { HelmRelease } from './types.js';

/** Milliseconds after which something that is missing is looked for again. */
interface Timing {
  readonly dependencyRequeueMs: number;
}

/** A namespace may be created at any moment, and nothing reports it: backoff might wait for minutes by then. */
function retried(release: HelmRelease, error: unknown, { dependencyRequeueMs }: Timing): unknown {
  if (!(error instanceof TransientError) || !lacksNamespace(release, missingNamespace(error))) return error;
  return new WaitingError(error.reason ?? 'ReconcileError', error.message, {
    cause: error,
    retryAfterMs: dependencyRequeueMs,
  });
}

/** What an error that ends a reconciliation comes to. Never throws. */
export function concludeError(
  release: HelmRelease,
  failure: Failure,
  { status, moment, dependencyRequeueMs }: Then & Timing,
): Conclusion<HelmReleaseStatus> {
  const { error, problem } = failure;
  const message = withNamespaceHint(release, problem.message, missingNamespace(error));
  const known = isReported(release, failure) ? notReady(status, moment, { ...problem, message }) : status;
  // The request behind a conflict is still to be answered.
  const reported = error instanceof ConflictError ? known : { ...known, ...readRequests(release).handled };
  const next = afterError(release, retried(release, error, { dependencyRequeueMs }));
  return { status: reported, events: [], next };
}
