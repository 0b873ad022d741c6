import { CLUSTER_UNREACHABLE } from '#api/flux/conditions.js';
import {
  CancelledError,
  ConflictError,
  ControllerError,
  SupersededError,
  TerminalError,
  TransientError,
} from '#lib/errors.js';

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

/** The message of an error and its causes, in one line. */
export function reasonText(error: unknown): string {
  const parts: string[] = [];
  for (let current = error; current instanceof Error; current = current.cause) {
    const { message } = current;
    if (message !== '' && !parts.some((part) => part.includes(message))) parts.push(message);
  }
  return parts.length === 0 ? String(error) : parts.join(': ');
}

/** The controller itself could not go on, as without a child process. The status says why. */
export class InterruptedError extends TransientError {}

/**
 * True for errors that are not about the applied objects: shutdown, a stale read, an unreachable cluster, a bug. They
 * end the reconciliation, and no attempt is counted.
 */
export function isInterruption(error: unknown): boolean {
  if (error instanceof CancelledError || error instanceof ConflictError) return true;
  if (error instanceof InterruptedError || error instanceof SupersededError) return true;
  return !(error instanceof ControllerError) || error.reason === CLUSTER_UNREACHABLE;
}

/** Why `work` failed, in one line; undefined when it succeeded. Throws interruptions. */
export async function failureOf(work: () => Promise<void>): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error: unknown) {
    if (isInterruption(error)) throw error;
    return reasonText(error);
  }
}

/** True when the cluster does not serve the kind. */
export function isUnknownKind(error: unknown): boolean {
  return error instanceof TerminalError && error.reason === 'NoKindMatch';
}
