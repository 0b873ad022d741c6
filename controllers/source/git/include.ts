import { lstat, rename } from 'node:fs/promises';
import path from 'node:path';
import type { Artifact } from '#api/flux/common.js';
import type { GitRepositorySpec } from '#api/flux/git-repository.js';
import { unpack, DEFAULT_LIMITS } from '#engine/artifact/archive.js';
import { TerminalError, TransientError, WaitingError } from '#lib/errors.js';
import type { GitRepository } from '../model/source.js';
import type { Deps } from '../deps.js';
import { folderParts } from '../model/paths.js';
import { realFolder } from './real-folder.js';

function namesOf(repository: GitRepository | undefined): string[] {
  return (repository?.spec.include ?? []).map((include) => include.repository.name);
}

function wayBack(start: string, previous: ReadonlyMap<string, string>): string[] {
  const way = [start];
  for (let name = previous.get(start); name !== undefined && name !== start; name = previous.get(name)) way.push(name);
  return [...way, start].reverse();
}

/**
 * The shortest way from a repository over its includes back to itself, by names, both ends included; undefined when there is
 * none. A cycle that it only leads to is that of others.
 */
export function includeCycle(
  repository: GitRepository,
  find: (name: string) => GitRepository | undefined,
): string[] | undefined {
  const start = repository.metadata.name;
  /** By the name of what is included: what includes it. */
  const previous = new Map(namesOf(repository).map((name) => [name, start]));
  // The loop visits names that are added meanwhile, too.
  for (const name of previous.keys()) {
    if (name === start) return wayBack(start, previous);
    for (const next of namesOf(find(name))) if (!previous.has(next)) previous.set(next, name);
  }
  return undefined;
}

type Include = NonNullable<GitRepositorySpec['include']>[number];

/** What is included, and the artifact that it has at the moment. */
export interface Included {
  readonly include: Include;
  readonly artifact: Artifact;
}

/** Each is unpacked by itself. */
const MAX_INCLUDES = 100;

function parts(field: string, text: string): string[] {
  const found = folderParts(text);
  if (found !== undefined) return found;
  throw new TerminalError('IllegalPath', `spec.include: ${field} ${JSON.stringify(text)} leads out of the artifact`);
}

function partsOf({ repository, fromPath = '', toPath = '' }: Include): { from: string[]; to: string[] } {
  const to = parts('toPath', toPath);
  return { from: parts('fromPath', fromPath), to: to.length === 0 ? [repository.name] : to };
}

/**
 * The artifacts that a repository includes, in its own namespace. Errors: WaitingError `NotFound` | `NoArtifact`, or
 * `IncludeUnavailable` for one that includes itself, which would grow with each pass; TerminalError `IllegalPath`, and
 * `IncludeUnavailable` for too many.
 */
export function includedBy(deps: Deps, repository: GitRepository): Included[] {
  const { namespace } = repository.metadata;
  const { include: includes = [] } = repository.spec;
  if (includes.length > MAX_INCLUDES) {
    const message = `spec.include has ${includes.length} entries; at most ${MAX_INCLUDES} are allowed`;
    throw new TerminalError('IncludeUnavailable', message);
  }
  const find = (name: string): GitRepository | undefined => deps.repositories.git.get({ name, namespace });
  const wait = (reason: string, message: string): WaitingError =>
    new WaitingError(reason, message, { retryAfterMs: deps.dependencyRequeueMs });
  const cycle = includeCycle(repository, find);
  if (cycle !== undefined) throw wait('IncludeUnavailable', `spec.include leads back to itself: ${cycle.join(' -> ')}`);
  return includes.map((include) => {
    partsOf(include);
    const { name } = include.repository;
    const found = find(name);
    if (found === undefined) throw wait('NotFound', `could not get resource for include '${name}': create it`);
    const artifact = found.status?.artifact;
    if (artifact === undefined) throw wait('NoArtifact', `no artifact available for include '${name}'`);
    return { include, artifact };
  });
}

async function copy(deps: Deps, { include, artifact }: Included, folder: string, scratch: string): Promise<number> {
  const { name } = include.repository;
  const failed = (problem: string): TransientError =>
    new TransientError(`failed to copy '${name}' include: ${problem}`, { reason: 'CopyFailure' });
  const file = await deps.store.locate(artifact);
  if (file === undefined) {
    const message = `no artifact available for include '${name}'`;
    throw new WaitingError('NoArtifact', message, { retryAfterMs: deps.dependencyRequeueMs });
  }
  const bytes = await unpack(file, scratch);
  const { from, to } = partsOf(include);
  const source = path.join(scratch, ...from);
  if ((await lstat(source).catch(() => undefined)) === undefined) throw failed(`it has no '${from.join('/')}'`);
  const parent = await realFolder(folder, to.slice(0, -1), { make: true });
  const target = parent === undefined ? undefined : path.join(parent, to.at(-1) ?? name);
  const isFree = target !== undefined && (await lstat(target).catch(() => undefined)) === undefined;
  if (!isFree) throw failed(`'${to.join('/')}' exists in the repository: set another toPath`);
  await rename(source, target);
  return bytes;
}

/** Copies artifacts into a checkout. Errors: TransientError `CopyFailure`, WaitingError `NoArtifact`. */
export async function addIncludes(
  deps: Deps,
  included: readonly Included[],
  folder: string,
  scratch: string,
): Promise<void> {
  let bytes = 0;
  for (const [index, each] of included.entries()) {
    bytes += await copy(deps, each, folder, path.join(scratch, `include-${index}`));
    if (bytes <= DEFAULT_LIMITS.maxBytes) continue;
    const message = `spec.include has more than ${DEFAULT_LIMITS.maxBytes / 1024 / 1024} MiB`;
    throw new TransientError(message, { reason: 'CopyFailure' });
  }
}
