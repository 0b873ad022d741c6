import type { Application } from '../../api/v1alpha1/application.js';
import { asksForDryRun } from '../dry-run/asked.js';
import { pause } from '../runtime/sleep.js';
import { keyOf, parseKey } from '../runtime/pure/keys.js';
import { soonest } from '../runtime/pure/soonest.js';
import { describeObject } from '../runtime/pure/urls.js';
import { targetsOf } from './awaited-targets.js';
import { inventoryChange } from './cluster-news.js';
import { clusterView } from './clusters.js';
import type { Deps, Pass } from './deps.js';
import { withGates } from './gates.js';
import { withLock } from './locks.js';
import { BY_OWNER, BY_RELEASE, claimantValues } from './mappings.js';
import { REMOVAL_DELAY_MS } from './model/clusters/removals.js';
import { withAbsences } from './model/clusters/leaving.js';
import { INLINE_PATH, inlineOf, sourceReference } from './model/spec/flux-spec.js';
import { releaseIndexValue } from './model/destinations/identity.js';
import { isMadeSource } from './model/spec/inline-source.js';
import { sourcesOfChild } from './model/sources/made-source.js';
import { describeChild } from './model/child/messages.js';
import { isAdoptable, isOwned, precedes } from './model/child/metadata.js';
import { type SourceUse, valuesQuestion, valuesViolations } from './model/destinations/template-use.js';
import type { Child, Entry, ReleaseKey, Violation } from './model/child/types.js';
import {
  claimsRelease,
  haveSameDestinations,
  type Valid,
  validate,
  type Validation,
  wantedOf,
  withViolations,
} from './model/destinations/validate.js';
import { type Lookups, type Revisions, worldOf } from './model/children/world-of.js';
import type { World } from './model/children/world.js';
import { personalize, type PersonalizeDeps, type Personalized } from './personalize.js';
import { observeRevisions } from './revisions.js';
import { templateView } from './templates.js';

/** What somebody else's source has charts of is unknown. */
function sourceConflict(application: Application, { sources }: Deps): Violation | undefined {
  const source = sourceReference(application);
  if (source === undefined || inlineOf(application) === undefined) return undefined;
  const ref = { ...source, namespace: application.metadata.namespace };
  const live = sources.get(source.kind)?.get(ref);
  if (live === undefined || isMadeSource(live)) return undefined;
  const message = `${INLINE_PATH}: ${describeObject(source.kind, ref)} exists, and Fairlead did not create it: delete it, or name it in sourceRef`;
  return { reason: 'SourceConflict', message };
}

/** The result of a validation, and when to repeat it, even without a change. */
interface Validated {
  readonly validation: Validation;
  readonly retryAfterMs?: number | undefined;
}

/** As everything is now. */
function validateNow(application: Application, { rules, templates, inventory }: Deps): Validation {
  return validate(application, { templates: templateView(templates), clusters: clusterView(inventory) }, rules);
}

/** Completes a validation of an Application on its own, regardless of its children and of other Applications. */
async function completed(validation: Validation, application: Application, deps: Pass): Promise<Validated> {
  if (validation === 'pending' || 'violation' in validation) return { validation };
  const conflict = sourceConflict(application, deps);
  if (conflict !== undefined) return { validation: { violation: conflict } };
  const { namespace: tenant = '' } = application.metadata;
  const { valid, retryAfterMs } = await withValues(validation, deps, { tenant, signal: deps.signal });
  return { validation: await withGates(valid, deps, tenant), retryAfterMs };
}

/** What making and checking values needs. */
export interface ValuesDeps extends PersonalizeDeps, Pick<Deps, 'checkSchema'> {}

/** The entries of an Application of `tenant` with their values, which the schema of their template allows. */
export async function withValues(
  validation: Valid,
  deps: ValuesDeps,
  pass: { readonly tenant: string; readonly signal: AbortSignal },
): Promise<Personalized> {
  const made = await personalize(validation, deps, pass);
  return { ...made, valid: await withSchemaChecked(made.valid, deps, pass.tenant) };
}

async function withSchemaChecked(valid: Valid, { checkSchema }: ValuesDeps, tenant: string): Promise<Valid> {
  const { entries, resolved } = valid;
  const question = valuesQuestion(entries, resolved.helm);
  if (question === undefined || resolved.helm === undefined) return valid;
  const result = await checkSchema(question, tenant);
  return withViolations(valid, valuesViolations(entries, resolved.helm, result));
}

