import isEqual from 'lodash/isEqual.js';
import { namespaceResource } from '../../api/core.js';
import type { KubeObject } from '../../api/meta.js';
import type { Application } from '../../api/v1alpha1/application.js';
import { clusterGrantResource, type ClusterGrant } from '../../api/v1alpha1/cluster-grant.js';
import {
  clusterCaches,
  clusterWatches,
  inventoryOf,
  type ClusterCaches,
  type ClusterChange,
  type Inventory,
} from '../cluster/inventory.js';
import { accessOf, type AccessView } from '../cluster/model/access.js';
import { clusterIdFrom, clusterIdText, type Cluster } from '../cluster/model/cluster.js';
import { grantsNamespace, readGrants } from '../cluster/model/grant.js';
import type { Cache, Change, SetupContext, Watch } from '../runtime/controller.js';
import { keyOf } from '../runtime/pure/keys.js';
import { clusterIdOf } from './model/clusters/child-cluster.js';
import { mayMatch, selectorsProblem, usesInventory } from './model/clusters/expand.js';
import type { ClusterView } from './model/clusters/types.js';
import { draftsOf } from './model/entries.js';
import { ownerNames } from './model/ownership.js';
import type { Child } from './model/types.js';

/** Index of the Applications that use the inventory, by namespace, and under '' all of them. */
export const BY_INVENTORY = 'application-inventory';
/** Index of children by the cluster of the inventory that they are for. */
export const BY_CLUSTER = 'application-cluster';

/** Changes that come together, as of a label that flaps, are one pass. */
const DELAY_MS = 1_000;

/** The caches that destinations are looked up in. */
export interface InventoryCaches {
  readonly clusters: ClusterCaches;
  readonly inventory: Inventory;
  readonly grants: Cache<ClusterGrant>;
  /** Metadata only. */
  readonly namespaces: Cache<KubeObject>;
  readonly controllerNamespace: string;
}

interface Place {
  readonly watchedNamespace?: string | undefined;
  readonly controllerNamespace: string;
}

/** Requests these caches during setup. */
export function inventoryCaches(context: Pick<SetupContext, 'cache'>, place: Place): InventoryCaches {
  const clusters = clusterCaches(context, place.watchedNamespace);
  return {
    clusters,
    inventory: inventoryOf(clusters),
    grants: context.cache<ClusterGrant>(clusterGrantResource, { optional: true, mayFail: true }),
    namespaces: context.cache(namespaceResource, { metadataOnly: true }),
    controllerNamespace: place.controllerNamespace,
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

function accessView({ grants, namespaces, controllerNamespace }: InventoryCaches): AccessView {
  return {
    grants: readGrants(grants.list()),
    namespaceLabels: (name) => namespaces.get({ name })?.metadata.labels ?? {},
    controllerNamespace,
  };
}

/** The inventory at this moment. */
export function clusterView(caches: InventoryCaches): ClusterView {
  const { inventory } = caches;
  const access = accessView(caches);
  const byId = inventory.clusters().map((cluster) => [clusterIdText(cluster.id), cluster] as const);
  return {
    clusters: byId.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, cluster]) => cluster),
    find: (text) => {
      const id = clusterIdFrom(text);
      return id === undefined ? undefined : inventory.get(id);
    },
    lost: inventory.lost,
    whyUnknown: (text) => {
      const id = clusterIdFrom(text);
      return id === undefined ? undefined : inventory.whyUnknown(id);
    },
    accessOf: (cluster, namespace) => accessOf(cluster, namespace, access),
  };
}

/** What is the same object as before as long as nothing changed of which clusters a namespace may use. */
export function inventoryState({ inventory, grants, namespaces }: InventoryCaches, namespace: string): unknown[] {
  return [namespaces.get({ name: namespace }), ...inventory.lost, ...inventory.clusters(), ...grants.list()];
}

/** What probes report is not news: children report whether their cluster is reachable. */
function newsOf(cluster: Cluster | undefined): unknown {
  return cluster === undefined ? undefined : { ...cluster, readiness: undefined };
}

interface Caches extends InventoryCaches {
  readonly applications: Cache<Application>;
  readonly children: readonly Cache<Child>[];
}

/** The Applications that may match a cluster before or after a change, and those with children on it. */
function clusterToKeys({ applications, children }: Caches, versions: ClusterChange): string[] {
  const [before, after] = versions;
  if (isEqual(newsOf(before), newsOf(after))) return [];
  const known = versions.filter((version) => version !== undefined);
  const matching = applications.byIndex(BY_INVENTORY, '').filter((application) => {
    const { namespace = '' } = application.metadata;
    return draftsOf(application).some((draft) => known.some((cluster) => mayMatch(draft, cluster, namespace)));
  });
  const [id] = known.map((cluster) => clusterIdText(cluster.id));
  const owned = children.flatMap((cache) => (id === undefined ? [] : cache.byIndex(BY_CLUSTER, id)));
  const owners = owned.flatMap(({ metadata, ...child }) =>
    ownerNames({ metadata, ...child }).map((name) => keyOf({ namespace: metadata.namespace, name })),
  );
  return [...new Set([...matching.map(({ metadata }) => keyOf(metadata)), ...owners])];
}

/** The Applications that use the inventory in the namespaces that a grant is or was for. */
function grantToKeys({ applications, namespaces }: Caches, { object, previous }: Change<ClusterGrant>): string[] {
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
  const { clusters, grants, namespaces } = caches;
  const delayMs = (): number => DELAY_MS;
  return [
    ...clusterWatches(clusters, (...versions) => clusterToKeys(caches, versions)).map((watch) => ({
      ...watch,
      delayMs,
    })),
    // The runtime passes through what this very cache holds.
    { cache: grants, toKeys: (change: Change) => grantToKeys(caches, change as Change<ClusterGrant>), delayMs },
    { cache: namespaces, toKeys: (change: Change) => namespaceToKeys(caches, change), delayMs },
  ];
}
