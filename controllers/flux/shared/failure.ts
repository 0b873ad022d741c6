import { CLUSTER_UNREACHABLE } from '#api/flux/conditions.js';
import { CancelledError, ConflictError, ControllerError, TerminalError } from '../../runtime/pure/errors.js';
import type { Problem } from './model/progress.js';

/** What was wrong, in one line, from the outside to the root cause. */
export function reasonText(error: unknown): string {
  const parts: string[] = [];
  for (let current = error; current instanceof Error; current = current.cause) {
    const { message } = current;
    if (message !== '' && !parts.some((part) => part.includes(message))) parts.push(message);
  }
  return parts.length === 0 ? String(error) : parts.join(': ');
}

/**
 * True for errors that say nothing about what is applied: shutdown, a stale read, a cluster that gave no answer, a bug. The
 * pass ends, the next one heals; no attempt is counted.
 */
export function isInterruption(error: unknown): boolean {
  if (error instanceof CancelledError || error instanceof ConflictError) return true;
  return !(error instanceof ControllerError) || error.reason === CLUSTER_UNREACHABLE;
}

/** What was wrong with `work`, in one line; undefined when it succeeded. Throws what is an interruption. */
export async function failureOf(work: () => Promise<void>): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error: unknown) {
    if (isInterruption(error)) throw error;
    return reasonText(error);
  }
}

/** What a status says of an error that ended a pass; `reason` is for one that names none itself. */
export function problemOf(error: unknown, reason: string): Problem & { readonly stalled: boolean } {
  if (!(error instanceof ControllerError)) {
    return { reason: 'InternalError', message: 'an unexpected error: see the controller log', stalled: false };
  }
  return { reason: error.reason ?? reason, message: reasonText(error), stalled: error instanceof TerminalError };
}
