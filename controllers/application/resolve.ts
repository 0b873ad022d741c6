import type { Application } from '#api/v1alpha1/application.js';
import { soonest } from '#lib/duration.js';
import { keyOf } from '#lib/kube/keys.js';
import { describeObject } from '#lib/net/urls.js';
import { pause } from '#runtime/until.js';
import { inventoryChange } from './cluster-news.js';
import { clusterView } from './clusters.js';
import type { Deps, Pass } from './deps.js';
import { BY_OWNER, BY_RELEASE, claimantValues } from './mappings.js';
import { hasBackend } from './model/backends/index.js';
import { isOwned, precedes } from './model/child/metadata.js';
import type { Child, ReleaseKey, Violation } from './model/child/types.js';
import { entriesOf } from './model/destinations/entries.js';
import { liveReleaseKey, releaseIndexValue, releaseKeyText } from './model/destinations/identity.js';
import { isTerminating } from './model/children/state.js';
import {
  type Claimant,
  claimantOf,
  entriesByRelease,
  type EntriesByRelease,
  type Successor,
  successorOf,
} from './model/children/successors.js';
import type { Lookups, Revisions } from './model/children/world.js';
import {
  type Claims,
  claimsOf,
  haveSameDestinations,
  validate,
  type Validation,
  wantedOf,
} from './model/destinations/validate.js';
import { foundVersion, lookupPlace, resolveVersions } from './model/sources/version-lookup.js';
import { foundRevision } from './model/sources/pinned-copy.js';
import { engineOf, INLINE_PATH, inlineOf, type SourcePlace, sourceReference } from './model/spec/flux-spec.js';
import { keptRevisions } from './model/spec/history.js';
import { isMadeSource } from './model/spec/inline-source.js';
import { observeRevisions } from './revisions.js';
import { templateView } from './templates.js';
import { withGates, withValues } from './values.js';

/** With one version of each chart and source for all clusters, as far as these are found now. */
function withVersions(
  validation: Validation,
  application: Application,
  { history, charts, pinnable, rules }: Pick<Deps, 'history' | 'charts' | 'pinnable' | 'rules'>,
): Validation {
  if (validation === 'pending' || 'violation' in validation) return validation;
  const sourceAt = (place: SourcePlace): Child | undefined => pinnable.get(place.kind)?.get(place);
  const [newest] = keptRevisions(application, history.kept.byIndex(BY_OWNER, keyOf(application.metadata)));
  return resolveVersions(validation, {
    newest,
    find: (reference) =>
      reference.chart === undefined
        ? foundRevision(reference.source, application.metadata.namespace, sourceAt)
        : foundVersion(reference, charts.get(lookupPlace(reference)), rules),
  });
}

/** The charts of somebody else's source are unknown. */
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
  const pass = { tenant, signal: deps.signal };
  const { valid, retryAfterMs } = await withValues(validation, deps, pass);
  return { validation: await withGates(valid, deps, pass), retryAfterMs };
}

/** The wishes of an Application, and who is before it. */
export interface ResolvedApplication {
  readonly validation: Lookups['validation'];
  /** The releases of its entries, by their index values. */
  readonly releases: ReadonlyMap<string, ReleaseKey>;
  /** The older Applications that keep it from a release that nobody holds, by the index value of the release. */
  readonly claims: ReadonlyMap<string, Application>;
  /** By the UID of a child for which this one has no entry: the Application that specifies its release. */
  readonly successors: ReadonlyMap<string, Successor>;
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
function movedOn(first: Validation, application: Application, deps: Deps): ResolvedApplication['isOutdated'] {
  const hasChanged = changeOf(application, deps);
  return () =>
    !isNewest(application, deps) || (hasChanged() && !haveSameDestinations(first, validateNow(application, deps)));
}

/**
 * Expands an Application to its destinations, with their values, and finds who is before it. Pending: its template was
 * not validated yet.
 */
export async function resolve(application: Application, deps: Pass): Promise<ResolvedApplication | 'pending'> {
  const first = validateNow(application, deps);
  const isOutdated = movedOn(first, application, deps);
  const { validation: stated, retryAfterMs } = await completed(first, application, deps);
  const validation = withVersions(stated, application, deps);
  if (validation === 'pending') return validation;
  const releases = wantedOf(application, validation);
  const validationOf = validating(deps);
  const claims = await olderClaims(releases, { application, validationOf }, deps);
  const successors = await successorsOf(validation, { application, validationOf }, deps);
  const revisions = 'violation' in validation ? undefined : await observeRevisions(application, validation, deps);
  const again = soonest([retryAfterMs, revisions?.retryAfterMs]);
  return { validation, releases, claims, successors, revisions, retryAfterMs: again, isOutdated };
}

type ValidationOf = (application: Application) => Promise<Validation>;

/** Nothing bounds how many are asked about, nor how many destinations each of them has. */
function validating(deps: Pass): ValidationOf {
  const known = new Map<Application, Validation>();
  return async (application) => {
    const before = known.get(application);
    if (before !== undefined) return before;
    await pause(deps.signal);
    const { validation } = await completed(validateNow(application, deps), application, deps);
    known.set(application, validation);
    return validation;
  };
}

interface Asking {
  readonly application: Application;
  readonly validationOf: ValidationOf;
}

/** Other Applications that may want a release. All of one release are of one namespace. */
function wantingOf(release: ReleaseKey, { metadata }: Application, { applications }: Deps): Application[] {
  const values = claimantValues(metadata.namespace ?? '', release);
  const found = new Set(values.flatMap((each) => applications.byIndex(BY_RELEASE, each)));
  return [...found].filter((other) => {
    return other.metadata.uid !== metadata.uid && other.metadata.deletionTimestamp === undefined;
  });
}

/** A release that this one holds already is not asked about: whoever holds it keeps it. */
async function olderClaims(
  releases: ResolvedApplication['releases'],
  { application, validationOf }: Asking,
  deps: Pass,
): Promise<Map<string, Application>> {
  const claimsBy = new Map<Application, Claims>();
  const found = new Map<string, Application>();
  const { namespace = '' } = application.metadata;
  for (const [value, release] of releases) {
    if (holdersOf(value, deps.children).some((child) => isOwned(child, application))) continue;
    for (const other of wantingOf(release, application, deps)) {
      if (found.has(value) || !precedes(other, application)) continue;
      const claims = claimsBy.get(other) ?? claimsOf(await validationOf(other), namespace);
      claimsBy.set(other, claims);
      if (claims === 'any' || claims.has(value)) found.set(value, other);
    }
  }
  return found;
}

/** The wishes of other Applications, read once for all children. */
class OtherWishes {
  readonly #stated = new Map<Application, EntriesByRelease>();
  readonly #claimants = new Map<Application, Claimant>();
  readonly #validationOf: ValidationOf;
  readonly #clusters: ReturnType<typeof clusterView>;
  readonly #children: Deps['children'];

