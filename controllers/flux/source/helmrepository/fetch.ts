import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import type { HelmRepositoryStatus } from '../../../../api/flux/helm-repository.js';
import type { PassContext } from '../../../runtime/controller.js';
import { canonicalJson } from '../../../runtime/pure/canonical-json.js';
import { durationOr } from '../../../runtime/pure/duration.js';
import { TerminalError, TransientError } from '../../../runtime/pure/errors.js';
import { parseYaml } from '../../../runtime/pure/yaml.js';
import { artifactOwner, type Host } from '../host.js';
import { download } from '../http.js';
import { helmCredentials } from '../http-credentials.js';
import { canonicalIndex } from '../model/helm-index.js';
import { isRegistry, notSupported } from '../model/not-supported.js';
import type { HelmRepository } from '../model/types.js';
import { helmUrlProblem, indexUrl, printableUrl } from '../model/urls.js';
import type { Fetched } from '../pass.js';

const MAX_INDEX_BYTES = 50 * 1024 * 1024;
const DEFAULT_TIMEOUT_MS = 60_000;

/** The index in a form that is the same whenever it says the same. */
function readIndex(body: Buffer, url: string): string {
  let value: unknown;
  try {
    value = parseYaml(body.toString('utf8'));
  } catch (error: unknown) {
    const why = error instanceof Error ? (error.message.split('\n')[0] ?? '') : '';
    const message = `the index at ${printableUrl(url)} is not valid YAML: ${why}`;
    throw new TransientError(message, { reason: 'IndexationFailed', cause: error });
  }
  const index = canonicalIndex(value);
  if (index !== undefined) return canonicalJson(index);
  const message = `${printableUrl(url)} is no Helm repository index (apiVersion and entries are missing): check spec.url`;
  throw new TransientError(message, { reason: 'IndexationFailed' });
}

async function storeIndex(
  host: Host,
  repository: HelmRepository,
  index: string,
): Promise<Fetched<HelmRepositoryStatus>> {
  const hex = createHash('sha256').update(index).digest('hex');
  const revision = `sha256:${hex}`;
  const current = repository.status?.artifact;
  const message = `stored artifact: revision '${revision}'`;
  if (
    current?.revision === revision &&
    (await host.store.locate({ path: current.path, digest: revision })) !== undefined
  ) {
    return { reason: 'Succeeded', message, fields: {} };
  }
  const write = (path: string): Promise<void> => writeFile(path, index);
  const artifact = await host.store.put(artifactOwner(repository), `index-${hex}.yaml`, revision, write);
  return { reason: 'Succeeded', message, fields: { artifact, url: artifact.url } };
}

/**
 * The index of a Helm repository as an artifact. Errors: TerminalError `URLInvalid` |
 * `FeatureNotSupported`; TransientError `IndexationFailed` | `AuthenticationFailed`.
 */
export async function fetchHelmRepository(
  host: Host,
  repository: HelmRepository,
  { signal }: PassContext,
): Promise<Fetched<HelmRepositoryStatus>> {
  const { spec } = repository;
  if (isRegistry(repository)) throw notSupported('an OCI registry (spec.type oci)', 'use an http(s) repository');
  const problem = helmUrlProblem(spec.url);
  if (problem !== undefined) throw new TerminalError('URLInvalid', problem);
  const url = indexUrl(spec.url);
  const body = await download({
    url,
    credentials: await helmCredentials(host, repository, signal),
    maxBytes: MAX_INDEX_BYTES,
    timeoutMs: durationOr(spec.timeout, DEFAULT_TIMEOUT_MS),
    signal,
    reason: 'IndexationFailed',
  });
  return storeIndex(host, repository, readIndex(body, url));
}
