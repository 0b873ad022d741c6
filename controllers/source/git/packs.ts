import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { TransientError } from '#lib/errors.js';
import { linkSignals } from '#runtime/process/signals.js';

const POLL_MS = 500;

async function sizeOf(file: string): Promise<number> {
  return stat(file).then(
    ({ size }) => size,
    // Renamed or removed by git in the meantime.
    () => 0,
  );
}

function packFolder(repository: string): string {
  return path.join(repository, 'objects', 'pack');
}

/** How much a bare repository holds, with what git is writing at the moment. */
export async function packsOf(repository: string): Promise<{ readonly bytes: number; readonly count: number }> {
  const folder = packFolder(repository);
  const names = await readdir(folder).catch(() => []);
  const sizes = await Promise.all(names.map((name) => sizeOf(path.join(folder, name))));
  const count = names.filter((name) => name.endsWith('.pack')).length;
  return { bytes: sizes.reduce((sum, size) => sum + size, 0), count };
}

/** Removes what a failed fetch leaves behind; no other may run. */
export async function removeUnfinished(repository: string): Promise<void> {
  const folder = packFolder(repository);
  const names = await readdir(folder).catch(() => []);
  const unfinished = names.filter((name) => name.startsWith('tmp_'));
  await Promise.all(unfinished.map((name) => rm(path.join(folder, name), { force: true })));
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
  const linked = linkSignals([signal, overgrown.signal]);
  const timer = setInterval(() => {
    void packsOf(repository).then(({ bytes }) => bytes - before.bytes > maxBytes && overgrown.abort());
  }, POLL_MS);
  try {
    return await work(linked.signal);
  } catch (cause: unknown) {
    if (!overgrown.signal.aborted || signal.aborted) throw cause;
    const message = `the server sent more than ${Math.floor(maxBytes / 1024 / 1024)} MiB for one commit`;
    throw new TransientError(message, { reason: 'RepositoryTooLarge', cause });
  } finally {
    clearInterval(timer);
    linked.unlink();
  }
}
