import { CLUSTER_PROFILE_RESOURCES } from '#api/cluster/cluster-profile.js';
import type { KubeObject } from '#api/meta.js';
import { defined } from '#controllers/runtime/pure/defined.js';
import type { CredentialSource } from '../cluster.js';
import { listAt, readinessBy, textAt } from '../fields.js';
import { withReadableAnnotations } from '../metadata.js';
import type { Adapter } from './types.js';

/** Those of a profile; a list without end comes from a broken manager. */
const MAX_PROPERTIES = 500;

const CREDENTIAL: CredentialSource = {
  type: 'none',
  why:
    'a ClusterProfile holds no credential, and the plugins of its access providers are never run; ' +
    'describe this cluster by a Secret with its kubeconfig instead',
};

function propertiesOf(object: KubeObject): Record<string, string> {
  const properties = listAt(object, 'status', 'properties').slice(0, MAX_PROPERTIES);
  const pairs = properties.map((each) => [textAt(each, 'name'), textAt(each, 'value')] as const);
  return Object.fromEntries(pairs.filter((pair): pair is [string, string] => !pair.includes(undefined)));
}

/** ClusterProfiles of SIG Multicluster. */
export const clusterProfile: Adapter = {
  name: 'ClusterProfiles',
  kind: { apiGroup: 'multicluster.x-k8s.io', kind: 'ClusterProfile' },
  types: CLUSTER_PROFILE_RESOURCES,
  keep: withReadableAnnotations,
  clusterOf: (object) => {
    const { namespace = '', name, labels = {}, annotations = {} } = object.metadata;
    return {
      id: { ...clusterProfile.kind, namespace, name },
      labels,
      annotations,
      facts: defined({
        displayName: textAt(object, 'spec', 'displayName'),
        clusterManager: textAt(object, 'spec', 'clusterManager', 'name'),
        properties: propertiesOf(object),
      }),
      kubernetesVersion: textAt(object, 'status', 'version', 'kubernetes'),
      readiness: readinessBy('ControlPlaneHealthy', listAt(object, 'status', 'conditions')),
      isPaused: false,
      isHost: false,
      credential: CREDENTIAL,
    };
  },
};
