import { copyFile } from 'node:fs/promises';
import type { HelmRepositoryStatus } from '#api/flux/helm-repository.js';
import type { PassContext } from '#runtime/controller.js';
import { TerminalError } from '#lib/errors.js';
import { artifactOwner, type Deps, type IndexVersion } from '../deps.js';
import { downloadIfNew } from '../http.js';
import { helmCredentials } from '../secrets.js';
import { requireRegistry } from '../oci/access.js';
import { isRoutine } from '../model/status.js';
import { fetchTimeoutMs, type HelmRepository } from '../model/source.js';
import { helmUrlProblem, indexUrl, isRegistry, namedHost } from '../model/urls.js';
import type { Fetched } from '../pass.js';
import { keepIndex, MAX_INDEX_BYTES, sha256 } from './index-file.js';

async function isStored(deps: Deps, { status }: HelmRepository, hex: string): Promise<boolean> {
  const revision = `sha256:${hex}`;
  const current = status?.artifact;
  if (current?.revision !== revision) return false;
  return (await deps.store.locate({ path: current.path, digest: revision })) !== undefined;
}

/** Only bytes that were not read before are parsed, and what they say is stored only when it is something new. */
async function storeIndex(
  deps: Deps,
  repository: HelmRepository,
  body: Buffer,
  url: string,
): Promise<{ readonly hex: string; readonly fields: Fetched<HelmRepositoryStatus>['fields'] }> {
  const raw = await sha256(body);
  const known = deps.indexDigests.get(raw);
  if (known !== undefined && (await isStored(deps, repository, known))) return { hex: known, fields: {} };
  const { path, dispose } = await deps.store.scratch('index');
  try {
    const asked = { url, body, digest: raw, folder: path, reason: 'IndexationFailed' };
    const { hex, file } = await keepIndex(deps, repository, asked);
    deps.indexDigests.set(raw, hex);
    if (await isStored(deps, repository, hex)) return { hex, fields: {} };
    const write = (target: string): Promise<void> => copyFile(file, target);
    const artifact = await deps.store.put(artifactOwner(repository), `index-${hex}.yaml`, `sha256:${hex}`, write);
    return { hex, fields: { artifact, url: artifact.url } };
  } finally {
    await dispose();
  }
}

/** What is stored stays. */
function unchanged(hex: string): Fetched<HelmRepositoryStatus> {
  return { reason: 'Succeeded', message: `stored artifact: revision 'sha256:${hex}'`, fields: {} };
}

/** A registry has no index: its charts are pulled by name. */
function registryOf(repository: HelmRepository): Fetched<HelmRepositoryStatus> {
  requireRegistry(repository);
  const message = 'a registry has no index: HelmCharts pull from it';
  return { reason: 'Succeeded', message, fields: { artifact: undefined, url: undefined } };
}

/** What the server may call unchanged: the index that is stored, in a pass that nobody asked for. */
async function lastVersion(deps: Deps, repository: HelmRepository, key: string): Promise<IndexVersion | undefined> {
  const known = isRoutine(repository) ? deps.indexVersions.get(key) : undefined;
  return known !== undefined && (await isStored(deps, repository, known.hex)) ? known : undefined;
}

/**
 * The index of a Helm repository as an artifact; a registry has none. Errors: TerminalError `URLInvalid` |
 * `FeatureNotSupported`; TransientError `IndexationFailed` | `AuthenticationFailed`.
 */
export async function fetchHelmRepository(
  deps: Deps,
  repository: HelmRepository,
  { signal }: PassContext,
): Promise<Fetched<HelmRepositoryStatus>> {
  const { spec } = repository;
  if (isRegistry(repository)) return registryOf(repository);
  const problem = helmUrlProblem(spec.url);
  if (problem !== undefined) throw new TerminalError('URLInvalid', problem);
  const url = indexUrl(spec.url);
  // Of this repository only: what it may read by its credentials is nothing for others.
  const key = `${repository.metadata.uid ?? ''} ${url}`;
  const last = await lastVersion(deps, repository, key);
  const found = await downloadIfNew({
    url,
    credentials: await helmCredentials(deps, repository, signal),
    unless: last?.etag,
    proxies: deps.proxies,
    namedHost: namedHost(repository, new URL(url).hostname),
    maxBytes: MAX_INDEX_BYTES,
    timeoutMs: fetchTimeoutMs(spec.timeout),
    signal,
    reason: 'IndexationFailed',
  });
  if (found === undefined) return unchanged(last?.hex ?? '');
  const { body, etag } = found;
  const { hex, fields } = await storeIndex(deps, repository, body, url);
  if (etag !== undefined) deps.indexVersions.set(key, { etag, hex });
  return { ...unchanged(hex), fields };
}