/** What an Application wants, and who is before it. */
export interface Wanted {
  readonly validation: Lookups['validation'];
  /** The releases of its entries, by their index values. */
  readonly releases: ReadonlyMap<string, ReleaseKey>;
  /** The older Applications that keep it from a release that nobody holds, by the index value of the release. */
  readonly claims: ReadonlyMap<string, Application>;
  /** Undefined: no revisions are kept. */
  readonly revisions: Revisions | undefined;
  /** When to reconcile again, even without a change. */
  readonly retryAfterMs: number | undefined;
  /** True if something changed meanwhile, and this is about other destinations than there are now. */
  readonly isOutdated: () => boolean;
}

/** True once anything changed of what a plan is made of, besides children; `application` as it was written last. */
export type IsOutdated = (application: Application) => boolean;

/** False once the Application is another object than the one that was read or written last. */
function isNewest({ metadata }: Application, { applications }: Deps): boolean {
  return applications.get(metadata)?.metadata.resourceVersion === metadata.resourceVersion;
}

/** Tells whether anything changed since now of the clusters of an Application. */
function changeOf(application: Application, { inventory, children }: Deps): () => boolean {
  return inventoryChange(application, { ...inventory, children });
}

/** Writes may take minutes, too. */
export function outdating(application: Application, deps: Deps): IsOutdated {
  const hasChanged = changeOf(application, deps);
  return (latest) => !isNewest(latest, deps) || hasChanged();
}

/** Making values may take minutes. What was true before them must still be when children are created and removed. */
function movedOn(first: Validation, application: Application, deps: Deps): Wanted['isOutdated'] {
  const hasChanged = changeOf(application, deps);
  return () =>
    !isNewest(application, deps) || (hasChanged() && !haveSameDestinations(first, validateNow(application, deps)));
}

/** Reads what must be known before children are observed. Pending: its template was not validated yet. */
export async function observeWanted(application: Application, deps: Pass): Promise<Wanted | 'pending'> {
  const first = validateNow(application, deps);
  const isOutdated = movedOn(first, application, deps);
  const { validation: stated, retryAfterMs } = await completed(first, application, deps);
  const validation = withLock(stated, application, deps);
  if (validation === 'pending') return validation;
  const releases = wantedOf(application, validation);
  const claims = await olderClaims(releases, application, deps);
  const revisions = 'violation' in validation ? undefined : await observeRevisions(application, validation, deps);
  const again = soonest([retryAfterMs, revisions?.retryAfterMs]);
  return { validation, releases, claims, revisions, retryAfterMs: again, isOutdated };
}

/** Nothing bounds how many are asked about, nor how many destinations each of them has. */
async function validationOf(application: Application, deps: Pass): Promise<Validation> {
  await pause(deps.signal);
  return (await completed(validateNow(application, deps), application, deps)).validation;
}

/**
 * Applications of one release are of one namespace. A release that this one holds already is not asked about: whoever
 * holds it keeps it.
 */
async function olderClaims(
  releases: Wanted['releases'],
  application: Application,
  deps: Pass,
): Promise<Map<string, Application>> {
  const validations = new Map<Application, Validation>();
  const found = new Map<string, Application>();
  const { namespace = '' } = application.metadata;
  for (const [value, release] of releases) {
    if (holdersOf(value, deps.children).some((child) => isOwned(child, application))) continue;
    const wanting = claimantValues(namespace, release).flatMap((each) => deps.applications.byIndex(BY_RELEASE, each));
    for (const other of wanting.filter(({ metadata }) => metadata.deletionTimestamp === undefined)) {
      if (found.has(value) || !precedes(other, application)) continue;
      const validation = validations.get(other) ?? (await validationOf(other, deps));
      validations.set(other, validation);
      if (claimsRelease(validation, namespace, value)) found.set(value, other);
    }
  }
  return found;
}

function holdersOf(release: string, children: Deps['children']): Child[] {
  return children.flatMap((cache) => cache.byIndex(BY_RELEASE, release));
}

/** Children of the Application, and those that hold a release that it wants. */
function childrenOf(application: Application, { children }: Deps, releases: Wanted['releases']): Child[] {
  const found = [
    ...children.flatMap((cache) => cache.byIndex(BY_OWNER, keyOf(application.metadata))),
    ...[...releases.keys()].flatMap((value) => holdersOf(value, children)),
  ];
  return [...new Set(found)];
}

/** The holder of a release keeps it. If nobody holds it, the oldest valid Application that wants it gets it. */
function findOtherOwner(application: Application, deps: Deps, { claims }: Wanted, entry: Entry) {
  const value = releaseIndexValue(application.metadata.namespace ?? '', entry.release);
  const holders = holdersOf(value, deps.children);
  if (holders.some((child) => isOwned(child, application))) return undefined;
  const stranger = holders.find((child) => !isAdoptable(child, application));
  if (stranger !== undefined) return describeChild(stranger);
  const other = deps.reservations.otherOwner(application, value) ?? claims.get(value);
  return other === undefined ? undefined : `Application ${keyOf(other.metadata)}`;
}

