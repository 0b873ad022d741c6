import { CLUSTER_UNREACHABLE } from '#api/flux/conditions.js';
import { CancelledError, ConflictError, ControllerError } from '#lib/errors.js';

/** The message of an error and its causes, in one line. */
export function reasonText(error: unknown): string {
  const parts: string[] = [];
  for (let current = error; current instanceof Error; current = current.cause) {
    const { message } = current;
    if (message !== '' && !parts.some((part) => part.includes(message))) parts.push(message);
  }
  return parts.length === 0 ? String(error) : parts.join(': ');
}

/**
 * True for errors that are not about the applied objects: shutdown, a stale read, an unreachable cluster, a bug. They
 * end the reconciliation, and no attempt is counted.
 */
export function isInterruption(error: unknown): boolean {
  if (error instanceof CancelledError || error instanceof ConflictError) return true;
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
