import { CancelledError, TransientError } from '#lib/errors.js';

/** One object that could not be written; `error.cause` says why. */
export interface ObjectFailure {
  readonly subject: string;
  readonly error: Error;
}

/** True if the error is not about one object: the pass ended, or the member does not answer or rejects our credential. */
export function isMemberFailure(error: unknown): error is Error {
  if (error instanceof CancelledError) return true;
  return error instanceof TransientError && (error.status === undefined || error.status.code === 401);
}

/** The results of a batch; `stopped` after the member itself failed: nothing more is tried. */
export interface Failures {
  readonly failures: ObjectFailure[];
  stopped: boolean;
}

/** Records why one object failed; a member that does not answer is recorded once, not for each of its objects. */
export function recordFailure(progress: Failures, subject: string, error: unknown): void {
  const ofMember = isMemberFailure(error);
  if (progress.stopped && ofMember) return;
  progress.stopped ||= ofMember;
  progress.failures.push({ subject, error: error instanceof Error ? error : new Error(String(error)) });
}
