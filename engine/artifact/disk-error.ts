import { TransientError } from '#lib/errors.js';

/** Says the same each time, wherever the room was missing. */
export const NO_SPACE =
  'no space is left on the disk of the artifact store (--storage-path): free some, or use a larger volume';

/** By the code of Node's error: what is wrong with the disk, and not with what is written to it. */
const PROBLEMS: ReadonlyMap<unknown, string> = new Map([
  ['ENOSPC', NO_SPACE],
  ['EDQUOT', NO_SPACE],
  ['EFBIG', 'a file is larger than the disk of the artifact store (--storage-path) allows'],
  ['EROFS', 'the disk of the artifact store (--storage-path) is read-only'],
  ['EIO', 'the disk of the artifact store (--storage-path) has read or write errors: replace it'],
]);

/** The error of a disk as one that is retried, for the disk may be better then; undefined for other errors. */
export function diskError(error: unknown): TransientError | undefined {
  // A bug may throw anything, null too.
  const message = PROBLEMS.get((error as NodeJS.ErrnoException | null | undefined)?.code);
  return message === undefined
    ? undefined
    : new TransientError(message, { reason: 'StorageOperationFailed', cause: error });
}

/** True when the disk is full, also as the cause of an error of this module: what is removed makes room. */
export function isDiskFull(error: unknown): boolean {
  const { code } = (error ?? {}) as NodeJS.ErrnoException;
  return PROBLEMS.get(code) === NO_SPACE || (error instanceof TransientError && isDiskFull(error.cause));
}

/** The result of `work`. Throws TransientError `StorageOperationFailed` when the disk fails, and what `work` throws. */
export async function onDisk<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error: unknown) {
    throw diskError(error) ?? error;
  }
}

/** By the code of Node's error: a file or folder that cannot be made because of its name, or of another file's. */
const CODES_OF_NAMES: ReadonlySet<unknown> = new Set(['ENAMETOOLONG', 'ENOTDIR', 'EEXIST', 'ENOTEMPTY', 'EILSEQ']);

/**
 * The code of an error that the machine gave while an archive was unpacked, e.g. `EMFILE`: it says nothing of the
 * archive. Undefined for an error that is about what the archive contains.
 */
export function machineProblem(error: unknown): string | undefined {
  // A bug may throw anything, null too.
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException;
  return syscall === undefined || CODES_OF_NAMES.has(code) ? undefined : code;
}
