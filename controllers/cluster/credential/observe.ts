import type { KubeObject, ObjectRef } from '#api/meta.js';
import { readGrants } from '../model/grant.js';
import { permitOf, type AccessView } from '../model/access.js';
import type { Cluster } from '../model/cluster.js';
import type { ObservedCredential } from '../model/credential.js';
import type { Deps, Referring } from './deps.js';
import { BY_CREDENTIAL, countReferences } from './mappings.js';
import { keyOf } from '../../runtime/pure/keys.js';

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

/** All that a pass decides from, from caches. */
export function observe(ref: ObjectRef, deps: Deps): ObservedCredential {
  const { name, namespace = '' } = ref;
  const { clusters: index, secrets } = deps;
  const clusters = index.withCredential(name);
  const [cluster] = clusters;
  const isReferred = countReferences(keyOf(ref), deps) > 0;
  const live: KubeObject | undefined = secrets.get(ref);
  return {
    name,
    live,
    isReferred,
    isComplete: isComplete(deps),
    isInventoryLost: index.inventory.lost.length > 0,
    clusters,
    permit: cluster === undefined || !isReferred ? undefined : permitOf(cluster, namespace, accessView(deps)),
    sourceVersion: cluster === undefined ? '' : sourceVersion(cluster, deps),
  };
}
