import { readFile, writeFile } from 'node:fs/promises';
import { TerminalError, TransientError } from '#lib/errors.js';
import { keyOf } from '#lib/kube/keys.js';
import type { RegistryRepository } from '#lib/net/registry-name.js';
import type { Signed } from '../cosign/verify.js';
import type { Deps } from '../deps.js';
import type { WantedChart } from '../model/helm-index.js';
import { chartTag, chartsPlace } from '../model/oci-chart.js';
import { chooseLayer, type Layer } from '../model/oci-manifest.js';
import { digestOf, ociRevision } from '../model/oci-reference.js';
import type { HelmRepository } from '../model/types.js';
import { openRegistry } from '../oci/access.js';
import type { Registry } from '../oci/registry.js';
import { requireRegistry } from '../oci/require-registry.js';
import { latestTagAside, parseManifestAside } from '../oci/tasks.js';
import { MAX_CHART_BYTES, readerOf } from './from-repository.js';

const CHART_LAYER = { mediaType: 'application/vnd.cncf.helm.chart.content.v1.tar+gzip' };
const PULL_FAILED = 'ChartPullError';

/** One version of a chart in a registry. */
export interface RegistryChart {
  /** `TAG@DIGEST`. */
  readonly revision: string;
  readonly signed: Signed;
  /** Writes the packaged chart to `file`. */
  readonly save: (file: string) => Promise<void>;
}

/** What one chart is pulled with. */
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
  const answer = await latestTagAside(deps.offload, query, tenantOf(pull));
  if ('tag' in answer) return answer.tag;
  throw new TransientError(`chart '${chart}': ${answer.problem}`, { reason: PULL_FAILED });
}

async function layerOf(pull: Pull, digest: string, shown: string): Promise<Layer> {
  const { deps, registry } = pull;
  const manifest = await parseManifestAside(deps.offload, await registry.manifest(digest), tenantOf(pull));
  const chosen = manifest?.kind === 'image' ? chooseLayer(manifest.layers, CHART_LAYER) : undefined;
  if (chosen !== undefined && 'layer' in chosen) return chosen.layer;
  throw new TransientError(`${shown} is not a Helm chart`, { reason: PULL_FAILED });
}

/** What was pulled already is not pulled again: after an outage all charts come at once. */
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
