import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { REQUESTED_AT_ANNOTATION } from '#api/flux/annotations.js';
import type { GitRepositoryStatus } from '#api/flux/git-repository.js';
import type { PassContext } from '#controllers/runtime/controller.js';
import { TerminalError } from '#controllers/runtime/pure/errors.js';
import { artifactOwner, type Deps } from '../deps.js';
import { gitRevision, gitTarget, targetProblem, type GitTarget } from '../model/git-reference.js';
import { nextFetchMs } from '../model/interval.js';
import { notSupported } from '../model/not-supported.js';
import { isSettled } from '../model/status.js';
import { fetchTimeoutMs } from '../model/timeout.js';
import type { GitRepository } from '../model/types.js';
import { gitUrlProblem } from '../model/urls.js';
import type { Fetched } from '../pass.js';
import { packAside } from '../pack-aside.js';
import { gitAccess, type GitAccess } from './credentials.js';
import { createGit, type Git } from './git.js';
import type { Mirror } from './mirrors.js';
import { lookUp, obtain, type Remote } from './remote.js';
import { checkOut } from './tree.js';

function unsupportedField({ spec }: GitRepository): string | undefined {
  const { verify, include = [], recurseSubmodules, sparseCheckout = [], proxySecretRef, serviceAccountName } = spec;
  const asked: Readonly<Record<string, boolean>> = {
    'spec.verify': verify !== undefined,
    'spec.include': include.length > 0,
    'spec.recurseSubmodules': recurseSubmodules === true,
    'spec.sparseCheckout': sparseCheckout.length > 0,
    'spec.proxySecretRef': proxySecretRef !== undefined,
    'spec.serviceAccountName': serviceAccountName !== undefined,
    'spec.provider': spec.provider !== undefined && spec.provider !== 'generic',
  };
  return Object.keys(asked).find((field) => asked[field] === true);
}

function validTarget(repository: GitRepository): GitTarget {
  const { url, ref } = repository.spec;
  const urlProblem = gitUrlProblem(url);
  if (urlProblem !== undefined) throw new TerminalError('URLInvalid', urlProblem);
  const field = unsupportedField(repository);
  if (field !== undefined) throw notSupported(field);
  const target = gitTarget(ref);
  const problem = targetProblem(target);
  if (problem !== undefined) throw new TerminalError('InvalidReference', problem);
  return target;
}

/** True when the stored artifact is what a new checkout of `revision` would give. */
async function isCurrent(deps: Deps, { spec, status }: GitRepository, revision: string): Promise<boolean> {
  const artifact = status?.artifact;
  if (artifact?.revision !== revision || status?.observedIgnore !== spec.ignore) return false;
  return (await deps.store.locate(artifact)) !== undefined;
}

function fetched(revision: string, fields: Fetched<GitRepositoryStatus>['fields']): Fetched<GitRepositoryStatus> {
  return { reason: 'Succeeded', message: `stored artifact for revision '${revision}'`, fields };
}

/** How long the sources of one URL may share a listing: a small part of the interval at which each would ask. */
const SHARED_PART = 0.1;
const LONGEST_SHARED_MS = 30_000;
/** A part of the timeout: what is left is enough to do it alone. */
const PATIENCE_PART = 0.25;
const LONGEST_PATIENCE_MS = 60_000;

/** Since when what the server said is good enough for this pass: what was asked for or changed is answered afresh. */
function notBefore({ metadata, spec, status }: GitRepository, startedAt: number): number {
  const requested = metadata.annotations?.[REQUESTED_AT_ANNOTATION];
  const isRoutine = isSettled(status, metadata.generation ?? 0) && requested === status?.lastHandledReconcileAt;
  if (!isRoutine) return startedAt;
  return startedAt - Math.min(LONGEST_SHARED_MS, (nextFetchMs(spec.interval, 0) ?? 0) * SHARED_PART);
}

interface Pass {
  readonly deps: Deps;
  readonly repository: GitRepository;
  readonly target: GitTarget;
  readonly git: Git;
  readonly access: GitAccess;
  readonly timeoutMs: number;
  readonly scratch: string;
}

/** The commit that is to be stored, once the mirror has it; only its revision when it is stored already. */
async function bring(pass: Pass, remote: Remote): Promise<{ revision: string; commit?: string }> {
  const { deps, repository, target } = pass;
  const found = await lookUp(remote, target);
  if (found !== undefined) {
    const revision = gitRevision(target, found.ref, found.commit);
    if (await isCurrent(deps, repository, revision)) return { revision };
  }
  const { commit } = await obtain(remote, target, found);
  return { revision: gitRevision(target, found?.ref, commit), commit };
}

async function store(
  pass: Pass,
  mirror: Mirror,
  revision: string,
  commit: string,
): Promise<Fetched<GitRepositoryStatus>> {
  const { deps, repository, git, scratch } = pass;
  const { ignore } = repository.spec;
  const folder = path.join(scratch, 'tree');
  await mkdir(folder);
  const files = { workTree: folder, index: path.join(scratch, 'index') };
  await checkOut(git, { repository: mirror.folder, commit }, files);
  const write = (file: string): Promise<void> =>
    packAside(deps.offload, { revision, folder, specIgnore: ignore, file }, repository.metadata.namespace ?? '');
  const artifact = await deps.store.put(artifactOwner(repository), `${commit}.tar.gz`, revision, write);
  return fetched(revision, { artifact, observedIgnore: ignore });
}

async function fetchWith(pass: Pass): Promise<Fetched<GitRepositoryStatus>> {
  const { deps, repository, target, git, access, timeoutMs } = pass;
  if (target.kind === 'commit') {
    const revision = gitRevision(target, undefined, target.commit);
    if (await isCurrent(deps, repository, revision)) return fetched(revision, {});
  }
  const fresh = notBefore(repository, performance.now());
  return deps.mirrors.use(access.identity, Math.min(LONGEST_PATIENCE_MS, timeoutMs * PATIENCE_PART), {
    talk: (mirror) => bring(pass, { git, url: repository.spec.url, mirror, notBefore: fresh }),
    read: async (mirror, { revision, commit }) =>
      commit === undefined ? fetched(revision, {}) : store(pass, mirror, revision, commit),
  });
}

/**
 * A commit of a Git repository as an artifact; an unchanged one costs one `git ls-remote`, or none when another source
 * with the same URL and credentials has just asked. Errors: TerminalError `URLInvalid` | `InvalidReference` |
 * `FeatureNotSupported`; TransientError `GitOperationFailed` | `RepositoryTooLarge`; WaitingError
 * `AuthenticationFailed`.
 */
export async function fetchGitRepository(
  deps: Deps,
  repository: GitRepository,
  { signal }: PassContext,
): Promise<Fetched<GitRepositoryStatus>> {
  const target = validTarget(repository);
  const scratch = await deps.store.scratch('git');
  try {
    const access = await gitAccess(deps, repository, { folder: scratch.path, signal });
    const timeoutMs = fetchTimeoutMs(repository.spec.timeout);
    const git = createGit(deps, { access, url: repository.spec.url, home: scratch.path, timeoutMs, signal });
    return await fetchWith({ deps, repository, target, git, access, timeoutMs, scratch: scratch.path });
  } finally {
    await scratch.dispose();
  }
}
