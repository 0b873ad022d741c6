import isEqual from 'lodash/isEqual.js';
import { clusterGrantResource, type ClusterGrant } from '#api/v1alpha1/cluster-grant.js';
import { FIELD_MANAGER } from '#api/v1alpha1/labels.js';
import type { Result } from '#runtime/controller.js';
import { getCondition } from '#lib/kube/conditions.js';
import { parseKey } from '#lib/kube/keys.js';
import { describeObject } from '#lib/net/urls.js';
import { clusterIdFrom, type Cluster } from '../model/cluster.js';
import { grantsCluster, grantsNamespace, readGrants, type Grant } from '../model/grant.js';
import { grantStatus, type ObservedGrant } from '../model/grant-status.js';
import type { Deps, Pass } from './deps.js';

function namespacesOf(grant: Grant, { namespaces }: Deps): string[] {
  const found = namespaces
    .list()
    .filter(({ metadata }) => grantsNamespace(grant, metadata.name, metadata.labels ?? {}));
  return found.map(({ metadata }) => metadata.name);
}

function clustersOf(grant: Grant, clusters: readonly Cluster[], { controllerNamespace }: Deps): Cluster[] {
  return clusters.filter((cluster) => grantsCluster(grant, cluster, controllerNamespace));
}

/** Earlier grants that decide about some of the clusters for some of the namespaces. */
function earlier(name: string, clusters: readonly Cluster[], namespaces: readonly string[], deps: Deps): string[] {
  const before = readGrants(deps.grants.list()).filter((grant) => grant.name < name);
  const labels = (namespace: string) => deps.namespaces.get({ name: namespace })?.metadata.labels ?? {};
  return before
    .filter((grant) => clustersOf(grant, clusters, deps).length > 0)
    .filter((grant) => namespaces.some((namespace) => grantsNamespace(grant, namespace, labels(namespace))))
    .map((grant) => grant.name);
}

/** Clusters and namespaces that a grant names, and that do not exist. */
function missingIn({ clusters, namespaces }: Grant, deps: Deps): string[] {
  const { inventory } = deps.clusters;
  const ids = [...clusters].flatMap((text) => clusterIdFrom(text) ?? []);
  const gone = ids.filter((id) => inventory.get(id) === undefined && inventory.whyUnknown(id) === undefined);
  const names = deps.namespaces.synced ? [...namespaces] : [];
  const absent = names.filter((name) => deps.namespaces.get({ name }) === undefined);
  return [
    ...gone.map((id) => describeObject(id.kind, id)),
    ...absent.map((name) => describeObject('Namespace', { name })),
  ];
}

function observe(object: ClusterGrant, deps: Deps): ObservedGrant {
  const [grant] = readGrants([object]);
  const { inventory } = deps.clusters;
  const clusters = grant === undefined ? [] : clustersOf(grant, inventory.clusters(), deps);
  const namespaces = grant === undefined ? [] : namespacesOf(grant, deps);
  return {
    grant: object,
    clusters,
    namespaces,
    precededBy: earlier(object.metadata.name, clusters, namespaces, deps),
    missing: grant === undefined ? [] : missingIn(grant, deps),
    failures: deps.failures.of(object.metadata.name),
    lost: inventory.lost,
  };
}

/** One pass over one ClusterGrant, which only reports: the credentials have passes of their own. */
export async function reconcileGrant(key: string, pass: Pass): Promise<Result> {
  const grant = pass.grants.get(parseKey(key));
  if (grant === undefined || grant.metadata.deletionTimestamp !== undefined) return {};
  const status = grantStatus(observe(grant, pass), pass.now());
  if (isEqual(grant.status, status)) return {};
  const options = { fieldManager: FIELD_MANAGER, subresource: 'status', signal: pass.signal } as const;
  const written = await pass.kube.update<ClusterGrant>(clusterGrantResource, { ...grant, status }, options);
  pass.grants.recordWrite(written);
  const [was, is] = [grant.status, status].map((each) => getCondition(each?.conditions, 'Ready'));
  if (is !== undefined && was?.status !== is.status) {
    pass.events.record(grant, is.status === 'True' ? 'Normal' : 'Warning', is.reason, is.message);
  }
  return {};
}
