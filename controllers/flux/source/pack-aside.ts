import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { packDirectory } from '#controllers/engine/artifact/archive.js';
import { OverrunError, type Offload, type Task } from '#controllers/runtime/offload.js';
import { TransientError } from '#controllers/runtime/pure/errors.js';
import { IGNORE_FILE, sourceIgnore, type IgnoreFile } from './model/ignore.js';

interface Packing {
  /** Revision of the files in the folder. */
  readonly revision: string;
  readonly folder: string;
  readonly specIgnore?: string | undefined;
  /** The archive to write. */
  readonly file: string;
}

async function ignoreFiles(root: string, folder: string): Promise<IgnoreFile[]> {
  const entries = await readdir(path.join(root, folder), { withFileTypes: true });
  const found: IgnoreFile[] = [];
  for (const entry of entries) {
    const below = path.posix.join(folder, entry.name);
    if (entry.isDirectory() && entry.name !== '.git') found.push(...(await ignoreFiles(root, below)));
    if (entry.isFile() && entry.name === IGNORE_FILE) {
      found.push({ folder, text: await readFile(path.join(root, below), 'utf8') });
    }
  }
  return found;
}

async function pack({ folder, specIgnore, file }: Packing): Promise<void> {
  const ignore = sourceIgnore(specIgnore, await ignoreFiles(folder, ''));
  await packDirectory(folder, file, {
    // A folder is never left out as a whole: a later pattern may take a file of it back in.
    ignore: (name, isDirectory) => (isDirectory ? name === '.git' : ignore(name)),
  });
}

/** @public Called by its name: a repository can have many patterns and many files. */
export const packTask: Task = {
  module: import.meta.url,
  name: 'packTask',
  deadlineMs: 60_000,
  run: async (input) => {
    await pack(JSON.parse(input) as Packing); // as packAside prints it
    return '';
  },
};

/**
 * Packs a folder without what `.sourceignore` files and `spec.ignore` leave out, in another thread; `tenant` is the
 * owner. Throws TransientError `ArchiveOperationFailed` when that takes too long: another push may fix it.
 */
export async function packAside(offload: Pick<Offload, 'run'>, packing: Packing, tenant: string): Promise<void> {
  try {
    const key = JSON.stringify([packing.revision, packing.specIgnore]);
    await offload.run({ ...packTask, key }, JSON.stringify(packing), tenant);
  } catch (error: unknown) {
    if (!(error instanceof OverrunError)) throw error;
    const message = `packing revision '${packing.revision}' ${error.message}: exclude unneeded files, with fewer patterns`;
    throw new TransientError(message, { reason: 'ArchiveOperationFailed', cause: error });
  }
}
