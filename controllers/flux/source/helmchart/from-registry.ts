import { TerminalError, TransientError } from '#controllers/runtime/pure/errors.js';
import type { Deps } from '../deps.js';
import { chartTag, chartVersion, chartsPlace } from '../model/oci-chart.js';
import { chooseLayer, parseManifest } from '../model/oci-manifest.js';
import { digestOf, ociRevision } from '../model/oci-reference.js';
import type { HelmChart, HelmRepository } from '../model/types.js';
import { openRegistry } from '../oci/access.js';
import type { Registry } from '../oci/registry.js';
import { latestTagAside } from '../oci/tag-task.js';

const MAX_CHART_BYTES = 10 * 1024 * 1024;
const CHART_LAYER = { mediaType: 'application/vnd.cncf.helm.chart.content.v1.tar+gzip' };
const PULL_FAILED = 'ChartPullError';

/** One version of a chart in a registry. */
export interface RegistryChart {
  /** `TAG@DIGEST`. */
  readonly revision: string;
  /** Writes the packaged chart to `file`. */
  readonly save: (file: string) => Promise<void>;
}

async function tagOf(deps: Deps, { metadata, spec }: HelmChart, registry: Registry): Promise<string> {
  const exact = chartTag(spec.version ?? '');
  if (exact !== undefined) return exact;
  const tags = new Map((await registry.tags()).map((tag) => [chartVersion(tag), tag]));
  const query = { tags: [...tags.keys()], range: spec.version ?? '*', field: 'spec.version', filter: undefined };
  const answer = await latestTagAside(deps.offload, query, metadata.namespace ?? '');
  if ('tag' in answer) return tags.get(answer.tag) ?? answer.tag;
  throw new TransientError(`chart '${spec.chart}': ${answer.problem}`, { reason: PULL_FAILED });
}

async function save(registry: Registry, shown: string, revision: string, file: string): Promise<void> {
  const manifest = parseManifest(await registry.manifest(digestOf(revision)));
  const chosen = manifest?.kind === 'image' ? chooseLayer(manifest.layers, CHART_LAYER) : undefined;
  if (chosen !== undefined && 'layer' in chosen) return registry.save(chosen.layer, file, MAX_CHART_BYTES);
  throw new TransientError(`${shown} is not a Helm chart`, { reason: PULL_FAILED });
}

/**
 * The version of a chart that its spec asks for, in a repository of type `oci`. An exact version costs one HEAD. Errors:
 * TerminalError `InvalidChartReference`; TransientError `ChartPullError` | `AuthenticationFailed`; WaitingError
 * `AuthenticationFailed`.
 */
export async function findRegistryChart(
  deps: Deps,
  chart: HelmChart,
  repository: HelmRepository,
  signal: AbortSignal,
): Promise<RegistryChart> {
  const found = chartsPlace(repository.spec.url, chart.spec.chart);
  if ('problem' in found) throw new TerminalError('InvalidChartReference', found.problem);
  const registry = await openRegistry(deps, repository, { place: found.place, signal, reason: PULL_FAILED });
  const tag = await tagOf(deps, chart, registry);
  const revision = ociRevision(tag, await registry.resolve(tag));
  const shown = `${repository.spec.url}/${chart.spec.chart}:${tag}`;
  return { revision, save: (file) => save(registry, shown, revision, file) };
}
