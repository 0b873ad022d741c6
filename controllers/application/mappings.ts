import isEqual from 'lodash/isEqual.js';
import omit from 'lodash/omit.js';
import { ORIGIN_NAME_LABEL, ORIGIN_NAMESPACE_LABEL } from '#api/flux/annotations.js';
import type { KubeObject, ResourceType } from '#api/meta.js';
import type { Application } from '#api/v1alpha1/application.js';
import { APPLICATION_UID_LABEL, STATE_ANNOTATIONS, STATE_LABELS } from '#api/v1alpha1/labels.js';
import type { Cache, Change } from '#runtime/controller.js';
import { keyOf } from '#lib/kube/keys.js';
import type { AwaitedTargets, ProvenTargets } from './memory.js';
import { backendOf } from './model/backends/index.js';
import { offeredTo, ownerNames } from './model/child/metadata.js';
import type { Child, ReleaseKey } from './model/child/types.js';
import { whyNotReady } from './model/children/plain.js';
import { targetValues } from './model/children/same-target.js';
import { fetchFailure, isChartFailed, isSourceStalled, isTerminating } from './model/children/state.js';
import { draftsOf, entryOf } from './model/destinations/entries.js';
import { usesInventory } from './model/destinations/expand.js';
import { clusterReleasesValue, heldReleaseKeys, releaseIndexValue, slotText } from './model/destinations/identity.js';
import { lookupPlace, rangesIn } from './model/sources/version-lookup.js';
import { sourcesOfChild } from './model/sources/made-source.js';
import { copiesOf, copyPlace, stagedSources } from './model/sources/pinned-copy.js';
import { inlineOf, sourceOf, sourceText } from './model/spec/flux-spec.js';

/** Index of Applications by the source that they name. */
export const BY_SOURCE = 'application-source';
/** Index of Applications by the objects that say which versions they get. */
export const BY_LOOKUP = 'application-lookup';
/** Index of Applications by the Secrets that they name. */
export const BY_SECRET = 'application-secret';
/** Index of Applications by the releases that they want, and of children by those that they hold. */
export const BY_RELEASE = 'application-release';
/** Index of children by the Applications that own them. */
export const BY_OWNER = 'application-owner';
/** Index of children by the Applications that they are offered to. */
export const BY_OFFER = 'application-offer';
/** Index of children by the sources that they refer to. */
export const BY_CHILD_SOURCE = 'child-source';

/** The source that an Application names. */
export function sourceValues(application: Application): string[] {
  const source = sourceOf(application);
  if (source === undefined) return [];
  return [sourceText({ ...source, namespace: source.namespace ?? application.metadata.namespace ?? '' })];
}

/** The sources that a child refers to. */
export function childSources(child: Child): string[] {
  return sourcesOfChild(child).map(sourceText);
}

/** The objects that say which versions an Application in stages gets: lookups of version ranges, sources, and their copies. */
export function lookupValues(application: Application): string[] {
  const places = [
    ...rangesIn(application).map(lookupPlace),
    ...stagedSources(application),
    ...copiesOf(application).map(copyPlace),
  ];
  return places.map(sourceText);
}

/** The kubeconfig Secrets of its entries, and those of its inline source, as `namespace/name`. */
export function secretValues(application: Application): string[] {
  const { namespace } = application.metadata;
  const { secretRef, caSecretRef } = inlineOf(application) ?? {};
  const names = [
    ...draftsOf(application).flatMap(({ layer }) => layer.destination?.kubeConfig?.secretRef?.name ?? []),
    ...[secretRef, caSecretRef].flatMap((reference) => reference?.name ?? []),
  ];
  return [...new Set(names)].map((name) => keyOf({ namespace, name }));
}

/** The release of an entry of the spec; `isOpen`: on clusters that only the inventory knows. */
interface Claim {
  readonly release: ReleaseKey;
  readonly isOpen: boolean;
}

function claimsOf(application: Application): Claim[] {
  return draftsOf(application).map((draft) => ({
    release: entryOf(application, draft).release,
    isOpen: usesInventory(draft),
  }));
}

