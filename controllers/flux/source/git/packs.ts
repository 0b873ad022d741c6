import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { TransientError } from '#controllers/runtime/pure/errors.js';

const POLL_MS = 500;

async function sizeOf(file: string): Promise<number> {
  return stat(file).then(
    ({ size }) => size,
    // Renamed or removed by git in the meantime.
    () => 0,
  );
}

/** How much a bare repository holds, with what git is writing at the moment. */
export async function packsOf(repository: string): Promise<{ readonly bytes: number; readonly count: number }> {
  const folder = path.join(repository, 'objects', 'pack');
  const names = await readdir(folder).catch(() => []);
  const sizes = await Promise.all(names.map((name) => sizeOf(path.join(folder, name))));
  const count = names.filter((name) => name.endsWith('.pack')).length;
  return { bytes: sizes.reduce((sum, size) => sum + size, 0), count };
}

/**
 * Ends `work` when the repository grows by more than `maxBytes`: a server need not say how much it sends, nor stop.
 * Throws TransientError `RepositoryTooLarge`.
 */
export async function withinBytes<T>(
  { repository, maxBytes }: { readonly repository: string; readonly maxBytes: number },
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const before = await packsOf(repository);
  const overgrown = new AbortController();
  const timer = setInterval(() => {
    void packsOf(repository).then(({ bytes }) => bytes - before.bytes > maxBytes && overgrown.abort());
  }, POLL_MS);
  try {
    return await work(AbortSignal.any([signal, overgrown.signal]));
  } catch (cause: unknown) {
    if (!overgrown.signal.aborted || signal.aborted) throw cause;
    const message = `the server sent more than ${Math.floor(maxBytes / 1024 / 1024)} MiB for one commit`;
    throw new TransientError(message, { reason: 'RepositoryTooLarge', cause });
  } finally {
    clearInterval(timer);
  }
}
