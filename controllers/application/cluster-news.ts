import isEqual from 'lodash/isEqual.js';
import partition from 'lodash/partition.js';
import type { Application } from '#api/v1alpha1/application.js';
import type { ClusterGrant } from '#api/v1alpha1/cluster-grant.js';
import { recordedUid } from '#api/v1alpha1/labels.js';
import type { Cache, Change, Watch } from '#runtime/controller.js';
import { keyOf } from '#lib/kube/keys.js';
import { clusterWatches, type ClusterChange, type Inventory } from '../cluster/inventory.js';
import { permitOf } from '../cluster/model/access.js';
import { clusterIdFrom, clusterIdText, type Cluster, readReference } from '../cluster/model/cluster.js';
import { grantsNamespace, grantVersion, isNewsOfGrant, readGrants } from '../cluster/model/grant.js';
import {
  accessView,
  BY_CLUSTER,
  BY_INVENTORY,
  clusterValues,
  inventoryValues,
  isToBeAsked,
  type InventoryCaches,
} from './clusters.js';
import { BY_OWNER, ownerKeys } from './mappings.js';
import { isHalted } from './model/clusters/replaced.js';
import { mayMatch } from './model/destinations/expand.js';
import { draftsOf } from './model/destinations/entries.js';
import type { Child, Draft } from './model/child/types.js';

/** Changes that come together, as of a label that flaps, are one pass. */
const DELAY_MS = 1_000;

/** What decides to whom a change is news. */
export interface NewsCaches extends InventoryCaches {
  readonly children: readonly Cache<Child>[];
}

interface Caches extends NewsCaches {
  readonly applications: Cache<Application>;
}

/** Only the state of the readiness is news: what is installed reports itself how its cluster is. */
function newsOf(cluster: Cluster | undefined): unknown {
  return cluster === undefined ? undefined : { ...cluster, readiness: cluster.readiness.state };
}

function isNews([before, after]: ClusterChange): boolean {
  return !isEqual(newsOf(before), newsOf(after));
}

/** Tells whether an Application may match a cluster before or after a change; of those that it must not use, none. */
function matcherOf(versions: ClusterChange, caches: InventoryCaches): (application: Application) => boolean {
  const view = accessView(caches);
  const usable = new Map<string, readonly Cluster[]>();
  const usableIn = (namespace: string): readonly Cluster[] => {
    const known =
      usable.get(namespace) ??
      versions.flatMap((each) => (each !== undefined && permitOf(each, namespace, view) !== undefined ? [each] : []));
    usable.set(namespace, known);
    return known;
  };
  return (application) => {
    const { namespace = '' } = application.metadata;
    const clusters = usableIn(namespace);
    return (
      clusters.length > 0 &&
      draftsOf(application).some((draft) => clusters.some((each) => mayMatch(draft, each, namespace)))
    );
  };
}

function isSelecting({ layer }: Draft): boolean {
  return layer.destination?.clusterSelector !== undefined;
}

/** The cluster that an entry names, whether it may use it or not. */
function namedCluster({ layer }: Draft, namespace: string, inventory: Inventory): Cluster | undefined {
  const { clusterRef } = layer.destination ?? {};
  const id = clusterRef && readReference(clusterRef, namespace);
  return id === undefined || 'problem' in id ? undefined : inventory.get(id);
}

/** The clusters that an Application may match and whose UIDs may become known, as `clusterIdText`. */
function silentIds(application: Application, caches: InventoryCaches): string[] {
  if (inventoryValues(application).length === 0) return [];
  const { inventory, identities } = caches;
  const { namespace = '' } = application.metadata;
  const isSilent = ({ id }: Cluster): boolean => {
    const text = clusterIdText(id);
    return identities.uidOf(text) === undefined || identities.isToBeAsked(text);
  };
  const [selecting, naming] = partition(draftsOf(application), isSelecting);
  const named = naming.flatMap((draft) => namedCluster(draft, namespace, inventory) ?? []).filter(isSilent);
  const silent = selecting.length === 0 ? [] : inventory.clusters().filter(isSilent);
  const selected = silent.filter((each) => selecting.some((draft) => mayMatch(draft, each, namespace)));
  const matched = [...new Set([...named, ...selected])];
  if (matched.length === 0) return [];
  const view = accessView(caches);
  return matched.filter((each) => permitOf(each, namespace, view) !== undefined).map(({ id }) => clusterIdText(id));
}

/** The Applications with children on a cluster, by their keys. */
function ownersOn([before, after]: ClusterChange, { children }: NewsCaches): string[] {
  const cluster = before ?? after;
  if (cluster === undefined) return [];
  const owned = children.flatMap((cache) => cache.byIndex(BY_CLUSTER, clusterIdText(cluster.id)));
  return owned.flatMap(ownerKeys);
}

/** The Applications that may match a cluster before or after a change. */
function matchingKeys(caches: Caches, versions: ClusterChange): string[] {
  const matching = caches.applications.byIndex(BY_INVENTORY, '').filter(matcherOf(versions, caches));
  return matching.map(({ metadata }) => keyOf(metadata));
}

