import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { TerminalError, TransientError } from '#lib/errors.js';
import { keyOf } from '#lib/kube/keys.js';
import type { RegistryRepository } from '#lib/net/registry-name.js';
import type { Deps } from '../deps.js';
import { download } from '../http.js';
import { helmCredentials } from '../secrets.js';
import { findChartTask } from '../helmrepository/index-tasks.js';
import { isExpectedDigest, chartTag, type ChartEntry, type WantedChart } from '../model/choose-version.js';
import { fetchTimeoutMs, type HelmRepository } from '../model/source.js';
import { chartUrl, namedHost, printableUrl, sharesCredentials } from '../model/urls.js';
import type { Signed } from '../cosign/verify.js';
import { CHART_LAYER, chooseLayer, type Layer } from '../oci/model/manifest.js';
import { digestOf, ociRevision, chartsPlace } from '../oci/model/reference.js';
import { openRegistry, requireRegistry } from '../oci/access.js';
import type { Registry } from '../oci/registry.js';
import { latestTagTask, parseManifestTask } from '../oci/tasks.js';

/** A packaged chart, wherever it is from. */
export const MAX_CHART_BYTES = 10 * 1024 * 1024;

/**
 * Tells readers of archives apart: what a repository may read by its credentials is nothing for others, and what a
 * namespace reads without an object is nothing for other namespaces.
 */
function readerOf({ metadata }: HelmRepository): string {
  return `${metadata.namespace ?? ''} ${metadata.uid ?? ''}`;
}

/**
 * The entry of a chart in the index of a repository, at `file`. Throws TerminalError `InvalidChartReference`: a new index
 * may have it; TransientError `ChartPullError`.
 */
export async function requireEntry(
  deps: Deps,
  { metadata, spec }: HelmRepository,
  wanted: WantedChart,
  file: string,
): Promise<ChartEntry> {
  const found = await findChartTask.ask(deps.offload, { ...wanted, file }, metadata.namespace ?? '');
  if ('entry' in found) return found.entry;
  const source = metadata.uid === undefined ? printableUrl(spec.url) : `HelmRepository '${keyOf(metadata)}'`;
  throw new TerminalError('InvalidChartReference', `invalid chart reference in ${source}: ${found.problem}`);
}

type Wanted = ChartEntry & { readonly chart: string };

function urlOf({ spec }: HelmRepository, { chart, version, urls }: Wanted): string {
  const url = chartUrl(spec.url, urls[0] ?? '');
  if (urls[0] !== undefined && url !== undefined) return url;
  const message = `the index gives no http(s) URL for chart '${chart}' version '${version}'`;
  throw new TerminalError('InvalidChartReference', message);
}

/** The login goes to the repository's host only, unless `passCredentials`; certificates are for all of its URLs. */
async function fetchArchive(
  deps: Deps,
  repository: HelmRepository,
  url: string,
  signal: AbortSignal,
): Promise<{ body: Buffer; hex: string }> {
  const { spec } = repository;
  const { tls, authorization } = await helmCredentials(deps, repository, signal);
  const isShown = spec.passCredentials === true || sharesCredentials(spec.url, url);
  const body = await download({
    url,
    credentials: { ...(tls ? { tls } : {}), ...(authorization && isShown ? { authorization } : {}) },
    proxies: deps.proxies,
    maxBytes: MAX_CHART_BYTES,
    timeoutMs: fetchTimeoutMs(spec.timeout),
    signal,
    namedHost: namedHost(repository, new URL(spec.url).hostname),
    statedHost: new URL(spec.url).hostname,
    reason: 'ChartPullError',
  });
  return { body, hex: createHash('sha256').update(body).digest('hex') };
}

/**
 * The archive of a chart, checked against the digest of the index, by which one that was pulled already is known.
 * Errors: TransientError `ChartPullError`, TerminalError `InvalidChartReference`.
 */
