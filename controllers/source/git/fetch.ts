import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { GitRepositoryStatus } from '#api/flux/git-repository.js';
import { TerminalError } from '#lib/errors.js';
import { defined } from '#lib/plain.js';
import type { PassContext } from '#runtime/controller.js';
import { artifactOwner, type Deps } from '../deps.js';
import { folderParts } from '../model/paths.js';
import { gitRevision, gitTarget, targetProblem, type GitTarget } from './model/reference.js';
import { notSupported, fetchTimeoutMs, nextFetchMs, type GitRepository } from '../model/source.js';
import { isRoutine, knownVerification, type Report } from '../model/status.js';
import { gitUrl, gitUrlProblem } from '../model/urls.js';
import { packAside } from '../pack-aside.js';
import type { Fetched } from '../pass.js';
import { proxiesOf } from '../secrets.js';
import { gitAccess } from './credentials.js';
import { createGit, type Git, mirrorKey } from './git.js';
import { addIncludes, includedBy, type Included } from './include.js';
import { LONGEST_SHARED_MS, type Mirror, type MirrorUse } from './mirrors.js';
import { lookUp, obtain, type Remote } from './remote.js';
import { Server, type ServerOptions } from './server.js';
import { addSubmodules } from './submodules.js';
import { checkOut, moveFolders } from './tree.js';
import { type Claim, verificationMode, verifySignatures } from './verify.js';

