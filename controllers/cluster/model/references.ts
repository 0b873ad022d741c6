import { CONTROL_PLANE_GROUP, INFRASTRUCTURE_GROUP } from '#api/cluster/kinds.js';
import type { KubeObject, ObjectRef } from '#api/meta.js';
import type { Cluster } from './cluster.js';
import { textAt } from './fields.js';

/** An object that a Cluster of Cluster API refers to. Its version may be another one than that which is served. */
export interface Reference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly ref: ObjectRef;
}

export interface References {
  readonly controlPlane: Reference | undefined;
  readonly infraCluster: Reference | undefined;
}

/** What a Cluster of Cluster API refers to; absent where it refers to nothing, or to what does not exist. */
export interface ReferredObjects {
  readonly controlPlane?: KubeObject;
  readonly infraCluster?: KubeObject;
}

/** Of a reference in v1beta2, which names no version. */
const ANY_VERSION = 'v1beta2';
/** Of an API; it becomes a part of a URL. */
const VERSION = /^v\d[a-z0-9]*$/;

function isOfGroup(apiVersion: string, group: string): boolean {
  return apiVersion.startsWith(`${group}/`) && VERSION.test(apiVersion.slice(group.length + 1));
}

/** Of another group, or in another namespace, it could be anything that the controller may read: it is ignored. */
function referenceAt({ id, facts }: Cluster, field: string, group: string): Reference | undefined {
  const at = (name: string): string | undefined => textAt(facts, 'cluster', 'spec', field, name);
  const [kind, name] = [at('kind'), at('name')];
  const apiVersion = at('apiVersion') ?? `${at('apiGroup') ?? ''}/${ANY_VERSION}`;
  const isOwn = id.namespace !== undefined && (at('namespace') ?? id.namespace) === id.namespace;
  if (kind === undefined || name === undefined || !isOwn || !isOfGroup(apiVersion, group)) return undefined;
  return { apiVersion, kind, ref: { namespace: id.namespace, name } };
}

/** The objects with the rest of what is known of a cluster; undefined for clusters of other kinds. Never throws. */
export function referencesOf(cluster: Cluster): References {
  return {
    controlPlane: referenceAt(cluster, 'controlPlaneRef', CONTROL_PLANE_GROUP),
    infraCluster: referenceAt(cluster, 'infrastructureRef', INFRASTRUCTURE_GROUP),
  };
}