/** Index value of Applications that want the release on whichever cluster. */
function anywhereValue(namespace: string, release: ReleaseKey): string {
  return `${namespace}/any/${slotText(release)}`;
}

/** The releases that the entries of an Application want. */
export function wantedReleases(application: Application): string[] {
  const { namespace = '' } = application.metadata;
  const values = claimsOf(application).flatMap(({ release, isOpen }) => [
    isOpen ? clusterReleasesValue(namespace, release) : releaseIndexValue(namespace, release),
    anywhereValue(namespace, release),
  ]);
  return [...new Set(values)];
}

/** Index values of the Applications that may want a release. */
export function claimantValues(namespace: string, release: ReleaseKey): string[] {
  return [releaseIndexValue(namespace, release), clusterReleasesValue(namespace, release)];
}

/** Index values of the Applications that may want one of the releases of this one. */
function otherClaimantValues(application: Application): string[] {
  const { namespace = '' } = application.metadata;
  return claimsOf(application).flatMap(({ release, isOpen }) =>
    isOpen ? [anywhereValue(namespace, release)] : claimantValues(namespace, release),
  );
}

/** The releases that a child keeps from others. */
export function heldReleases(child: Child): string[] {
  if (!backendOf(child).isHolder(child)) return [];
  return heldReleaseKeys(child).map((key) => releaseIndexValue(child.metadata.namespace ?? '', key));
}

/** Index values of the Applications that may wait for the releases of a child. */
function waitingValues(child: Child): string[] {
  if (!backendOf(child).isHolder(child)) return [];
  return heldReleaseKeys(child).flatMap((key) => claimantValues(child.metadata.namespace ?? '', key));
}

/** Index value of an Application that a child of its namespace may be offered to. */
export function offerValue(namespace: string | undefined, uid: string): string {
  return `${namespace ?? ''}/${uid}`;
}

/** The Application that a child is offered to. */
export function offers(child: Child): string[] {
  const uid = offeredTo(child);
  return uid === undefined ? [] : [offerValue(child.metadata.namespace, uid)];
}

/** The Applications that own or owned an object. */
export function ownerKeys(object: KubeObject): string[] {
  return ownerNames(object).map((name) => keyOf({ namespace: object.metadata.namespace, name }));
}

/** A changed Application, and those that want the same releases. */
export function applicationToKeys(
  applications: Cache<Application>,
  { object, previous }: Change<Application>,
): string[] {
  const releases = [object, previous].flatMap((each) => (each === undefined ? [] : otherClaimantValues(each)));
  const others = [...new Set(releases)].flatMap((value) => applications.byIndex(BY_RELEASE, value));
  return [...new Set([object, ...others].map(({ metadata }) => keyOf(metadata)))];
}

/** Changes when the releases of a child, its targets or its possible owners change, or whether an offer may be taken. */
function claimOf(child: Child): string {
  const { ownerReferences = [], labels } = child.metadata;
  const owners = ownerReferences.map(({ uid }) => uid);
  const uid = offeredTo(child);
  const offer = uid === undefined ? [] : [uid, whyNotReady(child)];
  const held = [heldReleases(child), targetValues(child), backendOf(child).targetsOf(child), isTerminating(child)];
  return JSON.stringify([held, owners, labels?.[APPLICATION_UID_LABEL], ownerNames(child), offer]);
}

interface ChildDeps {
  readonly applications: Cache<Application>;
  readonly awaited: AwaitedTargets;
  readonly proven: ProvenTargets;
}

/**
 * For a changed child, its owners before and after. If the child was created or deleted, or its claim changed, also the
 * Applications that want its releases or its targets.
 */
export function childToKeys({ applications, awaited, proven }: ChildDeps, change: Change<Child>): string[] {
  const { type, object, previous } = change;
  const news = proven.note(change);
  const versions = previous === undefined ? [object] : [object, previous];
  const owners = versions.flatMap(ownerKeys);
  const holdsTheSame = previous !== undefined && claimOf(previous) === claimOf(object);
  if (type === 'updated' && holdsTheSame && news.length === 0) return [...new Set(owners)];
  const waiting = versions.flatMap(waitingValues).flatMap((value) => applications.byIndex(BY_RELEASE, value));
  const affected = [...versions.flatMap((child) => awaited.of(child)), ...awaited.at(news)];
  return [...new Set([...owners, ...waiting.map(({ metadata }) => keyOf(metadata)), ...affected])];
}

