import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { GitRepositoryStatus } from '#api/flux/git-repository.js';
import type { PassContext } from '#controllers/runtime/controller.js';
import { TerminalError } from '#controllers/runtime/pure/errors.js';
import { artifactOwner, type Deps } from '../deps.js';
import { commitOf, gitRevision, gitTarget, targetProblem, type GitTarget } from '../model/git-reference.js';
import { notSupported } from '../model/not-supported.js';
import { fetchTimeoutMs } from '../model/timeout.js';
import type { GitRepository } from '../model/types.js';
import { gitUrlProblem } from '../model/urls.js';
import type { Fetched } from '../pass.js';
import { fetchTarget, lookUp } from './checkout.js';
import { gitAccess } from './credentials.js';
import { createGit, type Git } from './git.js';
import { packAside } from '../pack-aside.js';

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

async function fetchWith(
  deps: Deps,
  repository: GitRepository,
  git: Git,
  folder: string,
): Promise<Fetched<GitRepositoryStatus>> {
  const { url, ignore } = repository.spec;
  const target = validTarget(repository);
  const found = target.kind === 'commit' ? undefined : await lookUp(git, url, target);
  const expected = gitRevision(target, found?.ref, target.kind === 'commit' ? target.commit : (found?.commit ?? ''));
  if (await isCurrent(deps, repository, expected)) return fetched(expected, {});
  const revision = await fetchTarget(git, url, target, found);
  const commit = commitOf(revision);
  const write = (file: string): Promise<void> =>
    packAside(deps.offload, { revision, folder, specIgnore: ignore, file }, repository.metadata.namespace ?? '');
  const artifact = await deps.store.put(artifactOwner(repository), `${commit}.tar.gz`, revision, write);
  return fetched(revision, { artifact, observedIgnore: ignore });
}

/**
 * A commit of a Git repository as an artifact; an unchanged one costs one `git ls-remote`. Errors: TerminalError
 * `URLInvalid` | `InvalidReference` | `FeatureNotSupported`; TransientError `GitOperationFailed`; WaitingError
 * `AuthenticationFailed`.
 */
export async function fetchGitRepository(
  deps: Deps,
  repository: GitRepository,
  { signal }: PassContext,
): Promise<Fetched<GitRepositoryStatus>> {
  validTarget(repository);
  const scratch = await deps.store.scratch('git');
  try {
    const folder = path.join(scratch.path, 'tree');
    await mkdir(folder);
    const access = await gitAccess(deps, repository, { folder: scratch.path, signal });
    const timeoutMs = fetchTimeoutMs(repository.spec.timeout);
    const git = createGit(deps, { access, url: repository.spec.url, folder, home: scratch.path, timeoutMs, signal });
    return await fetchWith(deps, repository, git, folder);
  } finally {
    await scratch.dispose();
  }
}
