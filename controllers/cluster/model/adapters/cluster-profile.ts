import { CLUSTER_PROFILE_RESOURCES } from '#api/cluster/kinds.js';
import type { KubeObject } from '#api/meta.js';
import { defined } from '#lib/plain.js';
import type { CredentialSource, Adapter } from '../cluster.js';
import { clusterOfObject, fieldAt, listAt, readinessBy, textAt, withReadableAnnotations } from '../fields.js';

/** Those of a profile; a list without end comes from a broken manager. */
const MAX_PROPERTIES = 500;
/** Of one text; longer ones are no facts. */
const MAX_LENGTH = 8_192;
/** Of all properties together. */
const MAX_PROPERTIES_LENGTH = 65_536;
const CONDITION = 'ControlPlaneHealthy';

const CREDENTIAL: CredentialSource = {
  type: 'none',
  why:
    'a ClusterProfile holds no credential, and the plugins of its access providers are never run; ' +
    'describe this cluster by a Secret with its kubeconfig instead',
};

/** A text that is short enough to be kept. */
function factAt(object: unknown, ...path: readonly string[]): string | undefined {
  const text = textAt(object, ...path);
  return text !== undefined && text.length <= MAX_LENGTH ? text : undefined;
}

/** The first properties; what comes after too much text is not kept. */
function propertiesOf(object: KubeObject): { name: string; value: string }[] {
  const kept: { name: string; value: string }[] = [];
  let length = 0;
  for (const each of listAt(object, 'status', 'properties').slice(0, MAX_PROPERTIES)) {
    const [name, value] = [factAt(each, 'name'), factAt(each, 'value')];
    if (name === undefined || value === undefined) continue;
    length += name.length + value.length;
    if (length > MAX_PROPERTIES_LENGTH) break;
    kept.push({ name, value });
  }
  return kept;
}

/** The fields that make a cluster, and no others. */
function keep(object: KubeObject): KubeObject {
  const { apiVersion, kind, metadata } = withReadableAnnotations(object);
  const conditions = listAt(object, 'status', 'conditions').filter((each) => fieldAt(each, 'type') === CONDITION);
  const condition = defined({
    type: CONDITION,
    status: factAt(conditions[0], 'status'),
    reason: factAt(conditions[0], 'reason'),
    message: textAt(conditions[0], 'message')?.slice(0, MAX_LENGTH),
  });
  const clusterManager = defined({ name: factAt(object, 'spec', 'clusterManager', 'name') });
  return {
    ...{ apiVersion, kind, metadata },
    ...{
      spec: defined({ displayName: factAt(object, 'spec', 'displayName'), clusterManager }),
      status: {
        version: defined({ kubernetes: factAt(object, 'status', 'version', 'kubernetes') }),
        properties: propertiesOf(object),
        conditions: conditions.length === 0 ? [] : [condition],
      },
    },
  };
}

/** ClusterProfiles of SIG Multicluster. */
export const clusterProfile: Adapter = {
  name: 'ClusterProfiles',
  kind: { apiGroup: 'multicluster.x-k8s.io', kind: 'ClusterProfile' },
  types: CLUSTER_PROFILE_RESOURCES,
  keep,
  clusterOf: (object) =>
    clusterOfObject(object, clusterProfile.kind, {
      facts: defined({
        displayName: textAt(object, 'spec', 'displayName'),
        clusterManager: textAt(object, 'spec', 'clusterManager', 'name'),
        properties: Object.fromEntries(propertiesOf(object).map(({ name: key, value }) => [key, value])),
      }),
      kubernetesVersion: textAt(object, 'status', 'version', 'kubernetes'),
      readiness: readinessBy(CONDITION, listAt(object, 'status', 'conditions')),
      credential: CREDENTIAL,
    }),
};
