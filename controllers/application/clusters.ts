import { namespaceResource, secretResource } from '#api/core.js';
import type { KubeObject } from '#api/meta.js';
import type { Application } from '#api/v1alpha1/application.js';
import { type ClusterGrant, clusterGrantResource, grantedBy } from '#api/v1alpha1/cluster-grant.js';
import { CREDENTIAL_LABEL } from '#api/v1alpha1/labels.js';
import type { Cache, SetupContext } from '#runtime/controller.js';
import { Identities } from '../cluster/identities.js';
import { clusterCaches, type ClusterCaches, type Inventory, inventoryOf } from '../cluster/inventory.js';
import { accessOf, type AccessView } from '../cluster/model/access.js';
import { clusterIdFrom, type ClusterId, clusterIdText } from '../cluster/model/cluster.js';
import { credentialName } from '../cluster/model/credential-name.js';
import { readGrants } from '../cluster/model/grant.js';
import { clusterIdOf, type ClusterView } from './model/child/cluster.js';
import type { Child } from './model/child/types.js';
import { draftsOf } from './model/destinations/entries.js';
import { selectorsProblem, usesInventory } from './model/destinations/expand.js';

/** Index of the Applications that use the inventory, by namespace, and under '' all of them. */
export const BY_INVENTORY = 'application-inventory';
/** Index of children by the cluster of the inventory that they are for. */
export const BY_CLUSTER = 'application-cluster';

/** The caches that destinations are looked up in. */
export interface InventoryCaches {
  readonly clusters: ClusterCaches;
  readonly inventory: Inventory;
  readonly grants: Cache<ClusterGrant>;
  /** Metadata only. */
  readonly namespaces: Cache<KubeObject>;
  /** Kubeconfigs that were made for granted clusters; metadata only. */
  readonly made: Cache<KubeObject>;
  readonly controllerNamespace: string;
  readonly identities: Identities;
}

interface Place {
  readonly watchedNamespace?: string | undefined;
  readonly controllerNamespace: string;
  readonly identities?: Identities;
}

/** Requests these caches during setup. */
export function inventoryCaches(context: Pick<SetupContext, 'cache'>, place: Place): InventoryCaches {
  const clusters = clusterCaches(context, place.watchedNamespace);
  return {
    clusters,
    inventory: inventoryOf(clusters),
    grants: context.cache<ClusterGrant>(clusterGrantResource, { optional: true, mayFail: true }),
    namespaces: context.cache(namespaceResource, { metadataOnly: true }),
    made: context.cache(secretResource, { metadataOnly: true, labelSelector: `${CREDENTIAL_LABEL}=true` }),
    controllerNamespace: place.controllerNamespace,
    identities: place.identities ?? new Identities({ isAsking: false }),
  };
}

/** Without those whose selectors are too many: they are invalid, whichever clusters there are. */
export function inventoryValues(application: Application): string[] {
  const drafts = draftsOf(application);
  return drafts.some(usesInventory) && selectorsProblem(drafts) === undefined
    ? ['', application.metadata.namespace ?? '']
    : [];
}

export function clusterValues(child: Child): string[] {
  const id = clusterIdOf(child);
  return id === undefined ? [] : [id];
}

/** What access is decided from, at this moment. */
export function accessView({ grants, namespaces, controllerNamespace }: InventoryCaches): AccessView {
  return {
    grants: readGrants(grants.list()),
    namespaceLabels: (name) => namespaces.get({ name })?.metadata.labels ?? {},
    controllerNamespace,
  };
}

/** Calls `find` with the cluster of a text if that is a `clusterIdText`. */
function withId<Found>(text: string, find: (id: ClusterId) => Found | undefined): Found | undefined {
  const id = clusterIdFrom(text);
  return id === undefined ? undefined : find(id);
}

function isInInventory(text: string, { inventory }: InventoryCaches): boolean {
  return withId(text, (id) => inventory.get(id)) !== undefined;
}

/** True while it is open which cluster of the inventory this is, by `clusterIdText`. */
export function isToBeAsked(text: string, caches: InventoryCaches): boolean {
  return isInInventory(text, caches) && caches.identities.isToBeAsked(text);
}

/** The inventory at this moment. */
export function clusterView(caches: InventoryCaches): ClusterView {
  const { inventory, identities } = caches;
  const access = accessView(caches);
  const byId = inventory.clusters().map((cluster) => [clusterIdText(cluster.id), cluster] as const);
  return {
    clusters: byId.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, cluster]) => cluster),
    find: (text) => withId(text, (id) => inventory.get(id)),
    lost: inventory.lost,
    whyUnknown: (text) => withId(text, (id) => inventory.whyUnknown(id)),
    uidOf: (id) => identities.uidOf(id),
    isToBeAsked: (id) => isToBeAsked(id, caches),
    isUnasked: (id) => isInInventory(id, caches) && identities.isUnasked(id),
    isSilent: (id) => isInInventory(id, caches) && identities.isSilent(id),
    grantedBy: (text, namespace) => {
      const secret = withId(text, (id) => caches.made.get({ namespace, name: credentialName(id) }));
      return secret && grantedBy(secret);
    },
    accessOf: (cluster, namespace) => accessOf(cluster, namespace, access),
  };
}
