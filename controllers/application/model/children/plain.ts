import { MODE_ANNOTATION, NAMESPACE_METADATA_ANNOTATION } from '#api/v1alpha1/labels.js';
import { getCondition } from '#lib/kube/conditions.js';
import { fieldChanges } from '#lib/json/field-changes.js';
import { canonicalJson } from '#lib/json/lossless-json.js';
import { defined, isMap } from '#lib/plain.js';
import { pointerText } from '#lib/text/text.js';
import { isReady } from '../child/metadata.js';
import type { Child, ChildSpec } from '../child/types.js';
import { liveReleaseKey } from '../destinations/identity.js';

/** Fields of an entry that a plain object cannot say, with the annotations that they become. */
const UNSAID: readonly (readonly [field: string, annotation: string])[] = [
  ['mode', MODE_ANNOTATION],
  ['namespaceLabels or namespaceAnnotations', NAMESPACE_METADATA_ANNOTATION],
];

/** True if it deploys a chart, and not files. */
export function hasChart({ spec }: Child): boolean {
  return spec.chart !== undefined || spec.chartRef !== undefined;
}

type Reference = Readonly<Record<string, unknown>>;

function inNamespace(reference: unknown, { metadata }: Child): Reference {
  return isMap(reference) ? { ...reference, namespace: reference['namespace'] ?? metadata.namespace } : {};
}

/** The spec of a plain object with all that its engine takes for said. */
export function completeSpec(child: Child): ChildSpec {
  const { spec, metadata } = child;
  if (!hasChart(child)) return { ...spec, sourceRef: inNamespace(spec['sourceRef'], child) };
  const { releaseName, storageNamespace } = liveReleaseKey(child);
  const { chart, chartRef } = spec;
  const chartSpec = isMap(chart) && isMap(chart['spec']) ? chart['spec'] : undefined;
  const { sourceRef, interval = spec['interval'] } = chartSpec ?? {};
  return {
    ...spec,
    ...(chartRef === undefined ? {} : { chartRef: inNamespace(chartRef, child) }),
    ...(chartSpec === undefined
      ? {}
      : { chart: { spec: { ...chartSpec, interval, sourceRef: inNamespace(sourceRef, child) } } }),
    releaseName,
    storageNamespace,
    ...defined({ targetNamespace: spec.targetNamespace ?? metadata.namespace }),
  };
}

/** The fields of a plain object that would not be the same once it is written as `object`, as paths. */
export function differingFields(child: Child, object: Child): string[] {
  const [before, after] = [completeSpec(child), object.spec];
  const said = UNSAID.filter(([, annotation]) => object.metadata.annotations?.[annotation] !== undefined);
  const paths = [
    ...said.map(([field]) => field),
    ...[...fieldChanges(before, after)].map(({ path }) => pointerText(`/spec${path}`)),
  ];
  // The order of lists of named things is not listed.
  return paths.length === 0 && canonicalJson(before) !== canonicalJson(after) ? ['spec'] : paths;
}

/**
 * Why a plain object is not taken over now; undefined: it may be. With a new generation, an engine ends the action that
 * it carries out, and counts retries from the start.
 */
export function whyNotReady(child: Child): string | undefined {
  const ready = getCondition(child.status?.conditions, 'Ready');
  if (child.spec.suspend === true || ready === undefined || isReady(child)) return undefined;
  return 'it is not Ready, and its failures would be forgotten: wait until it is, correct it, or suspend it first';
}