export async function pullChart(
  deps: Deps,
  repository: HelmRepository,
  wanted: Wanted,
  signal: AbortSignal,
): Promise<Buffer> {
  const url = urlOf(repository, wanted);
  const key = `${readerOf(repository)} ${url} ${wanted.digest ?? ''}`;
  const known = wanted.digest === undefined ? undefined : deps.archives.get(key);
  if (known !== undefined) return known;
  const { body, hex } = await fetchArchive(deps, repository, url, signal);
  if (!isExpectedDigest(wanted, hex)) {
    const message = `chart archive ${printableUrl(url)} has digest sha256:${hex}, the index says ${wanted.digest ?? ''}: publish the archive or the index again`;
    throw new TransientError(message, { reason: 'ChartPullError' });
  }
  deps.archives.set(key, body);
  return body;
}

const PULL_FAILED = 'ChartPullError';

/** One version of a chart in a registry. */
export interface RegistryChart {
  /** `TAG@DIGEST`. */
  readonly revision: string;
  readonly signed: Signed;
  /** Writes the packaged chart to `file`. */
  readonly save: (file: string) => Promise<void>;
}

/** The services and facts that one chart is pulled with. */
interface Pull {
  readonly deps: Deps;
  readonly wanted: WantedChart;
  readonly repository: HelmRepository;
  readonly registry: Registry;
  readonly place: RegistryRepository;
}

function tenantOf({ repository: { metadata } }: Pull): string {
  return metadata.namespace ?? '';
}

async function tagOf(pull: Pull): Promise<string> {
  const { deps, registry, wanted } = pull;
  const { chart, version, fields } = wanted;
  const exact = chartTag(version);
  if (exact !== undefined) return exact;
  const query = { tags: await registry.tags(), range: version, field: fields.version, areCharts: true };
  const answer = await latestTagTask.ask(deps.offload, query, tenantOf(pull));
  if ('tag' in answer) return answer.tag;
  throw new TransientError(`chart '${chart}': ${answer.problem}`, { reason: PULL_FAILED });
}

async function layerOf(pull: Pull, digest: string, shown: string): Promise<Layer> {
  const { deps, registry } = pull;
  const manifest = await parseManifestTask.ask(deps.offload, await registry.manifest(digest), tenantOf(pull));
  const chosen = manifest?.kind === 'image' ? chooseLayer(manifest.layers, CHART_LAYER) : undefined;
  if (chosen !== undefined && 'layer' in chosen) return chosen.layer;
  throw new TransientError(`${shown} is not a Helm chart`, { reason: PULL_FAILED });
}

/** Saves an archive, unless it was pulled before: after an outage all charts come at once. */
async function save(pull: Pull, revision: string, file: string, shown: string): Promise<void> {
  const { deps, repository, registry, place } = pull;
  const digest = digestOf(revision);
  const key = `${readerOf(repository)} ${place.host}/${place.name} ${digest}`;
  const known = deps.archives.get(key);
  if (known !== undefined) return writeFile(file, known);
  await registry.save(await layerOf(pull, digest, shown), file, MAX_CHART_BYTES);
  deps.archives.set(key, await readFile(file));
}

function requireUsable(repository: HelmRepository): void {
  try {
    requireRegistry(repository);
  } catch (error: unknown) {
    if (!(error instanceof TerminalError)) throw error;
    const message = `HelmRepository '${keyOf(repository.metadata)}': ${error.message}`;
    throw new TerminalError('InvalidChartReference', message, { cause: error });
  }
}

/**
 * The version of a chart that is asked for, in a repository of type `oci`. Errors: TerminalError
 * `InvalidChartReference`; TransientError `ChartPullError` | `AuthenticationFailed`; WaitingError
 * `AuthenticationFailed`.
 */
export async function findRegistryChart(
  deps: Deps,
  wanted: WantedChart,
  repository: HelmRepository,
  signal: AbortSignal,
): Promise<RegistryChart> {
  requireUsable(repository);
  const found = chartsPlace(repository.spec.url, wanted);
  if ('problem' in found) throw new TerminalError('InvalidChartReference', found.problem);
  const registry = await openRegistry(deps, repository, { place: found.place, signal, reason: PULL_FAILED });
  const pull: Pull = { deps, wanted, repository, registry, place: found.place };
  const tag = await tagOf(pull);
  const digest = await registry.resolve(tag);
  const revision = ociRevision(tag, digest);
  const shown = `${repository.spec.url}/${wanted.chart}:${tag}`;
  return {
    revision,
    signed: { registry, place: found.place, digest },
    save: (file) => save(pull, revision, file, shown),
  };
}
