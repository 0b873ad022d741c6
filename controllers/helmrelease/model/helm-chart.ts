import type { Artifact } from '#api/flux/common.js';
import { externalArtifactResource, type ExternalArtifact } from '#api/flux/external-artifact.js';
import { getCondition, isTrue } from '#lib/kube/conditions.js';
import { normalDuration } from '#lib/duration.js';
import { ORIGIN_NAMESPACE_LABEL, ORIGIN_NAME_LABEL } from '#api/flux/annotations.js';
import type { ChartSource, HelmChart, HelmRelease } from './types.js';
import { canonicalJson } from '#lib/json/lossless-json.js';

/** Fields of a HelmChart's spec that we own; others (suspend) are the user's. */
const OWNED_FIELDS = [
  'chart',
  'version',
  'sourceRef',
  'interval',
  'reconcileStrategy',
  'valuesFiles',
  'ignoreMissingValuesFiles',
  'verify',
] as const;

type ChartTemplate = NonNullable<HelmRelease['spec']['chart']>;

/** Where the HelmChart of a release lives: next to its source. */
function helmChartRef(release: HelmRelease, template: ChartTemplate): { name: string; namespace: string } {
  const { name, namespace = '' } = release.metadata;
  return { name: `${namespace}-${name}`, namespace: template.spec.sourceRef.namespace ?? namespace };
}

/** The HelmChart that `spec.chart` asks for. */
export function desiredHelmChart(release: HelmRelease, template: ChartTemplate): HelmChart {
  const { name, namespace = '' } = release.metadata;
  const { sourceRef, ...fields } = template.spec;
  return {
    apiVersion: 'source.toolkit.fluxcd.io/v1',
    kind: 'HelmChart',
    metadata: {
      ...helmChartRef(release, template),
      labels: { ...template.metadata?.labels, [ORIGIN_NAME_LABEL]: name, [ORIGIN_NAMESPACE_LABEL]: namespace },
      ...(template.metadata?.annotations ? { annotations: { ...template.metadata.annotations } } : {}),
    },
    spec: {
      ...{ version: '*', reconcileStrategy: 'ChartVersion' as const },
      ...fields,
      // As Flux writes it: another spelling would be a new generation, and with values files a new version.
      interval: normalDuration(fields.interval ?? release.spec.interval),
      sourceRef: { kind: sourceRef.kind, name: sourceRef.name },
    },
  };
}

function includesAll(
  live: Readonly<Record<string, string>> = {},
  wanted: Readonly<Record<string, string>> = {},
): boolean {
  return Object.entries(wanted).every(([key, value]) => live[key] === value);
}

function sameField(live: HelmChart, desired: HelmChart, field: (typeof OWNED_FIELDS)[number]): boolean {
  // An absent boolean or list may come back as its default.
  const empty = (value: unknown): boolean =>
    value === undefined || value === false || (Array.isArray(value) && value.length === 0);
  const [a, b] = [live, desired].map(({ spec }) =>
    field === 'interval' ? normalDuration(spec.interval) : spec[field],
  );
  return (empty(a) && empty(b)) || canonicalJson(a ?? null) === canonicalJson(b ?? null);
}

/** True when writing `desired` would change nothing. */
export function isHelmChartCurrent(live: HelmChart, desired: HelmChart): boolean {
  return (
    includesAll(live.metadata.labels, desired.metadata.labels) &&
    includesAll(live.metadata.annotations, desired.metadata.annotations) &&
    OWNED_FIELDS.every((field) => sameField(live, desired, field))
  );
}

/** Where a chart's file is, and what it must be. */
export interface ChartArtifact {
  readonly path: string;
  readonly digest: string;
  readonly revision: string;
}

/** What a source has to offer: an artifact, or why there is none yet. */
export type ChartReadiness = { readonly artifact: Artifact } | { readonly waiting: string };

/** An ExternalArtifact has no observed generation: as in Flux, it is ready as soon as it has an artifact. */
function observes(source: ChartSource): source is Exclude<ChartSource, ExternalArtifact> {
  return source.kind !== externalArtifactResource.kind;
}

/** Why a source does not have what its spec asks for; undefined when it has. */
function behind(source: ChartSource): string | undefined {
  if (!observes(source)) return undefined;
  const { observedGeneration, conditions } = source.status ?? {};
  if (observedGeneration !== source.metadata.generation) {
    return 'latest generation of object has not been reconciled';
  }
  return isTrue(conditions, 'Stalled') ? 'it is stalled' : undefined;
}

/**
 * Whether the artifact is the one that the spec of its source asks for. An upstream that is away for a while does not
 * change that it is: what was fetched for this generation can still be used, as in Flux.
 */
export function chartReadiness(source: ChartSource): ChartReadiness {
  const { artifact, conditions } = source.status ?? {};
  const problem = behind(source);
  if (problem === undefined && artifact !== undefined) return { artifact };
  const { kind, metadata } = source;
  const ready = getCondition(conditions, 'Ready');
  const why = ready?.status === 'False' ? ready.message : (problem ?? 'it has no artifact yet');
  return { waiting: `${kind} '${metadata.namespace ?? ''}/${metadata.name}' is not ready: ${why}` };
}

function seenOf(source: ChartSource): unknown[] {
  const readiness = chartReadiness(source);
  if ('waiting' in readiness) return [source.metadata.generation, readiness.waiting];
  const { path, url, digest, revision } = readiness.artifact;
  return [source.metadata.generation, path, url, digest, revision];
}

/** Whether the releases of a source have to look at it again: each fetch writes its status, also without any news. */
export function isNewsForReleases(source: ChartSource, previous: ChartSource): boolean {
  return JSON.stringify(seenOf(source)) !== JSON.stringify(seenOf(previous));
}
