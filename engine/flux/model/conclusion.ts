import { getCondition, isTrue } from '#lib/kube/conditions.js';
import { ConflictError, SupersededError, TerminalError } from '#lib/errors.js';
import {
  notReady,
  progressing,
  withCondition,
  type PassMoment,
  type Problem,
  type ProgressStatus,
} from './progress.js';
import { intervalMs } from './timing.js';
import type { Applying, NewEvent } from './types.js';

/** How a reconciliation ends: with the time of the next one, or with an error that is retried by its class. */
export type End =
  { readonly kind: 'requeue'; readonly afterMs: number } | { readonly kind: 'fail'; readonly error: unknown };

/** What a reconciliation comes to. */
export interface Conclusion<Status, Next = End> {
  readonly status: Status;
  readonly events: readonly NewEvent[];
  readonly next: Next;
}

/** An error that ended a reconciliation. */
export interface Failure {
  readonly error: unknown;
  /** What the status reports of it. */
  readonly problem: Problem & { readonly stalled: boolean };
  /** Our own store lost an artifact. */
  readonly isLostArtifact: boolean;
}

/**
 * True when this generation of the spec is known to be deployed. To be observed is not enough: so are rejected and
 * rolled back ones.
 */
export function isReadyFor(status: ProgressStatus | undefined, generation: number | undefined): boolean {
  const { conditions, observedGeneration } = status ?? {};
  return observedGeneration === generation && isTrue(conditions, 'Ready') && !isTrue(conditions, 'Stalled');
}

/**
 * False for what users need not know of: a conflict, which is about our own writes, and a lost artifact, which concerns
 * our own store alone, while the object runs as its spec says. During a roll-out it is what the roll-out waits for.
 */
export function isReported({ status, metadata }: Applying, { error, isLostArtifact }: Failure): boolean {
  if (error instanceof ConflictError) return false;
  return !(isLostArtifact && isReadyFor(status, metadata.generation));
}

/** The conditions after an error. What is superseded has not failed: nobody knows how it would have ended. */
export function withProblem<S extends ProgressStatus>(status: S, moment: PassMoment, { error, problem }: Failure): S {
  if (!(error instanceof SupersededError)) return notReady(status, moment, problem);
  const { reason, message } = problem;
  const open = progressing(status, moment, message, reason);
  if (getCondition(status.conditions, 'Healthy') === undefined) return open;
  return withCondition(open, moment, { type: 'Healthy', status: 'Unknown', reason, message });
}

/** The next reconciliation after nothing was left to do. */
export function atInterval({ spec, metadata }: Applying): End {
  return { kind: 'requeue', afterMs: intervalMs(spec, metadata.uid ?? '') };
}

/**
 * The next reconciliation after an error. What only a change can fix is tried at the interval, too: the change may be
 * one that we do not watch, on a target cluster for example.
 */
export function afterError(object: Applying, error: unknown): End {
  return error instanceof TerminalError ? atInterval(object) : { kind: 'fail', error };
}
