import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { TransientError } from '#lib/errors.js';
import { describeTarget, newestCommit, refPatterns, type GitTarget, type ResolvedRef } from './model/reference.js';
import type { Git } from './git.js';
import { gitFailed, GitError } from './git-error.js';
import { keepListing, type Mirror } from './mirrors.js';
import type { Server } from './server.js';
import { offerAside, resolveAside, type Aside } from './tasks.js';

/** Deeper than any history: what `git fetch --unshallow` asks for, which fails when nothing is missing. */
const WHOLE_HISTORY = '--depth=2147483647';
/** Files are what was committed, as in Flux: an encoding, or a line ending, could make them many times as large. */
const ATTRIBUTES = '* -text -eol -ident -filter -working-tree-encoding\n';

/** One repository on its server, as one pass uses it. */
export interface Remote extends Aside {
  /** For what needs no server. */
  readonly git: Git;
  readonly server: Server;
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

type CommitTarget = Extract<GitTarget, { kind: 'commit' }>;

function notFound(target: CommitTarget): TransientError {
  return gitFailed(`${describeTarget(target)} not found: correct spec.ref.commit`);
}

/**
 * The references that a target may mean. A listing that succeeded also says that the credentials are good: nothing
 * leaves a mirror without. What it means is kept, not the listing, which may be long.
 */
async function candidatesOf(remote: Remote, target: GitTarget): Promise<readonly ResolvedRef[]> {
  const { server, mirror, notBefore } = remote;
  // Every commit is asked for in the same way.
  const key = JSON.stringify(target.kind === 'commit' ? target.kind : target);
  const known = mirror.listings.get(key);
  if (known !== undefined && known.startedAt >= notBefore) return known.candidates;
  const startedAt = performance.now();
  const output = await server.speak((git, url) =>
    git.output('ls-remote', '--quiet', '--', url, ...refPatterns(target)),
  );
  const candidates = target.kind === 'commit' ? [] : await resolveAside(remote, { target, output });
  keepListing(mirror, key, { startedAt, candidates });
  return candidates;
}

async function offer(remote: Remote): Promise<string> {
  return offerAside(
    remote,
    await remote.server.speak((git, url) =>
      git.output('ls-remote', '--quiet', '--heads', '--tags', '--refs', '--', url),
    ),
  );
}

/** Where the mirror keeps a reference, so that the next fetch sends what is new: names of any two never collide. */
function keptRef(source: string): string {
  return `refs/kept/${createHash('sha256').update(source).digest('hex')}`;
}

/** A git that is killed while it writes may leave locks behind: then nobody uses the mirror again. */
async function write({ mirror }: Remote, git: Git, ...args: string[]): Promise<void> {
  try {
    await git.in(mirror.folder).output(...args);
  } catch (error: unknown) {
    mirror.isRetired ||= !(error instanceof GitError);
    throw error;
  }
}

async function initialize(remote: Remote): Promise<void> {
  const { mirror } = remote;
  if (mirror.isInitialized) return;
  await write(remote, remote.git, 'init', '--quiet', '--bare');
  const info = path.join(mirror.folder, 'info');
  await mkdir(info, { recursive: true });
  await writeFile(path.join(info, 'attributes'), ATTRIBUTES);
  mirror.isInitialized = true;
}

async function fetchInto(remote: Remote, sources: readonly string[]): Promise<void> {
  await initialize(remote);
  const refspecs = sources.map((source) => `+${source}:${keptRef(source)}`);
  await remote.server.speak((git, url) =>
    write(remote, git, 'fetch', '--quiet', '--depth=1', '--no-tags', '--', url, ...refspecs),
  );
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
  const candidates = await candidatesOf(remote, target);
  if (target.kind === 'commit') return undefined;
  const found = candidates.length > 1 ? await newestOf(remote, candidates) : candidates[0];
  if (found !== undefined) return found;
  throw gitFailed(`${describeTarget(target)} not found: ${await offer(remote)}; correct spec.ref`);
}

/** False when the server gives no commit by its id. Throws when it has none with this one. */
async function fetchCommit(remote: Remote, target: CommitTarget): Promise<boolean> {
  try {
    await fetchInto(remote, [target.commit]);
    return true;
  } catch (error: unknown) {
    const failure = error instanceof GitError ? error.failure : undefined;
    if (failure === 'CommitUnknown') throw notFound(target);
    if (failure !== 'CommitRefused') throw error;
    return false;
  }
}

/** All that could hold the commit, with its history. */
async function fetchBranches(remote: Remote, { branch }: CommitTarget): Promise<void> {
  // A branch that is gone may have had the name of a folder of others.
  const heads = branch === undefined ? '+refs/heads/*:refs/heads/*' : `+refs/heads/${branch}:${keptRef(branch)}`;
  await remote.server.speak((git, url) =>
    write(remote, git, 'fetch', '--quiet', WHOLE_HISTORY, '--no-tags', '--prune', '--', url, heads),
  );
}

async function obtainCommit(remote: Remote, target: CommitTarget): Promise<Obtained> {
  const object = target.commit;
  const known = await commitIn(remote, object);
  if (known !== undefined) return { commit: known, object };
  if (!(await fetchCommit(remote, target))) await fetchBranches(remote, target);
  const commit = await commitIn(remote, object);
  if (commit === undefined) throw notFound(target);
  return { commit, object };
}

/**
 * Sees to it that the mirror has the target, as shallow as can be: that which was fetched, should the reference have
 * moved since it was looked up. Throws TransientError `GitOperationFailed`.
 */
export async function obtain(remote: Remote, target: GitTarget, found: ResolvedRef | undefined): Promise<Obtained> {
  if (target.kind === 'commit') return obtainCommit(remote, target);
  if (found === undefined) throw gitFailed(`${describeTarget(target)} not found: correct spec.ref`);
  const known = await commitIn(remote, found.object);
  if (known !== undefined) return { commit: known, object: found.object };
  await fetchInto(remote, [found.ref]);
  const commit = await commitIn(remote, keptRef(found.ref));
  if (commit === undefined) throw gitFailed(`${describeTarget(target)} names no commit: correct spec.ref`);
  const object = (await remote.git.in(remote.mirror.folder).output('rev-parse', '--verify', keptRef(found.ref))).trim();
  return { commit, object };
}
