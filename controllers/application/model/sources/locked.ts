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
import type { Resolved } from '../destinations/template-use.js';
import { contentOf, type Valid } from '../destinations/validate.js';
import type { SourcePlace } from '../spec/flux-spec.js';
import type { KeptRevision } from '../spec/history.js';
import {
  chooseLock,
  type Floating,
  floatingOf,
  type FloatingRange,
  floatWarning,
  type Found,
  type Lock,
  lockedApplication,
  lockedFields,
  lockOf,
  lockWarnings,
  readLock,
} from '../spec/lock.js';

/** Phases of a rollout that ended without being complete. */
const STOPPED: readonly string[] = ['RolledBack', 'Halted'];

/** The input of the choice of meanings. */
export interface LockView {
  /** Its newest revision. */
  readonly newest: KeptRevision | undefined;
  readonly find: (floating: Floating) => Found;
}

function locked(resolved: Resolved, lock: Lock): Resolved {
  return { ...resolved, application: lockedApplication(resolved.application, lock) };
}

function lockedEntries({ entries, resolved }: Valid, lock: Lock): Valid['entries'] {
  return entries.map((entry) => ({ ...entry, fields: lockedFields(entry.fields, resolved.application, lock) }));
}

/** True until the rollout of a revision is complete, rolled back, or stopped by failures. */
function isRollingOut({ status }: Application, revision: number): boolean {
  const { rollout } = status ?? {};
  if (rollout?.revision !== revision) return true;
  return rollout.completedAt === undefined && !STOPPED.includes(rollout.phase);
}

/**
 * A valid Application that is rolled out, with one meaning of what floats for all its clusters. An edit takes what it
 * means now; without one, a new meaning waits until the rollout is over. Never throws.
 */
export function lockedValid(valid: Valid, { newest, find }: LockView): Valid {
  const { resolved } = valid;
  const { application } = resolved;
  const named = application.spec.rollout === undefined ? [] : floatingOf(application);
  if (named.length === 0) return valid;
  const found = named.map((floating) => ({ floating, result: find(floating) }));
  const open = found.flatMap(({ floating, result }) =>
    'floats' in result ? [floatWarning(floating, result.floats)] : [],
  );
  const before = readLock(newest?.object.metadata.annotations?.[LOCK_ANNOTATION]);
  const isNewest = newest !== undefined && digestOf(contentOf(locked(resolved, before)) ?? null) === newest.digest;
  const goesOn = isNewest && isRollingOut(application, newest.revision);
  const held = found.flatMap(({ floating, result }) => ('floats' in result ? [] : [{ floating, found: result }]));
  const choices = chooseLock({ held, before, isRollingOut: goesOn });
  const lock = lockOf(choices);
  const warnings = [...valid.warnings, ...open, ...lockWarnings(choices)];
  if (lock === undefined) return { ...valid, choices, warnings };
  return { ...valid, choices, warnings, resolved: locked(resolved, lock), entries: lockedEntries(valid, lock) };
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
