import type { HelmChartSpec } from '#api/flux/helm-chart.js';
import type { ObjectRef } from '#api/meta.js';
import type { Application, FloatingSource } from '#api/v1alpha1/application.js';
import { LOCK_ANNOTATION } from '#api/v1alpha1/labels.js';
import { asksForDryRun } from '#engine/dry-run/report.js';
import { canonicalJson } from '#lib/json/lossless-json.js';
import { isMap } from '#lib/plain.js';
import { digestOf, hashedName } from '#lib/hash.js';
import { includes } from '#lib/json/subset.js';
import { describeObject } from '#lib/net/urls.js';
import { currentCondition, isReady } from '../child/metadata.js';
import type { Child, Rules } from '../child/types.js';
import { isTerminating } from '../children/state.js';
import { contentOf, type Valid } from '../destinations/validate.js';
import type { SourcePlace } from '../spec/flux-spec.js';
import type { KeptRevision } from '../spec/history.js';
import {
  chooseVersions,
  type LookupResult,
  readVersions,
  resolvedFields,
  type Unresolved,
  unresolvableWarning,
  unresolvedOf,
  type UnresolvedRange,
  versionsOf,
  versionWarnings,
  withVersions,
} from '../spec/resolved-versions.js';

/** Phases of a rollout that ended without being complete. */
const STOPPED: readonly string[] = ['RolledBack', 'Halted'];

/** The input of the choice of versions. */
export interface VersionLookups {
  /** Its newest revision. */
  readonly newest: KeptRevision | undefined;
  readonly find: (reference: Unresolved) => LookupResult;
}

/** True until the rollout of a revision is complete, rolled back, or stopped by failures. */
function goesOn({ status }: Application, revision: number): boolean {
  const { rollout } = status ?? {};
  if (rollout?.revision !== revision) return true;
  return rollout.completedAt === undefined && !STOPPED.includes(rollout.phase);
}

/**
 * A valid Application that is rolled out, with one version of each chart and source for all its clusters. An edit takes
 * the versions that are found now; without one, a new version waits until the rollout is over. Never throws.
 */
export function resolveVersions(valid: Valid, { newest, find }: VersionLookups): Valid {
  const { resolved } = valid;
  const { application } = resolved;
  const unresolved = application.spec.rollout === undefined ? [] : unresolvedOf(application);
  if (unresolved.length === 0) return valid;
  const results = unresolved.map((reference) => ({ reference, found: find(reference) }));
  const open = results.flatMap(({ reference, found }) =>
    'unresolvable' in found ? [unresolvableWarning(reference, found.unresolvable)] : [],
  );
  const before = readVersions(newest?.object.metadata.annotations?.[LOCK_ANNOTATION]);
  const asBefore = { ...resolved, application: withVersions(application, before) };
  const isNewest = newest !== undefined && digestOf(contentOf(asBefore) ?? null) === newest.digest;
  const isRollingOut = isNewest && goesOn(application, newest.revision);
  const references = results.flatMap(({ reference, found }) => ('unresolvable' in found ? [] : [{ reference, found }]));
  const choices = chooseVersions({ references, before, isRollingOut });
  const versions = versionsOf(choices);
  const warnings = [...valid.warnings, ...open, ...versionWarnings(choices)];
  if (versions === undefined) return { ...valid, choices, warnings };
  return {
    ...{ ...valid, choices, warnings },
    resolved: { ...resolved, application: withVersions(application, versions) },
    entries: valid.entries.map((entry) => ({ ...entry, fields: resolvedFields(entry.fields, application, versions) })),
  };
}

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
export function chartLookup({ source, chart }: UnresolvedRange): ChartLookup {
  const { name, version, interval } = chart;
  const sourceRef = { kind: 'HelmRepository', name: source.name } as const;
  return { kind: KIND, spec: { chart: name, version, interval, sourceRef } };
}

/** By the whole spec: who asks for the same shares it, and nobody can change what somebody else asks for. */
export function chartLookupName({ kind, spec }: ChartLookup): string {
  return hashedName(`range-${plain(spec.chart)}`, canonicalJson([kind, spec]), MAX_NAME);
}

/** Where it is: a HelmChart is in the namespace of its HelmRepository. */
export function lookupPlace(reference: UnresolvedRange): SourcePlace {
  return { kind: KIND, namespace: reference.source.namespace, name: chartLookupName(chartLookup(reference)) };
}

function rangeOfRow({ kind, namespace, name, chart, version, interval }: FloatingSource): UnresolvedRange[] {
  if (chart === undefined || version === undefined || interval === undefined) return [];
  return [{ source: { kind, namespace, name }, chart: { name: chart, version, interval } }];
}

/** The version ranges in the status of an Application. */
export function rangesIn({ status }: Application): UnresolvedRange[] {
  return (status?.sources ?? []).flatMap(rangeOfRow);
}

/** True if the status of an Application names what the lookup of this place finds. */
function isFor(reference: UnresolvedRange, { namespace, name }: ObjectRef): boolean {
  const place = lookupPlace(reference);
  return place.name === name && place.namespace === namespace;
}

/** True in a namespace whose objects the caches hold: elsewhere, nothing is known of what exists. */
function isWatched({ watchedNamespace }: Rules, { namespace }: ObjectRef): boolean {
  return watchedNamespace === undefined || namespace === watchedNamespace;
}

/** The lookup of this place, if an Application asks for it. Never throws. */
export function requestedLookup(application: Application, ref: ObjectRef, rules: Rules): ChartLookup | undefined {
  if (isTerminating(application) || asksForDryRun(application)) return undefined;
  if (!isWatched(rules, ref)) return undefined;
  if (!rules.allowCrossNamespace && ref.namespace !== application.metadata.namespace) return undefined;
  const reference = rangesIn(application).find((each) => isFor(each, ref));
  return reference && chartLookup(reference);
}

function revisionIn(artifact: unknown): string | undefined {
  return isMap(artifact) && typeof artifact['revision'] === 'string' ? artifact['revision'] : undefined;
}

/** The version of a range, as the HelmChart that looks it up says. Never throws. */
export function foundVersion(reference: UnresolvedRange, live: Child | undefined, rules: Rules): LookupResult {
  const place = lookupPlace(reference);
  const shown = describeObject(KIND, place);
  if (!isWatched(rules, place)) {
    const { kind, ...ref } = reference.source;
    const why = `outside of ${rules.watchedNamespace ?? ''}, the only namespace that this controller watches`;
    return { problem: `${describeObject(kind, ref)} is ${why}: use an exact version` };
  }
  if (live === undefined) return { problem: `${shown} does not exist yet` };
  if (!includes(live.spec, chartLookup(reference).spec)) return { problem: `${shown} was edited` };
  const revision = revisionIn(live.status?.['artifact']);
  if (isReady(live) && revision !== undefined) return { resolved: revision };
  const ready = currentCondition(live, 'Ready');
  return { problem: `${shown} is not ready${ready?.status === 'False' ? `: ${ready.message}` : ' yet'}` };
}
