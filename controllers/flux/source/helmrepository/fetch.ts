import { createHash } from 'node:crypto';
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { HelmRepositoryStatus } from '#api/flux/helm-repository.js';
import type { PassContext } from '#controllers/runtime/controller.js';
import { TerminalError, TransientError } from '#controllers/runtime/pure/errors.js';
import { artifactOwner, type Deps } from '../deps.js';
import { download } from '../http.js';
import { helmCredentials } from '../http-credentials.js';
import { requireRegistry } from '../oci/require-registry.js';
import { fetchTimeoutMs } from '../model/timeout.js';
import type { HelmRepository } from '../model/types.js';
import { helmUrlProblem, indexUrl, isRegistry, printableUrl } from '../model/urls.js';
import type { Fetched } from '../pass.js';
import { keepIndexAside } from './index-tasks.js';

const MAX_INDEX_BYTES = 50 * 1024 * 1024;

function sha256(data: Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}

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
): Promise<Fetched<HelmRepositoryStatus>> {
  const raw = sha256(body);
  const known = deps.indexDigests.get(raw);
  if (known !== undefined && (await isStored(deps, repository, known))) return unchanged(known);
  const { path, dispose } = await deps.store.scratch('index');
  try {
    const files = { digest: raw, from: join(path, 'index.yaml'), to: join(path, 'index.json') };
    await writeFile(files.from, body);
    const answer = await keepIndexAside(deps.offload, files, repository.metadata.namespace ?? '');
    if ('problem' in answer) {
      const message = `the index at ${printableUrl(url)} ${answer.problem}`;
      throw new TransientError(message, { reason: 'IndexationFailed' });
    }
    const { hex } = answer;
    deps.indexDigests.set(raw, hex);
    if (await isStored(deps, repository, hex)) return unchanged(hex);
    const write = (target: string): Promise<void> => copyFile(files.to, target);
    const artifact = await deps.store.put(artifactOwner(repository), `index-${hex}.yaml`, `sha256:${hex}`, write);
    return { ...unchanged(hex), fields: { artifact, url: artifact.url } };
  } finally {
    await dispose();
  }
}

function unchanged(hex: string): Fetched<HelmRepositoryStatus> {
  return { reason: 'Succeeded', message: `stored artifact: revision 'sha256:${hex}'`, fields: {} };
}

/** A registry has no index: its charts are pulled by name. */
function registryOf(repository: HelmRepository): Fetched<HelmRepositoryStatus> {
  requireRegistry(repository);
  const message = 'a registry has no index: HelmCharts pull from it';
  return { reason: 'Succeeded', message, fields: { artifact: undefined, url: undefined } };
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
  const body = await download({
    url,
    credentials: await helmCredentials(deps, repository, signal),
    proxies: deps.proxies,
    maxBytes: MAX_INDEX_BYTES,
    timeoutMs: fetchTimeoutMs(spec.timeout),
    signal,
    reason: 'IndexationFailed',
  });
  return storeIndex(deps, repository, body, url);
}
