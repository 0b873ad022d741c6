import { createHash } from 'node:crypto';
import { TransientError } from '#controllers/runtime/pure/errors.js';
import { listed } from '#controllers/runtime/pure/listed.js';
import {
  describeTarget,
  newestCommit,
  parseRefs,
  refPatterns,
  resolveTarget,
  type GitTarget,
  type ResolvedRef,
} from '../model/git-reference.js';
import type { Git } from './git.js';
import type { Mirror } from './mirrors.js';

const SHOWN = 10;
/** Deeper than any history: what `git fetch --unshallow` asks for, which fails when nothing is missing. */
const WHOLE_HISTORY = '--depth=2147483647';

/** One repository on its server, as one pass uses it. */
export interface Remote {
  readonly git: Git;
  readonly url: string;
  readonly mirror: Mirror;
  /** What was listed before this time (of `performance.now()`) is too old. */
  readonly notBefore: number;
}

/** What a target led to. */
export interface Obtained {
  readonly commit: string;
  /** The object that the reference names: the commit, or an annotated tag of it. */
  readonly object: string;
}

function failed(message: string): TransientError {
  return new TransientError(message, { reason: 'GitOperationFailed' });
}

/** A listing that succeeded also says that the credentials are good: nothing leaves a mirror without. */
async function list({ git, url, mirror, notBefore }: Remote, patterns: readonly string[]): Promise<string> {
  const key = JSON.stringify(patterns);
  const known = mirror.listings.get(key);
  if (known !== undefined && known.startedAt >= notBefore) return known.output;
  const startedAt = performance.now();
  const output = await git.output('ls-remote', '--quiet', '--', url, ...patterns);
  mirror.listings.set(key, { startedAt, output });
  return output;
}

async function offer({ git, url }: Remote): Promise<string> {
  const refs = parseRefs(await git.output('ls-remote', '--quiet', '--heads', '--tags', '--refs', '--', url));
  const names = [...refs.keys()].map((ref) => ref.replace(/^refs\/(heads|tags)\//, ''));
  if (names.length === 0) return 'the repository is empty';
  return `branches and tags are ${listed(names, SHOWN)}`;
}

/** Where the mirror keeps a reference, so that the next fetch sends what is new: names of any two never collide. */
function keptRef(source: string): string {
  return `refs/kept/${createHash('sha256').update(source).digest('hex')}`;
}

async function fetchInto({ git, url, mirror }: Remote, sources: readonly string[]): Promise<void> {
  const inMirror = git.in(mirror.folder);
  if (!mirror.isInitialized) await inMirror.output('init', '--quiet', '--bare');
  mirror.isInitialized = true;
  const refspecs = sources.map((source) => `+${source}:${keptRef(source)}`);
  await inMirror.output('fetch', '--quiet', '--depth=1', '--no-tags', '--', url, ...refspecs);
}

/** The commit that a revision of the mirror means; undefined when it is not there. */
async function commitIn({ git, mirror }: Remote, revision: string): Promise<string | undefined> {
  if (!mirror.isInitialized) return undefined;
  const { code, stdout } = await git
    .in(mirror.folder)
    .attempt('rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`);
  return code === 0 ? stdout.trim() : undefined;
}

/** Tags say nothing of their time: their commits have to be fetched. */
async function newestOf(remote: Remote, candidates: readonly ResolvedRef[]): Promise<ResolvedRef | undefined> {
  const known = await Promise.all(candidates.map(({ object }) => commitIn(remote, object)));
  if (known.includes(undefined)) {
    await fetchInto(
      remote,
      candidates.map(({ ref }) => ref),
    );
  }
  const commits = candidates.map(({ commit }) => commit);
  const inMirror = remote.git.in(remote.mirror.folder);
  return newestCommit(candidates, await inMirror.output('show', '--no-patch', '--format=%H %ct', ...commits, '--'));
}

/**
 * The reference that a target means at the moment; undefined for a commit, which needs none. Throws TransientError
 * `GitOperationFailed`; one that does not exist may still be pushed.
 */
export async function lookUp(remote: Remote, target: GitTarget): Promise<ResolvedRef | undefined> {
  const candidates = resolveTarget(target, parseRefs(await list(remote, refPatterns(target))));
  if (target.kind === 'commit') return undefined;
  const found = candidates.length > 1 ? await newestOf(remote, candidates) : candidates[0];
  if (found !== undefined) return found;
  throw failed(`${describeTarget(target)} not found: ${await offer(remote)}; correct spec.ref`);
}

/** A server may refuse to give single commits; then everything that could hold it is fetched. */
async function obtainCommit(remote: Remote, target: Extract<GitTarget, { kind: 'commit' }>): Promise<Obtained> {
  const { commit: object, branch } = target;
  const known = await commitIn(remote, object);
  if (known !== undefined) return { commit: known, object };
  const isRefused = await fetchInto(remote, [object]).then(
    () => false,
    (error: unknown) => {
      if (error instanceof TransientError && error.reason === 'GitOperationFailed') return true;
      throw error;
    },
  );
  if (isRefused) {
    const heads = branch === undefined ? '+refs/heads/*:refs/heads/*' : `+refs/heads/${branch}:${keptRef(branch)}`;
    const inMirror = remote.git.in(remote.mirror.folder);
    await inMirror.output('fetch', '--quiet', WHOLE_HISTORY, '--no-tags', '--', remote.url, heads);
  }
  const commit = await commitIn(remote, object);
  if (commit === undefined) throw failed(`${describeTarget(target)} not found: correct spec.ref.commit`);
  return { commit, object };
}

/**
 * Sees to it that the mirror has the target, as shallow as can be: that which was fetched, should the reference have
 * moved since it was looked up. Throws TransientError `GitOperationFailed`.
 */
export async function obtain(remote: Remote, target: GitTarget, found: ResolvedRef | undefined): Promise<Obtained> {
  if (target.kind === 'commit') return obtainCommit(remote, target);
  if (found === undefined) throw failed(`${describeTarget(target)} not found: correct spec.ref`);
  const known = await commitIn(remote, found.object);
  if (known !== undefined) return { commit: known, object: found.object };
  await fetchInto(remote, [found.ref]);
  const commit = await commitIn(remote, keptRef(found.ref));
  if (commit === undefined) throw failed(`${describeTarget(target)} names no commit: correct spec.ref`);
  const object = (await remote.git.in(remote.mirror.folder).output('rev-parse', '--verify', keptRef(found.ref))).trim();
  return { commit, object };
}
