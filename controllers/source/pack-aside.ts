import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { isUtf8Name, packDirectory } from '#engine/artifact/archive.js';
import { OverrunError, type Offload, type Task } from '#runtime/isolation/offload.js';
import { TerminalError, TransientError } from '#lib/errors.js';
import { IGNORE_FILE, sourceIgnore, type IgnoreFile } from './model/ignore.js';

interface Packing {
  /** Revision of the files in the folder. */
  readonly revision: string;
  /** What decides about the files besides the revision. */
  readonly selection: unknown;
  readonly folder: string;
  readonly specIgnore?: string | undefined;
  /** The archive to write. */
  readonly file: string;
}

const MAX_IGNORE_FILE = 1024 * 1024;

/** The folders with a file of patterns. */
async function ignoreFolders(root: string, folder: string): Promise<string[]> {
  const entries = await readdir(path.join(root, folder), { withFileTypes: true });
  const found = entries.some((entry) => entry.isFile() && entry.name === IGNORE_FILE) ? [folder] : [];
  for (const entry of entries) {
    // Packing refuses what is not excluded in a folder whose name is not UTF-8.
    if (!entry.isDirectory() || entry.name === '.git' || !isUtf8Name(entry.name)) continue;
    found.push(...(await ignoreFolders(root, path.posix.join(folder, entry.name))));
  }
  return found;
}

/** Why the folder is not packed; undefined when it is. */
async function pack({ folder: root, specIgnore, file }: Packing): Promise<string | undefined> {
  const ignoreFiles: IgnoreFile[] = [];
  for (const folder of await ignoreFolders(root, '')) {
    const name = path.posix.join(folder, IGNORE_FILE);
    const { size } = await stat(path.join(root, name));
    if (size > MAX_IGNORE_FILE) return `'${name}' is larger than ${MAX_IGNORE_FILE / 1024 / 1024} MiB: shorten it`;
    ignoreFiles.push({ folder, text: await readFile(path.join(root, name), 'utf8') });
  }
  const ignore = sourceIgnore(specIgnore, ignoreFiles);
  try {
    await packDirectory(root, file, {
      // A folder is never left out as a whole: a later pattern may take a file of it back in.
      ignore: (name, isDirectory) => (isDirectory ? name === '.git' : ignore(name)),
    });
  } catch (error: unknown) {
    if (error instanceof TerminalError) return error.message;
    throw error;
  }
  return undefined;
}

/** @public Called by its name: a repository can have many patterns and many files. */
export const packTask: Task = {
  module: import.meta.url,
  name: 'packTask',
  deadlineMs: 60_000,
  run: async (input) => (await pack(JSON.parse(input) as Packing)) ?? '', // as packAside prints it
};

/**
 * Packs a folder without what `.sourceignore` files and `spec.ignore` leave out, in another thread; `tenant` is the
 * owner. Throws TransientError `ArchiveOperationFailed` when that takes too long: another push may fix it.
 */
export async function packAside(offload: Pick<Offload, 'run'>, packing: Packing, tenant: string): Promise<void> {
  try {
    const key = JSON.stringify([packing.revision, packing.specIgnore, packing.selection]);
    const problem = await offload.run({ ...packTask, key }, JSON.stringify(packing), tenant);
    if (problem !== '') throw new TransientError(problem, { reason: 'ArchiveOperationFailed' });
  } catch (error: unknown) {
    if (!(error instanceof OverrunError)) throw error;
    const message = `packing revision '${packing.revision}' ${error.message}: exclude unneeded files, with fewer patterns`;
    throw new TransientError(message, { reason: 'ArchiveOperationFailed', cause: error });
  }
}
