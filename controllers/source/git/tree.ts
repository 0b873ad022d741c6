import { mkdir, rename } from 'node:fs/promises';
import path from 'node:path';
import { TransientError } from '#lib/errors.js';
import { parseTree, treeProblem, type TreeEntry } from './model/tree.js';
import type { Git } from './git.js';
import { realFolder } from './real-folder.js';
import { gitFailed } from './git-error.js';

/** A commit in a bare repository, and where it is checked out. */
export interface Place {
  readonly repository: string;
  readonly commit: string;
  /** An empty folder. */
  readonly workTree: string;
  /** A file that git makes. */
  readonly index: string;
}

/** The files of a commit. Throws TransientError `RepositoryTooLarge`: a later commit may be smaller. */
async function treeOf(git: Git, { repository, commit }: Place, already: readonly TreeEntry[]): Promise<TreeEntry[]> {
  const entries = parseTree(await git.in(repository).output('ls-tree', '-r', '-z', '--long', '--full-tree', commit));
  const problem = treeProblem([...already, ...entries]);
  if (problem === undefined) return entries;
  throw new TransientError(`commit '${commit}' ${problem}`, { reason: 'RepositoryTooLarge' });
}

/**
 * Checks a commit out. Returns its files; with what is checked out `already`, they must not be too many. The repository
 * itself is only read.
 */
export async function checkOut(git: Git, place: Place, already: readonly TreeEntry[] = []): Promise<TreeEntry[]> {
  const entries = await treeOf(git, place, already);
  await git.in(place.repository, place).output('read-tree', '--reset', '-u', place.commit);
  return entries;
}

/**
 * Moves the folders (in parts) from the checkout `whole` to `part`. Throws TransientError `GitOperationFailed` when one
 * does not exist, as in Flux.
 */
export async function moveFolders(whole: string, part: string, folders: readonly (readonly string[])[]): Promise<void> {
  const moved: string[] = [];
  for (const parts of [...folders].sort((a, b) => a.length - b.length)) {
    const name = parts.join('/');
    if (moved.some((above) => name === above || name.startsWith(`${above}/`))) continue;
    const folder = await realFolder(whole, parts);
    if (folder === undefined) {
      const message = `sparse checkout dir '${name}' does not exist in repository: correct spec.sparseCheckout`;
      throw gitFailed(message);
    }
    await mkdir(path.dirname(path.join(part, name)), { recursive: true });
    await rename(folder, path.join(part, name));
    moved.push(name);
  }
}
