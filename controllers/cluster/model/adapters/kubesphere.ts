import { hash } from 'node:crypto';
import omit from 'lodash/omit.js';
import { HOST_CLUSTER_LABEL, kubesphereClusterResource } from '#api/cluster/kinds.js';
import type { KubeObject } from '#api/meta.js';
import { defined, isMap } from '#lib/plain.js';
import { clusterOfObject, fieldAt, listAt, readinessBy, textAt, withReadableAnnotations } from '../fields.js';
import type { Adapter } from '../cluster.js';

/** Of the connection: the token is that of a proxy's agent. */
const CREDENTIALS = ['kubeconfig', 'token'];

interface Kept extends KubeObject {
  /** SHA-256 of the kubeconfig, which is not kept. */
  readonly kubeconfigHash?: string;
}

function withoutCredentials(object: Kept): Kept {
  const [spec, connection] = [fieldAt(object, 'spec'), fieldAt(object, 'spec', 'connection')];
  if (!isMap(spec) || !isMap(connection)) return object;
  return { ...object, ...{ spec: { ...spec, connection: omit(connection, CREDENTIALS) } } };
}

function factsOf(object: KubeObject): Record<string, unknown> {
  const zones = listAt(object, 'status', 'zones').filter((zone) => typeof zone === 'string');
  return defined({
    provider: textAt(object, 'spec', 'provider'),
    region: textAt(object, 'status', 'region'),
    zones: zones.length === 0 ? undefined : zones,
    kubeSphereVersion: textAt(object, 'status', 'kubeSphereVersion'),
    nodeCount: fieldAt(object, 'status', 'nodeCount'),
  });
}

function keep(object: Kept): Kept {
  const kubeconfig = textAt(object, 'spec', 'connection', 'kubeconfig') ?? '';
  const kubeconfigHash = object.kubeconfigHash ?? hash('sha256', kubeconfig);
  return { ...withReadableAnnotations(withoutCredentials(object)), kubeconfigHash };
}

/** KubeSphere's CRD has no status subresource: a generation counts the changes of the status, too. */
function versionOf({ metadata: { uid = '' }, kubeconfigHash = '' }: Kept): string {
  return `${uid}/${kubeconfigHash}`;
}

/** Clusters of KubeSphere: cluster-scoped, with the kubeconfig in the object. */
export const kubesphere: Adapter = {
  name: 'KubeSphere',
  kind: { apiGroup: kubesphereClusterResource.group, kind: 'Cluster' },
  types: [kubesphereClusterResource],
  keep,
  clusterOf: (object: Kept) => {
    const { name, labels = {} } = object.metadata;
    const isHost = Object.hasOwn(labels, HOST_CLUSTER_LABEL);
    return clusterOfObject(object, kubesphere.kind, {
      id: { ...kubesphere.kind, namespace: undefined, name },
      facts: factsOf(object),
      kubernetesVersion: textAt(object, 'status', 'kubernetesVersion'),
      readiness: readinessBy('Ready', listAt(object, 'status', 'conditions')),
      isHost,
      credential: isHost ? { type: 'host' } : { type: 'inline', version: versionOf(object) },
    });
  },
};