/** The Applications that refer to a source that was created or deleted. Its state is reported by the children. */
export function sourceToKeys(applications: Cache<Application>, type: ResourceType, change: Change): string[] {
  if (change.type === 'updated') return [];
  const { namespace = '', name } = change.object.metadata;
  return applications
    .byIndex(BY_SOURCE, sourceText({ kind: type.kind, namespace, name }))
    .map((each) => keyOf(each.metadata));
}

/** For a HelmChart that failed or recovered, the owners of the release that it was created for. */
export function chartToKeys(children: readonly Cache<Child>[], { object, previous }: Change<Child>): string[] {
  if (previous !== undefined && isChartFailed(previous) === isChartFailed(object)) return [];
  const { labels = {} } = object.metadata;
  const ref = { namespace: labels[ORIGIN_NAMESPACE_LABEL], name: labels[ORIGIN_NAME_LABEL] ?? '' };
  return children.flatMap((cache) => cache.get(ref) ?? []).flatMap(ownerKeys);
}

/** What a source reports of its fetching, as far as it is a failure. */
function fetchReport(source: Child): string | undefined {
  const failure = fetchFailure(source);
  return failure === undefined ? undefined : JSON.stringify([failure, isSourceStalled(source)]);
}

/** For a source that was made for an inline one and failed or recovered, the owners of the children that it is for. */
export function madeSourceToKeys(children: readonly Cache<Child>[], { object, previous }: Change<Child>): string[] {
  if (fetchReport(object) === (previous && fetchReport(previous))) return [];
  const { namespace = '', name } = object.metadata;
  const value = sourceText({ kind: object.kind, namespace, name });
  return [...new Set(children.flatMap((cache) => cache.byIndex(BY_CHILD_SOURCE, value)).flatMap(ownerKeys))];
}

function reportOf({ metadata, spec, status }: Child): string {
  return JSON.stringify([metadata.generation, spec, status]);
}

/** The Applications of which an object says which version they get. */
export function lookupToKeys(
  applications: Cache<Application>,
  { kind }: ResourceType,
  { object, previous }: Change<Child>,
): string[] {
  if (previous !== undefined && reportOf(previous) === reportOf(object)) return [];
  const { namespace = '', name } = object.metadata;
  const users = applications.byIndex(BY_LOOKUP, sourceText({ kind, namespace, name }));
  return users.map(({ metadata }) => keyOf(metadata));
}

/** The Applications that refer to a Secret that was created or deleted. */
export function secretToKeys(applications: Cache<Application>, change: Change): string[] {
  if (change.type === 'updated') return [];
  return applications.byIndex(BY_SECRET, keyOf(change.object.metadata)).map(({ metadata }) => keyOf(metadata));
}

/** Everything that others may change: all but the status and our part of the metadata. */
function askedOf({ metadata }: Application): unknown {
  const { generation, deletionTimestamp, labels, annotations } = metadata;
  return [generation, deletionTimestamp, omit(labels, STATE_LABELS), omit(annotations, STATE_ANNOTATIONS)];
}

/** True for a change of only what we write: the status, our finalizer, labels and annotations. */
export function isOwnWrite(application: Application, previous: Application | undefined): boolean {
  return previous !== undefined && isEqual(askedOf(application), askedOf(previous));
}

/**
 * About the cost of one child in the reconciliation of an Application, which reads all children and writes one status.
 */
const MS_PER_CHILD = 2;
/** Short enough to follow a large roll-out. */
const LONGEST_MS = 2_000;

/**
 * Milliseconds that a change of a child waits for changes of others, so that `children` that report one after another
 * cause few writes of the status. Never more than two seconds.
 */
export function debounceMs(children: number): number {
  return Math.min(children * MS_PER_CHILD, LONGEST_MS);
}
