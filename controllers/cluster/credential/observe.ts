import type { KubeObject, ObjectRef } from '#api/meta.js';
import { keyOf } from '#lib/kube/keys.js';
import { readGrants } from '../model/grant.js';
import { permitOf, permitOfMissing, type AccessView, type Permit } from '../model/access.js';
import { clusterIdText, type Cluster, type ClusterId } from '../model/cluster.js';
import { clusterOf, grantInUse, type ObservedCredential } from '../model/credential.js';
import type { Deps, Referring } from './deps.js';
import { BY_CREDENTIAL, countReferences } from './mappings.js';

/** What access is decided from, at this moment. */
function accessView({ grants, namespaces, controllerNamespace }: Deps): AccessView {
  return {
    grants: readGrants(grants.list()),
    namespaceLabels: (name) => namespaces.get({ name })?.metadata.labels ?? {},
    controllerNamespace,
  };
}

/** What refers to a Secret. */
export function referringTo(ref: ObjectRef, { referring }: Deps): Referring[] {
  return referring.flatMap((cache) => cache.byIndex(BY_CREDENTIAL, keyOf(ref)));
}

/** Changes whenever the inventory's credential may have changed. */
function sourceVersion({ credential }: Cluster, { secrets }: Deps): string {
  if (credential.type === 'inline') return credential.version;
  if (!('namespace' in credential)) return credential.type;
  const { uid = '', resourceVersion = '' } = secrets.get(credential)?.metadata ?? {};
  return `${credential.type}/${uid}/${resourceVersion}`;
}

function isComplete({ grants, namespaces, referring, hadObjects }: Deps): boolean {
  const isLost = referring.some((cache) => !cache.served && hadObjects.has(cache));
  return !isLost && [grants, namespaces, ...referring].every(({ synced }) => synced);
}

function permitFor(
  { namespace = '' }: ObjectRef,
  { cluster, made, live }: { cluster: Cluster | undefined; made: ClusterId | undefined; live: KubeObject | undefined },
  deps: Deps,
): Permit | undefined {
  if (cluster !== undefined) return permitOf(cluster, namespace, accessView(deps));
  if (made === undefined) return undefined;
  return permitOfMissing(made, grantInUse(live), namespace, accessView(deps));
}

/** All that a pass decides from, from caches. */
export function observe(ref: ObjectRef, deps: Deps): ObservedCredential {
  const { name } = ref;
  const { clusters: index, secrets } = deps;
  const clusters = index.withCredential(name);
  const isReferred = countReferences(keyOf(ref), deps) > 0;
  const live: KubeObject | undefined = secrets.get(ref);
  const made = live === undefined ? undefined : clusterOf(live);
  // Of several, because names collide, the one that the Secret was made for.
  const cluster =
    clusters.find(({ id }) => made !== undefined && clusterIdText(id) === clusterIdText(made)) ?? clusters[0];
  return {
    name,
    live,
    isReferred,
    isComplete: isComplete(deps),
    isAccessKnown: deps.grants.synced && deps.namespaces.synced,
    isInventoryLost: made !== undefined && index.inventory.whyUnknown(made) !== undefined,
    clusters,
    permit: isReferred ? permitFor(ref, { cluster, made, live }, deps) : undefined,
    sourceVersion: cluster === undefined ? '' : sourceVersion(cluster, deps),
  };
}
