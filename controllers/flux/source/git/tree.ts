import { TransientError } from '#controllers/runtime/pure/errors.js';
import { parseTree, treeProblem, type TreeEntry } from '../model/git-tree.js';
import type { Git } from './git.js';

interface Place {
  /** The bare repository. */
  readonly repository: string;
  readonly commit: string;
}

/** The files of a commit. Throws TransientError `RepositoryTooLarge`: a later commit may be smaller. */
async function treeOf(git: Git, { repository, commit }: Place): Promise<TreeEntry[]> {
  const entries = parseTree(await git.in(repository).output('ls-tree', '-r', '-z', '--long', '--full-tree', commit));
  const problem = treeProblem(entries);
  if (problem === undefined) return entries;
  throw new TransientError(`commit '${commit}' ${problem}`, { reason: 'RepositoryTooLarge' });
}

/**
 * Checks a commit out into `workTree`, an empty folder; `index` is a file that git makes. Returns its files. The
 * repository itself is only read.
 */
export async function checkOut(
  git: Git,
  place: Place,
  files: { readonly workTree: string; readonly index: string },
): Promise<TreeEntry[]> {
  const entries = await treeOf(git, place);
  await git.in(place.repository, files).output('read-tree', '--reset', '-u', place.commit);
  return entries;
}
