import { externalArtifactResource } from '#api/flux/external-artifact.js';
import { helmChartResource } from '#api/flux/helm-chart.js';
import { defined } from '#lib/plain.js';
import { TerminalError, WaitingError } from '#lib/errors.js';
import { keyOf, parseKey } from '#lib/kube/keys.js';
import { ORIGIN_NAMESPACE_LABEL, ORIGIN_NAME_LABEL } from '#api/flux/annotations.js';
import type { Deps } from './pass.js';
import { FIELD_MANAGER } from './model/ownership.js';
import { chartReadiness, desiredHelmChart, isHelmChartCurrent, type ChartArtifact } from './model/helm-chart.js';
import type { ChartSource, FetchedChart, HelmChart, HelmRelease } from './model/types.js';

function isOurs(chart: HelmChart, release: HelmRelease): boolean {
  const labels = chart.metadata.labels ?? {};
  const { name, namespace } = release.metadata;
  return labels[ORIGIN_NAME_LABEL] === name && labels[ORIGIN_NAMESPACE_LABEL] === namespace;
}

/** Deletes the HelmChart named by `key` if this release made it. */
export async function deleteHelmChart(
  deps: Deps,
  release: HelmRelease,
  key: string,
  signal: AbortSignal,
): Promise<void> {
  const ref = parseKey(key);
  const chart = await deps.kube.get<HelmChart>(helmChartResource, ref, { signal });
  if (chart === undefined || !isOurs(chart, release)) return;
  await deps.kube.delete(helmChartResource, ref, { uid: chart.metadata.uid, signal });
  deps.events.record(release, 'Normal', 'HelmChartDeleted', `Deleted HelmChart '${key}'`);
}

const APPLY = { fieldManager: FIELD_MANAGER, force: true };

async function applyHelmChart(
  deps: Deps,
  release: HelmRelease,
  desired: HelmChart,
  signal: AbortSignal,
): Promise<HelmChart> {
  const live = deps.charts.get(desired.metadata);
  if (live !== undefined && isHelmChartCurrent(live, desired)) return live;
  const applied = await deps.kube.apply(helmChartResource, desired, { ...APPLY, signal });
  const [reason, verb] = live === undefined ? ['HelmChartCreated', 'Created'] : ['HelmChartConfigured', 'Configured'];
  deps.events.record(release, 'Normal', reason, `${verb} HelmChart '${keyOf(desired.metadata)}'`);
  return applied;
}

function rejectForeign(deps: Deps, release: HelmRelease, namespace: string, field: string): void {
  if (deps.settings.allowCrossNamespace || namespace === release.metadata.namespace) return;
  throw new TerminalError(
    'AccessDenied',
    `${field} names namespace ${namespace}: references to other namespaces are forbidden here ` +
      `(--no-cross-namespace-refs); move the source to namespace ${release.metadata.namespace ?? ''}`,
  );
}

function referencedSource(
  deps: Deps,
  release: HelmRelease,
  ref: NonNullable<HelmRelease['spec']['chartRef']>,
): ChartSource {
  const namespace = ref.namespace ?? release.metadata.namespace ?? '';
  rejectForeign(deps, release, namespace, 'spec.chartRef');
  // The CRD of a newer Flux may allow other kinds.
  const cache = Object.hasOwn(deps.chartSources, ref.kind) ? deps.chartSources[ref.kind] : undefined;
  const source = cache?.get({ name: ref.name, namespace });
  if (source !== undefined) return source;
  const message = `${ref.kind} '${namespace}/${ref.name}' named by spec.chartRef does not exist: create it`;
  throw new WaitingError('SourceNotReady', message, { retryAfterMs: deps.settings.dependencyRequeueMs });
}

/** Where the chart of a release is from, and the HelmChart for `status.helmChart`: undefined if it is only referenced. */
export interface ReleaseChart {
  readonly source: ChartSource;
  readonly statusName: string | undefined;
}

/**
 * Creates or updates the release's HelmChart, and deletes an earlier one in another place. Throws TerminalError
 * `AccessDenied`, WaitingError `SourceNotReady`.
 */
export async function reconcileHelmChart(deps: Deps, release: HelmRelease, signal: AbortSignal): Promise<ReleaseChart> {
  const { chart: template, chartRef } = release.spec;
  const previous = release.status?.helmChart;
  if (template === undefined) {
    if (previous !== undefined && previous !== '') await deleteHelmChart(deps, release, previous, signal);
    if (chartRef === undefined) throw new TerminalError('ReconcileError', 'set spec.chart or spec.chartRef');
    return { source: referencedSource(deps, release, chartRef), statusName: undefined };
  }
  const desired = desiredHelmChart(release, template);
  rejectForeign(deps, release, desired.metadata.namespace ?? '', 'spec.chart.spec.sourceRef');
  const key = keyOf(desired.metadata);
  const source = await applyHelmChart(deps, release, desired, signal);
  if (previous !== undefined && previous !== '' && previous !== key)
    await deleteHelmChart(deps, release, previous, signal);
  return { source, statusName: key };
}

/** With the generation that the API server would give it: values files put that into the version of the chart. */
async function asWritten(deps: Deps, desired: HelmChart, signal: AbortSignal): Promise<HelmChart> {
  const { metadata } = await deps.kube.apply(helmChartResource, desired, { ...APPLY, dryRun: true, signal });
  return { ...desired, metadata: { ...desired.metadata, ...defined({ generation: metadata.generation }) } };
}

/** Like `reconcileHelmChart`, but writes nothing: a chart that no HelmChart has yet is fetched for this occasion. */
export async function chartForDryRun(deps: Deps, release: HelmRelease, signal: AbortSignal): Promise<FetchedChart> {
  const { chart: template, chartRef } = release.spec;
  const asIs = (source: ChartSource): FetchedChart => ({ source, dispose: () => Promise.resolve() });
  if (template === undefined) {
    if (chartRef === undefined) throw new TerminalError('ReconcileError', 'set spec.chart or spec.chartRef');
    return asIs(referencedSource(deps, release, chartRef));
  }
  const desired = desiredHelmChart(release, template);
  rejectForeign(deps, release, desired.metadata.namespace ?? '', 'spec.chart.spec.sourceRef');
  const live = deps.charts.get(desired.metadata);
  if (live !== undefined && isHelmChartCurrent(live, desired)) return asIs(live);
  return deps.fetchChart(await asWritten(deps, desired, signal), signal);
}

/**
 * The artifact of a source, in the store. Throws WaitingError `SourceNotReady` with the source's own message,
 * TransientError `ArtifactFailed`.
 */
export async function requireArtifact(deps: Deps, source: ChartSource, signal: AbortSignal): Promise<ChartArtifact> {
  const readiness = chartReadiness(source);
  if ('artifact' in readiness) {
    const { artifact } = readiness;
    return source.kind === externalArtifactResource.kind ? deps.fetchExternal(source, artifact, signal) : artifact;
  }
  const { dependencyRequeueMs } = deps.settings;
  throw new WaitingError('SourceNotReady', readiness.waiting, { retryAfterMs: dependencyRequeueMs });
}
