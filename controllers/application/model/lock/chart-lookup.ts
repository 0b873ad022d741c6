import type { HelmChartSpec } from '#api/flux/helm-chart.js';
import type { ObjectRef } from '#api/meta.js';
import type { Application } from '#api/v1alpha1/application.js';
import type { FloatingSource } from '#api/v1alpha1/floating-source.js';
import { canonicalJson } from '#controllers/runtime/pure/canonical-json.js';
import { isMap } from '#controllers/runtime/pure/plain.js';
import { hashedName } from '#controllers/runtime/pure/short-hash.js';
import { includes } from '#controllers/runtime/pure/subset.js';
import { describeObject } from '#controllers/runtime/pure/urls.js';
import { asksForDryRun } from '#controllers/dry-run/asked.js';
import { currentCondition, isReady } from '../current-condition.js';
import type { SourcePlace } from '../source-place.js';
import { isTerminating } from '../state.js';
import type { Child, Rules } from '../types.js';
import type { Found } from './choose-lock.js';
import type { FloatingRange } from './floating.js';

const MAX_NAME = 63;
const KIND = 'HelmChart';

/** The HelmChart whose status says which version of a chart is the newest one of a range. */
export interface ChartLookup {
  readonly kind: typeof KIND;
  readonly spec: HelmChartSpec;
}

/** Valid in every name, and at its start. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
}

/** The HelmChart that finds the newest version of a range. */
export function chartLookup({ source, chart }: FloatingRange): ChartLookup {
  const { name, version, interval } = chart;
  const sourceRef = { kind: 'HelmRepository', name: source.name } as const;
  return { kind: KIND, spec: { chart: name, version, interval, sourceRef } };
}

/** By the whole spec: who asks for the same shares it, and nobody can change what somebody else asks for. */
export function chartLookupName({ kind, spec }: ChartLookup): string {
  return hashedName(`range-${plain(spec.chart)}`, canonicalJson([kind, spec]), MAX_NAME);
}

/** Where it is: a HelmChart is in the namespace of its HelmRepository. */
export function lookupPlace(floating: FloatingRange): SourcePlace {
  return { kind: KIND, namespace: floating.source.namespace, name: chartLookupName(chartLookup(floating)) };
}

function floatingOfRow({ kind, namespace, name, chart, version, interval }: FloatingSource): FloatingRange[] {
  if (chart === undefined || version === undefined || interval === undefined) return [];
  return [{ source: { kind, namespace, name }, chart: { name: chart, version, interval } }];
}

/** What floats according to the status of an Application. */
export function floatingIn({ status }: Application): FloatingRange[] {
  return (status?.sources ?? []).flatMap(floatingOfRow);
}

/** True if the status of an Application names what the lookup of this place finds. */
function isFor(floating: FloatingRange, { namespace, name }: ObjectRef): boolean {
  const place = lookupPlace(floating);
  return place.name === name && place.namespace === namespace;
}

/** True in a namespace whose objects the caches hold: elsewhere, nothing is known of what exists. */
function isWatched({ watchedNamespace }: Rules, { namespace }: ObjectRef): boolean {
  return watchedNamespace === undefined || namespace === watchedNamespace;
}

/** The lookup of this place, if an Application asks for it. Never throws. */
export function askedLookup(application: Application, ref: ObjectRef, rules: Rules): ChartLookup | undefined {
  if (isTerminating(application) || asksForDryRun(application)) return undefined;
  if (!isWatched(rules, ref)) return undefined;
  if (!rules.allowCrossNamespace && ref.namespace !== application.metadata.namespace) return undefined;
  const floating = floatingIn(application).find((each) => isFor(each, ref));
  return floating && chartLookup(floating);
}

function revisionIn(artifact: unknown): string | undefined {
  return isMap(artifact) && typeof artifact['revision'] === 'string' ? artifact['revision'] : undefined;
}

/** The version of a range, as the HelmChart that looks it up says. Never throws. */
export function foundVersion(floating: FloatingRange, live: Child | undefined, rules: Rules): Found {
  const place = lookupPlace(floating);
  const shown = describeObject(KIND, place);
  if (!isWatched(rules, place)) {
    const { kind, ...ref } = floating.source;
    const why = `outside of ${rules.watchedNamespace ?? ''}, the only namespace that this controller watches`;
    return { problem: `${describeObject(kind, ref)} is ${why}: use an exact version` };
  }
  if (live === undefined) return { problem: `${shown} does not exist yet` };
  if (!includes(live.spec, chartLookup(floating).spec)) return { problem: `${shown} was edited` };
  const revision = revisionIn(live.status?.['artifact']);
  if (isReady(live) && revision !== undefined) return { meaning: { revision } };
  const ready = currentCondition(live, 'Ready');
  return { problem: `${shown} is not ready${ready?.status === 'False' ? `: ${ready.message}` : ' yet'}` };
}
