import { createHash } from 'node:crypto';
import { TerminalError, TransientError } from '#lib/errors.js';
import { keyOf } from '#lib/kube/keys.js';
import type { Deps } from '../deps.js';
import { download } from '../http.js';
import { helmCredentials } from '../http-credentials.js';
import { findChartAside } from '../helmrepository/index-tasks.js';
import { isExpectedDigest, type ChartEntry, type WantedChart } from '../model/helm-index.js';
import { fetchTimeoutMs } from '../model/timing.js';
import type { HelmRepository } from '../model/types.js';
import { chartUrl, namedHost, printableUrl, sharesCredentials } from '../model/urls.js';

/** A packaged chart, wherever it is from. */
export const MAX_CHART_BYTES = 10 * 1024 * 1024;

/**
 * Whose archives are kept: what a repository may read by its credentials is nothing for others, and what a namespace
 * reads without an object is nothing for other namespaces.
 */
export function readerOf({ metadata }: HelmRepository): string {
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
  const found = await findChartAside(deps.offload, { ...wanted, file }, metadata.namespace ?? '');
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
