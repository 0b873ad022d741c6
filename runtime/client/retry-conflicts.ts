import { ConflictError } from '#lib/errors.js';

/** Controllers write the status meanwhile; nobody writes all the time. */
const ATTEMPTS = 10;

/** Reads and writes again when somebody else wrote in between. The last ConflictError is thrown. */
export async function retryConflicts<T>(readAndWrite: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await readAndWrite();
    } catch (error: unknown) {
      if (!(error instanceof ConflictError) || attempt === ATTEMPTS) throw error;
    }
  }
}
