import { webcrypto } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { getCondition } from '#lib/kube/conditions.js';
import { TransientError } from '#lib/errors.js';
import type { Deps } from '../deps.js';
import { download } from '../http.js';
import { helmCredentials } from '../secrets.js';
import { fetchTimeoutMs, type HelmRepository } from '../model/source.js';
import { indexUrl, namedHost, printableUrl } from '../model/urls.js';
import { keepIndexAside } from './index-tasks.js';

export const MAX_INDEX_BYTES = 50 * 1024 * 1024;

/** An index as it was fetched. */
interface RawIndex {
  readonly url: string;
  readonly body: Buffer;
  /** sha256 of the body, in hex. */
  readonly digest: string;
  /** Where to write what is kept of it. */
  readonly folder: string;
  /** Of errors. */
  readonly reason: string;
}

/** In hex; not on the event loop, for it takes a while for the largest index. */
export async function sha256(data: Buffer): Promise<string> {
  return Buffer.from(await webcrypto.subtle.digest('SHA-256', data)).toString('hex');
}

/** Writes what is kept of an index to a file. Throws TransientError: another request may bring an index. */
export async function keepIndex(
  { offload }: Pick<Deps, 'offload'>,
  { metadata }: HelmRepository,
  { url, body, digest, folder, reason }: RawIndex,
): Promise<{ readonly hex: string; readonly file: string }> {
  const files = { digest, from: path.join(folder, 'index.yaml'), to: path.join(folder, 'index.json') };
  await writeFile(files.from, body);
  const answer = await keepIndexAside(offload, files, metadata.namespace ?? '');
  await rm(files.from);
  if ('hex' in answer) return { hex: answer.hex, file: files.to };
  throw new TransientError(`the index at ${printableUrl(url)} ${answer.problem}`, { reason });
}

/** Where an index goes that is not stored. */
interface IndexTarget {
  readonly folder: string;
  readonly signal: AbortSignal;
  /** Throws when so many bytes are too many. */
  readonly spend: (bytes: number) => void;
}

/** The stored index, if it is of the spec as it is now: the one before may have had another URL. */
async function storedIndex({ store }: Deps, { metadata, status }: HelmRepository): Promise<string | undefined> {
  const condition = getCondition(status?.conditions, 'ArtifactInStorage');
  const isCurrent = condition?.status === 'True' && condition.observedGeneration === metadata.generation;
  return isCurrent && status?.artifact ? store.locate(status.artifact) : undefined;
}

/**
 * The file with the index of a repository that a chart depends on: the one that is stored, or it is downloaded into
 * `folder`. Errors: TransientError `DependencyBuildError` | `AuthenticationFailed`; WaitingError
 * `AuthenticationFailed`; those of `spend`.
 */
export async function indexFile(
  deps: Deps,
  repository: HelmRepository,
  { folder, signal, spend }: IndexTarget,
): Promise<string> {
  const { spec } = repository;
  const stored = await storedIndex(deps, repository);
  if (stored !== undefined) return stored;
  const [url, reason] = [indexUrl(spec.url), 'DependencyBuildError'];
  const credentials = await helmCredentials(deps, repository, signal);
  const host = namedHost(repository, new URL(url).hostname);
  const limits = { maxBytes: MAX_INDEX_BYTES, timeoutMs: fetchTimeoutMs(spec.timeout), signal };
  const body = await download({ url, credentials, proxies: deps.proxies, ...limits, namedHost: host, reason });
  spend(body.length);
  await mkdir(folder, { recursive: true });
  const { file } = await keepIndex(deps, repository, { url, body, digest: await sha256(body), folder, reason });
  return file;
}