/** The Applications that may match a cluster before or after a change, and those with children on it. */
function clusterToKeys(caches: Caches, versions: ClusterChange): string[] {
  return isNews(versions) ? [...new Set([...matchingKeys(caches, versions), ...ownersOn(versions, caches)])] : [];
}

function concerns(application: Application, versions: ClusterChange, caches: NewsCaches): boolean {
  if (!isNews(versions)) return false;
  return matcherOf(versions, caches)(application) || ownersOn(versions, caches).includes(keyOf(application.metadata));
}

function changesBetween(before: readonly Cluster[], after: readonly Cluster[]): ClusterChange[] {
  if (before === after) return [];
  const [was, is] = [before, after].map((all) => new Map(all.map((each) => [clusterIdText(each.id), each])));
  const ids = new Set([...(was?.keys() ?? []), ...(is?.keys() ?? [])]);
  return [...ids].map((id): ClusterChange => [was?.get(id), is?.get(id)]).filter(([a, b]) => a !== b);
}

/** Tells whether anything changed since now that decides which clusters an Application has, and what they are. */
export function inventoryChange(application: Application, caches: NewsCaches): () => boolean {
  const { inventory, grants, namespaces } = caches;
  const { namespace = '' } = application.metadata;
  const access = (): unknown => [
    namespaces.get({ name: namespace })?.metadata.labels,
    inventory.lost,
    grants.list().map(grantVersion),
  ];
  const owned = caches.children.flatMap((cache) => cache.byIndex(BY_OWNER, keyOf(application.metadata)));
  const ids = [...new Set([...owned.flatMap(clusterValues), ...silentIds(application, caches)])];
  // A cluster that is only asked again is the same one until it tells something else.
  const answers = (): unknown => ids.map((id) => caches.identities.uidOf(id) ?? isToBeAsked(id, caches));
  const [clusters, before, known] = [inventory.clusters(), access(), answers()];
  return () =>
    !isEqual(before, access()) ||
    !isEqual(known, answers()) ||
    changesBetween(clusters, inventory.clusters()).some((versions) => concerns(application, versions, caches));
}

/**
 * The Applications with children that do not have the UID of their cluster as it is now, or were suspended for another,
 * and those that may want a child there and have none: it may have been refused as another name of a cluster, or what
 * leaves may have waited for the answer. A cluster that was asked may not tell: then also those with children there of
 * which it is unknown which cluster they are for.
 */
function identityToKeys(caches: Caches, { object }: Change): string[] {
  const { children, identities, inventory } = caches;
  const { name } = object.metadata;
  const uid = identities.uidOf(name);
  const id = clusterIdFrom(name);
  const matching = matchingKeys(caches, [undefined, id && inventory.get(id)]);
  const owned = children.flatMap((cache) => cache.byIndex(BY_CLUSTER, name));
  if (uid === undefined) {
    const unrecorded = owned.filter((child) => recordedUid(child) === undefined);
    return [...new Set([...unrecorded.flatMap(ownerKeys), ...matching])];
  }
  const owners = new Set(owned.flatMap(ownerKeys));
  const without = matching.filter((key) => !owners.has(key));
  const changed = owned.filter((child) => recordedUid(child) !== uid || isHalted(child));
  return [...new Set([...changed.flatMap(ownerKeys), ...without])];
}

/** The Applications that use the inventory in the namespaces that a grant is or was for. Its status is no news. */
function grantToKeys({ applications, namespaces }: Caches, change: Change<ClusterGrant>): string[] {
  if (!isNewsOfGrant(change)) return [];
  const { object, previous } = change;
  const grants = readGrants(previous === undefined ? [object] : [object, previous]);
  const using = applications.byIndex(BY_INVENTORY, '').filter(({ metadata: { namespace = '' } }) => {
    const labels = namespaces.get({ name: namespace })?.metadata.labels ?? {};
    return grants.some((grant) => grantsNamespace(grant, namespace, labels));
  });
  return using.map(({ metadata }) => keyOf(metadata));
}

/** The Applications that use the inventory in a namespace whose labels changed. */
function namespaceToKeys({ applications }: Caches, { object, previous }: Change): string[] {
  if (previous !== undefined && isEqual(previous.metadata.labels, object.metadata.labels)) return [];
  return applications.byIndex(BY_INVENTORY, object.metadata.name).map(({ metadata }) => keyOf(metadata));
}

/** Applications whose destinations depend on what changed. */
export function inventoryWatches(caches: Caches): Watch[] {
  const { clusters, grants, namespaces, identities } = caches;
  const delayMs = (): number => DELAY_MS;
  return [
    ...clusterWatches(clusters, (...versions) => clusterToKeys(caches, versions)).map((watch) => ({
      ...watch,
      delayMs,
    })),
    { cache: identities, toKeys: (change) => identityToKeys(caches, change), delayMs },
    // The runtime passes through what this very cache holds.
    { cache: grants, toKeys: (change: Change) => grantToKeys(caches, change as Change<ClusterGrant>), delayMs },
    { cache: namespaces, toKeys: (change: Change) => namespaceToKeys(caches, change), delayMs },
  ];
}
