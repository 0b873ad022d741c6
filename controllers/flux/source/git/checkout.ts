import { TransientError } from '#controllers/runtime/pure/errors.js';
import { listed } from '#controllers/runtime/pure/listed.js';
import {
  describeTarget,
  gitRevision,
  newestCommit,
  parseRefs,
  refPatterns,
  resolveTarget,
  type GitTarget,
  type ResolvedRef,
} from '../model/git-reference.js';
import type { Git } from './git.js';

const SHOWN = 10;

async function offer(git: Git, url: string): Promise<string> {
  const refs = parseRefs(await git.output('ls-remote', '--quiet', '--heads', '--tags', '--refs', '--', url));
  const names = [...refs.keys()].map((ref) => ref.replace(/^refs\/(heads|tags)\//, ''));
  if (names.length === 0) return 'the repository is empty';
  return `branches and tags are ${listed(names, SHOWN)}`;
}

/** Tags say nothing of their time: their commits have to be fetched. */
async function newestOf(git: Git, url: string, candidates: readonly ResolvedRef[]): Promise<ResolvedRef | undefined> {
  await git.output('init', '--quiet');
  await git.output('fetch', '--quiet', '--depth=1', '--no-tags', '--', url, ...candidates.map(({ ref }) => ref));
  const commits = candidates.map(({ commit }) => commit);
  return newestCommit(candidates, await git.output('show', '--no-patch', '--format=%H %ct', ...commits, '--'));
}

/**
 * The reference that a target (no commit) means at the moment. Throws TransientError `GitOperationFailed`; one that
 * does not exist may still be pushed.
 */
export async function lookUp(git: Git, url: string, target: GitTarget): Promise<ResolvedRef> {
  const refs = parseRefs(await git.output('ls-remote', '--quiet', '--', url, ...refPatterns(target)));
  const candidates = resolveTarget(target, refs);
  const found = candidates.length > 1 ? await newestOf(git, url, candidates) : candidates[0];
  if (found !== undefined) return found;
  const message = `${describeTarget(target)} not found: ${await offer(git, url)}; correct spec.ref`;
  throw new TransientError(message, { reason: 'GitOperationFailed' });
}

async function checkOut(git: Git, revision: string): Promise<string> {
  const commit = (await git.output('rev-parse', '--verify', '--end-of-options', `${revision}^{commit}`)).trim();
  await git.output('checkout', '--quiet', '--force', '--detach', commit);
  return commit;
}

/** A server may refuse to give single commits; then everything that could hold it is fetched. */
async function fetchCommit(git: Git, url: string, target: Extract<GitTarget, { kind: 'commit' }>): Promise<string> {
  const { commit, branch } = target;
  const one = await git.attempt('fetch', '--quiet', '--depth=1', '--no-tags', '--', url, commit);
  if (one.code !== 0) {
    const heads = branch === undefined ? '+refs/heads/*:refs/remotes/origin/*' : `+refs/heads/${branch}`;
    await git.output('fetch', '--quiet', '--no-tags', '--', url, heads);
    const found = await git.attempt('cat-file', '-e', `${commit}^{commit}`);
    if (found.code !== 0) {
      throw new TransientError(`${describeTarget(target)} not found: correct spec.ref.commit`, {
        reason: 'GitOperationFailed',
      });
    }
  }
  return checkOut(git, commit);
}

/**
 * Makes the working folder a checkout of the target, as shallow as can be, and returns its revision: that of what was
 * fetched, should the reference have moved since it was looked up.
 */
export async function fetchTarget(
  git: Git,
  url: string,
  target: GitTarget,
  found: ResolvedRef | undefined,
): Promise<string> {
  await git.output('init', '--quiet');
  if (target.kind === 'commit') return gitRevision(target, undefined, await fetchCommit(git, url, target));
  const ref = found?.ref ?? '';
  await git.output('fetch', '--quiet', '--depth=1', '--no-tags', '--', url, ref);
  return gitRevision(target, ref, await checkOut(git, 'FETCH_HEAD'));
}
