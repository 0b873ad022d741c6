import { WaitingError } from '#lib/errors.js';

function isMissing(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** The result of work on a file; undefined when there is no such file. */
export async function orUndefined<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error: unknown) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** A store that is empty after a restart is filled again soon, without an event. */
const RETRY_MS = 2_000;

/**
 * An artifact that a status names is not in the store any more: whoever made it makes it anew. While the object that
 * needs it is as its spec says, that is a matter of our own disk and no news for its user.
 */
export class LostArtifactError extends WaitingError {
  constructor(what: string) {
    super('ArtifactFailed', `${what} is not in the store: waiting until its source is fetched again`, {
      retryAfterMs: RETRY_MS,
    });
  }
}