  constructor(validationOf: ValidationOf, { inventory, children }: Deps) {
    this.#validationOf = validationOf;
    this.#children = children;
    this.#clusters = clusterView(inventory);
  }

  /** The entries of an Application, whatever is wrong with them. */
  statedBy(other: Application): EntriesByRelease {
    const known = this.#stated.get(other);
    if (known !== undefined) return known;
    const stated = entriesByRelease(hasBackend(engineOf(other)) ? entriesOf(other, this.#clusters) : []);
    this.#stated.set(other, stated);
    return stated;
  }

  async claimantOf(other: Application): Promise<Claimant> {
    const known = this.#claimants.get(other);
    if (known !== undefined) return known;
    const claimant = claimantOf(other, await this.#validationOf(other), {
      stated: this.statedBy(other),
      has: (release) => this.#has(other, release),
    });
    this.#claimants.set(other, claimant);
    return claimant;
  }

  #has(other: Application, release: ReleaseKey): boolean {
    const value = releaseIndexValue(other.metadata.namespace ?? '', release);
    return holdersOf(value, this.#children).some((child) => isOwned(child, other) && !isTerminating(child));
  }

  /** Those that specify the release. Most of those with selectors have none for its cluster. */
  async claimantsOf(release: ReleaseKey, others: readonly Application[]): Promise<Claimant[]> {
    const text = releaseKeyText(release);
    const found: Claimant[] = [];
    for (const other of others) if (this.statedBy(other).has(text)) found.push(await this.claimantOf(other));
    return found;
  }
}

/** Children that are asked about before others have the thread. */
const CHILDREN_AT_ONCE = 100;

/**
 * By the UID of a child: the Application that specifies its release. Only children without an entry are asked about:
 * mostly there are none. An Application that is invalid as a whole gives nothing away.
 */
export async function successorsOf(
  validation: Validation,
  { application, validationOf }: Asking,
  deps: Pass,
): Promise<Map<string, Successor>> {
  const found = new Map<string, Successor>();
  if (validation === 'pending' || 'violation' in validation) return found;
  const { namespace = '' } = application.metadata;
  const releases = wantedOf(application, validation);
  const children = deps.children.flatMap((cache) => cache.byIndex(BY_OWNER, keyOf(application.metadata)));
  const wishes = new OtherWishes(validationOf, deps);
  const owned = children.filter((each) => isOwned(each, application) && !isTerminating(each));
  for (const [at, child] of owned.entries()) {
    if (at % CHILDREN_AT_ONCE === CHILDREN_AT_ONCE - 1) await pause(deps.signal);
    const release = liveReleaseKey(child);
    if (releases.has(releaseIndexValue(namespace, release))) continue;
    const successor = successorOf(child, await wishes.claimantsOf(release, wantingOf(release, application, deps)));
    if (successor !== undefined) found.set(child.metadata.uid ?? '', successor);
  }
  return found;
}

/** The children that hold a release, by its index value. */
export function holdersOf(release: string, children: Deps['children']): Child[] {
  return children.flatMap((cache) => cache.byIndex(BY_RELEASE, release));
}
