import { CancelledError, TransientError } from '../../runtime/pure/errors.js';

/** True when the error says nothing of one object: the pass ended, or the member does not answer or know us. */
export function isMemberFailure(error: unknown): error is Error {
  if (error instanceof CancelledError) return true;
  return error instanceof TransientError && (error.status === undefined || error.status.code === 401);
}
