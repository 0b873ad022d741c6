import { readFile, writeFile } from 'node:fs/promises';
import { TerminalError, TransientError } from '#controllers/runtime/pure/errors.js';
import { keyOf } from '#controllers/runtime/pure/keys.js';
import type { Deps } from '../deps.js';
import { chartTag, chartsPlace } from '../model/oci-chart.js';
import { MAX_CHART_BYTES } from './from-repository.js';
import { chooseLayer, type Layer } from '../model/oci-manifest.js';
import { digestOf, ociRevision } from '../model/oci-reference.js';
import type { HelmChart, HelmRepository } from '../model/types.js';
import { openRegistry } from '../oci/access.js';
import type { Registry } from '../oci/registry.js';
import { requireRegistry } from '../oci/require-registry.js';
import { latestTagAside, parseManifestAside } from '../oci/tasks.js';

const CHART_LAYER = { mediaType: 'application/vnd.cncf.helm.chart.content.v1.tar+gzip' };
const PULL_FAILED = 'ChartPullError';

/** One version of a chart in a registry. */
export interface RegistryChart {
  /** `TAG@DIGEST`. */
  readonly revision: string;
  /** Writes the packaged chart to `file`. */
  readonly save: (file: string) => Promise<void>;
}

/** What one chart is pulled with. */
interface Pull {
  readonly deps: Deps;
  readonly chart: HelmChart;
  readonly repository: HelmRepository;
  readonly registry: Registry;
}

function tenantOf({ metadata }: HelmChart): string {
  return metadata.namespace ?? '';
}

async function tagOf({ deps, chart, registry }: Pull): Promise<string> {
  const { spec } = chart;
  const exact = chartTag(spec.version ?? '');
  if (exact !== undefined) return exact;
  const query = { tags: await registry.tags(), range: spec.version ?? '*', field: 'spec.version', areCharts: true };
  const answer = await latestTagAside(deps.offload, query, tenantOf(chart));
  if ('tag' in answer) return answer.tag;
  throw new TransientError(`chart '${spec.chart}': ${answer.problem}`, { reason: PULL_FAILED });
}

async function layerOf({ deps, chart, registry }: Pull, digest: string, shown: string): Promise<Layer> {
  const manifest = await parseManifestAside(deps.offload, await registry.manifest(digest), tenantOf(chart));
  const chosen = manifest?.kind === 'image' ? chooseLayer(manifest.layers, CHART_LAYER) : undefined;
  if (chosen !== undefined && 'layer' in chosen) return chosen.layer;
  throw new TransientError(`${shown} is not a Helm chart`, { reason: PULL_FAILED });
}

/** What was pulled already is not pulled again: after an outage all charts come at once. */
async function save(pull: Pull, revision: string, file: string, shown: string): Promise<void> {
  const { deps, chart, repository, registry } = pull;
  const digest = digestOf(revision);
  // Of this repository only: what it may read by its credentials is nothing for others.
  const key = `${repository.metadata.uid ?? ''} ${chart.spec.chart} ${digest}`;
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
 * The version of a chart that its spec asks for, in a repository of type `oci`. Errors: TerminalError
 * `InvalidChartReference`; TransientError `ChartPullError` | `AuthenticationFailed`; WaitingError
 * `AuthenticationFailed`.
 */
export async function findRegistryChart(
  deps: Deps,
  chart: HelmChart,
  repository: HelmRepository,
  signal: AbortSignal,
): Promise<RegistryChart> {
  requireUsable(repository);
  const found = chartsPlace(repository.spec.url, chart.spec.chart);
  if ('problem' in found) throw new TerminalError('InvalidChartReference', found.problem);
  const registry = await openRegistry(deps, repository, { place: found.place, signal, reason: PULL_FAILED });
  const pull: Pull = { deps, chart, repository, registry };
  const tag = await tagOf(pull);
  const revision = ociRevision(tag, await registry.resolve(tag));
  const shown = `${repository.spec.url}/${chart.spec.chart}:${tag}`;
  return { revision, save: (file) => save(pull, revision, file, shown) };
}