function isWatched({ rules }: Deps, { ref }: SourceUse): boolean {
  return rules.watchedNamespace === undefined || rules.watchedNamespace === ref.namespace;
}

/** The Secrets of an inline source that do not exist. */
function missingCredentials(application: Application, { secrets }: Deps): string[] {
  const { namespace } = application.metadata;
  const { secretRef, caSecretRef } = inlineOf(application) ?? {};
  return Object.entries({ secretRef, caSecretRef }).flatMap(([field, reference]) => {
    if (reference === undefined || secrets.get({ namespace, name: reference.name }) !== undefined) return [];
    return [`${INLINE_PATH}.${field}: Secret ${keyOf({ namespace, name: reference.name })} does not exist: create it`];
  });
}

function missingSources(application: Application, deps: Deps, uses: readonly SourceUse[]): Violation | undefined {
  const { sources } = deps;
  // The source for an inline one comes with the Application; until then, its children say so.
  const missing = uses.filter(
    (use) => use.path !== INLINE_PATH && isWatched(deps, use) && sources.get(use.ref.kind)?.get(use.ref) === undefined,
  );
  const messages = missing.map(
    ({ ref, path }) => `${path}: ${describeObject(ref.kind, ref)} does not exist: create it, or correct the reference`,
  );
  messages.push(...missingCredentials(application, deps));
  return messages.length === 0 ? undefined : { reason: 'SourceNotFound', message: messages.join('; ') };
}

function unwatchedSources(deps: Deps, uses: readonly SourceUse[]): string | undefined {
  const unwatched = uses.filter((use) => !isWatched(deps, use)).map(({ ref }) => describeObject(ref.kind, ref));
  if (unwatched.length === 0) return undefined;
  const watched = deps.rules.watchedNamespace ?? '';
  return `${unwatched.join(', ')}: outside of ${watched}, the only namespace that this controller watches (--namespace); whether it exists is not checked`;
}

function missingSecret(application: Application, { secrets }: Deps, entry: Entry): string | undefined {
  const name = entry.kubeConfig?.secretRef?.name;
  // The credential of a cluster of the inventory is made once a child refers to it.
  if (name === undefined || entry.cluster !== undefined) return undefined;
  const ref = { namespace: application.metadata.namespace, name };
  if (secrets.get(ref) !== undefined) return undefined;
  return `${entry.path}.destination.kubeConfig.secretRef: Secret ${keyOf(ref)} does not exist: create it with the kubeconfig of the cluster`;
}

function chartOf({ status }: Child, { charts }: Deps): Child | undefined {
  const key = status?.helmChart;
  return key === undefined || key === '' ? undefined : charts.get(parseKey(key));
}

function madeSourceOf(child: Child, { made }: Deps): Child | undefined {
  return sourcesOfChild(child)
    .map((place) => made.get(place.kind)?.get(place))
    .find((source) => source !== undefined);
}

/** All other reads of one reconciliation, from caches and at one moment. */
export function observe(application: Application, wanted: Wanted, deps: Deps): World {
  const { validation } = wanted;
  const children = childrenOf(application, deps, wanted.releases);
  const sources = 'violation' in validation ? [] : validation.resolved.sources;
  const { namespace } = application.metadata;
  const key = keyOf(application.metadata);
  return worldOf({
    application,
    validation,
    owned: children.filter((child) => isOwned(child, application)),
    adoptable: children.filter((child) => !isOwned(child, application) && isAdoptable(child, application)),
    clusters: withAbsences(clusterView(deps.inventory), (id) => deps.absences.whyUnknown(key, id)),
    unmatchedSince: deps.unmatched.since(key),
    // A dry run shows what becomes of a child in the end.
    delayMs: asksForDryRun(application) ? 0 : (deps.rules.removalDelayMs ?? REMOVAL_DELAY_MS),
    nowMs: deps.now(),
    isEngineExternal: deps.rules.isEngineExternal,
    revisions: wanted.revisions,
    isTaken: (name) => deps.children.some((cache) => cache.get({ namespace, name }) !== undefined),
    targets: targetsOf(application, deps),
    otherOwnerOf: (entry) => findOtherOwner(application, deps, wanted, entry),
    missingOf: (entry) => missingSecret(application, deps, entry),
    chartOf: (child) => chartOf(child, deps),
    sourceOf: (child) => madeSourceOf(child, deps),
    missingSources: missingSources(application, deps, sources),
    unwatched: unwatchedSources(deps, sources),
    complete: deps.children.every(({ synced }) => synced),
  });
}