function unsupportedField({ spec }: GitRepository): string | undefined {
  const asked: Readonly<Record<string, boolean>> = {
    'spec.proxySecretRef with an ssh URL': spec.proxySecretRef !== undefined && spec.url.startsWith('ssh:'),
    'spec.serviceAccountName': spec.serviceAccountName !== undefined,
    [`spec.provider ${spec.provider}`]: !['generic', 'github', undefined].includes(spec.provider),
    'spec.provider github with an ssh URL': spec.provider === 'github' && spec.url.startsWith('ssh:'),
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

type ObservedFields = Pick<
  GitRepositoryStatus,
  'observedIgnore' | 'observedInclude' | 'observedRecurseSubmodules' | 'observedSparseCheckout' | 'includedArtifacts'
>;

/** What decides the content besides the commit; as in Flux, what is not used is absent. */
function observedFields({ spec }: GitRepository, included: readonly Included[]): ObservedFields {
  const { ignore, include = [], recurseSubmodules, sparseCheckout = [] } = spec;
  return defined({
    observedIgnore: ignore,
    observedRecurseSubmodules: recurseSubmodules === true ? true : undefined,
    observedSparseCheckout: sparseCheckout.length > 0 ? sparseCheckout : undefined,
    observedInclude: include.length > 0 ? include : undefined,
    includedArtifacts: included.length > 0 ? included.map(({ artifact }) => artifact) : undefined,
  });
}

/** What decides about the files besides the revision, for as long as it is the same. */
function selectionOf({ spec }: GitRepository, included: readonly Included[]): unknown {
  const { url, recurseSubmodules, sparseCheckout } = spec;
  return {
    url,
    recurseSubmodules,
    sparseCheckout,
    included: included.map(({ include, artifact }) => [include, artifact.digest]),
  };
}

const UNOBSERVED: Readonly<Record<keyof ObservedFields, undefined>> = {
  observedIgnore: undefined,
  observedInclude: undefined,
  observedRecurseSubmodules: undefined,
  observedSparseCheckout: undefined,
  includedArtifacts: undefined,
};

function isObserved(status: GitRepositoryStatus, wanted: ObservedFields): boolean {
  const observed = Object.fromEntries(Object.entries(status).filter(([field]) => Object.hasOwn(UNOBSERVED, field)));
  return isDeepStrictEqual(observed, { ...wanted });
}

/** What the stored artifact was verified with; undefined unless that is what the spec asks for. */
function knownReport(repository: GitRepository, mode: string): Report | undefined {
  return repository.status?.sourceVerificationMode === mode ? knownVerification(repository) : undefined;
}

/** True when the stored artifact is what a new checkout of `revision` would give. */
async function isCurrent({ deps, repository, included }: Pass, revision: string): Promise<boolean> {
  const { status } = repository;
  if (status?.artifact?.revision !== revision) return false;
  if (!isObserved(status, observedFields(repository, included))) return false;
  const mode = verificationMode(repository);
  if (mode !== undefined && knownReport(repository, mode) === undefined) return false;
  return (await deps.store.locate(status.artifact)) !== undefined;
}

function fetched(
  revision: string,
  fields: Fetched<GitRepositoryStatus>['fields'],
  verified: Report | undefined,
): Fetched<GitRepositoryStatus> {
  return { reason: 'Succeeded', message: `stored artifact for revision '${revision}'`, fields, verified };
}

function unchanged(repository: GitRepository, revision: string): Fetched<GitRepositoryStatus> {
  const mode = verificationMode(repository);
  const verified = mode === undefined ? undefined : knownReport(repository, mode);
  return fetched(revision, { sourceVerificationMode: mode }, verified);
}

/** How long the sources of one URL may share a listing: a small part of the interval at which each would ask. */
const SHARED_PART = 0.1;
/** A part of the timeout: what is left is enough to do it alone. */
const PATIENCE_PART = 0.25;
const LONGEST_PATIENCE_MS = 60_000;

/** Since when what the server said is good enough for this pass. */
function notBefore(repository: GitRepository, startedAt: number): number {
  if (!isRoutine(repository)) return startedAt;
  return startedAt - Math.min(LONGEST_SHARED_MS, (nextFetchMs(repository.spec.interval, 0) ?? 0) * SHARED_PART);
}

interface Pass {
  readonly deps: Deps;
  readonly repository: GitRepository;
  readonly target: GitTarget;
  readonly options: ServerOptions;
  readonly git: Git;
  readonly included: readonly Included[];
}

/** What is to be stored, once the mirror has it; only its revision when it is stored already. */
interface Brought {
  readonly revision: string;
  readonly claim?: Omit<Claim, 'git'>;
}

async function bring(pass: Pass, remote: Remote): Promise<Brought> {
  const { target } = pass;
  const found = await lookUp(remote, target);
  if (found !== undefined) {
    const revision = gitRevision(target, found.ref, found.commit);
    if (await isCurrent(pass, revision)) return { revision };
  }
  const obtained = await obtain(remote, target, found);
  return { revision: gitRevision(target, found?.ref, obtained.commit), claim: { ref: found?.ref ?? '', obtained } };
}

/** The folders of a sparse checkout, in parts; none: everything. */
function sparseFolders({ spec: { sparseCheckout = [] } }: GitRepository): string[][] {
  const folders = sparseCheckout.map((text) => {
    const parts = folderParts(text);
    if (parts !== undefined) return parts;
    throw new TerminalError('IllegalPath', `spec.sparseCheckout ${JSON.stringify(text)} leads out of the repository`);
  });
  return folders.some((parts) => parts.length === 0) ? [] : folders;
}

/** The folder with all that is to be packed. */
async function assemble(pass: Pass, use: MirrorUse, mirror: Mirror, commit: string): Promise<string> {
  const { deps, repository, options, git, included } = pass;
  const [whole, part] = ['whole', 'part'].map((name) => path.join(options.home, name)) as [string, string]; // two names
  await Promise.all([whole, part].map((folder) => mkdir(folder)));
  const place = { repository: mirror.folder, commit, workTree: whole, index: path.join(options.home, 'index') };
  const entries = await checkOut(git, place);
  if (repository.spec.recurseSubmodules === true) {
    await addSubmodules({ deps, use, tenant: repository.metadata.namespace ?? '' }, { options, place, entries });
  }
  const folders = sparseFolders(repository);
  if (folders.length > 0) await moveFolders(whole, part, folders);
  const folder = folders.length > 0 ? part : whole;
  await addIncludes(deps, included, folder, options.home);
  return folder;
}

async function store(
  pass: Pass,
  use: MirrorUse,
  mirror: Mirror,
  { revision, claim }: Brought,
): Promise<Fetched<GitRepositoryStatus>> {
  const { deps, repository, git, options, included } = pass;
  if (claim === undefined) return unchanged(repository, revision);
  const verified = await verifySignatures(deps, repository, { ...claim, git: git.in(mirror.folder) }, options.signal);
  const { commit } = claim.obtained;
  const selection = selectionOf(repository, included);
  const folder = await assemble(pass, use, mirror, commit);
  const packing = { revision, selection, specIgnore: repository.spec.ignore, folder };
  const artifact = await deps.store.put(artifactOwner(repository), `${commit}.tar.gz`, revision, (file) =>
    packAside(deps.offload, { ...packing, file }, repository.metadata.namespace ?? ''),
  );
  const observed = { ...UNOBSERVED, ...observedFields(repository, included) };
  return fetched(revision, { artifact, ...observed, sourceVerificationMode: verificationMode(repository) }, verified);
}

async function fetchWith(pass: Pass): Promise<Fetched<GitRepositoryStatus>> {
  const { deps, repository, target, git, options } = pass;
  if (target.kind === 'commit') {
    const revision = gitRevision(target, undefined, target.commit);
    if (await isCurrent(pass, revision)) return unchanged(repository, revision);
  }
  const patienceMs = Math.min(LONGEST_PATIENCE_MS, options.timeoutMs * PATIENCE_PART);
  const use: MirrorUse = (key, work) => deps.mirrors.use(key, patienceMs, work);
  const tenant = repository.metadata.namespace ?? '';
  const fresh = notBefore(repository, options.startedAt);
  const server = new Server(deps, options);
  return use(mirrorKey(options), {
    talk: (mirror) => bring(pass, { git, server, mirror, notBefore: fresh, offload: deps.offload, tenant }),
    read: (mirror, brought) => store(pass, use, mirror, brought),
  });
}

/**
 * A commit of a Git repository as an artifact; an unchanged one costs one `git ls-remote`, or none when another source
 * with the same URL and credentials has just asked. Errors: TerminalError `URLInvalid` | `InvalidReference` |
 * `InvalidProviderConfiguration` | `FeatureNotSupported`; TransientError `GitOperationFailed` | `RepositoryTooLarge`;
 * WaitingError `AuthenticationFailed`; those of a signature.
 */
export async function fetchGitRepository(
  deps: Deps,
  repository: GitRepository,
  { signal }: PassContext,
): Promise<Fetched<GitRepositoryStatus>> {
  const target = validTarget(repository);
  const included = includedBy(deps, repository);
  const scratch = await deps.store.scratch('git');
  try {
    const url = gitUrl(repository.spec.url);
    const proxies = (await proxiesOf(deps, repository, signal)) ?? deps.proxies;
    const options = {
      url,
      namedHost: new URL(url).hostname,
      proxies,
      access: await gitAccess(deps, repository, { folder: scratch.path, proxies, signal }),
      home: scratch.path,
      timeoutMs: fetchTimeoutMs(repository.spec.timeout),
      startedAt: performance.now(),
      signal,
    };
    return await fetchWith({ deps, repository, target, included, options, git: createGit(deps, options) });
  } finally {
    await scratch.dispose();
  }
}
