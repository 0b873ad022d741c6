import { ConflictError, TerminalError, TransientError, WaitingError } from '#controllers/runtime/pure/errors.js';
import { notReady, type Problem } from '../../shared/model/progress.js';
import { readRequests } from '../../shared/model/requests.js';
import { intervalMs } from '../../shared/model/timing.js';
import type { Then } from './action-report.js';
import type { Conclusion } from './conclude.js';
import { isReadyFor } from './conditions.js';
import { lacksNamespace, missingNamespace, withNamespaceHint } from './missing-namespace.js';
import type { HelmRelease } from './types.js';

/** An error that ended a reconciliation. */
export interface Failure {
  readonly error: unknown;
  /** What the status reports of it. */
  readonly problem: Problem & { readonly stalled: boolean };
  /** Our own store lost an artifact. */
  readonly isLostArtifact: boolean;
}

/** Milliseconds after which something that is missing is looked for again. */
interface Timing {
  readonly dependencyRequeueMs: number;
}

/**
 * A lost artifact concerns our own store alone. While the release runs as its spec says, users need not know of it;
 * during a roll-out it is what the roll-out waits for.
 */
function isReported({ status, metadata }: HelmRelease, { error, isLostArtifact }: Failure): boolean {
  // A conflict is about our own writes.
  if (error instanceof ConflictError) return false;
  return !(isLostArtifact && isReadyFor(status, metadata.generation));
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
): Conclusion {
  const { error, problem } = failure;
  const { spec, metadata } = release;
  const message = withNamespaceHint(release, problem.message, missingNamespace(error));
  const known = isReported(release, failure) ? notReady(status, moment, { ...problem, message }) : status;
  // The request behind a conflict is still to be answered.
  const reported = error instanceof ConflictError ? known : { ...known, ...readRequests(release).handled };
  // The obstacle may be removed without a change that we watch, on a target cluster for example.
  if (error instanceof TerminalError) {
    return { status: reported, events: [], next: { kind: 'requeue', afterMs: intervalMs(spec, metadata.uid ?? '') } };
  }
  return {
    status: reported,
    events: [],
    next: { kind: 'fail', error: retried(release, error, { dependencyRequeueMs }) },
  };
}
