import pick from 'lodash/pick.js';
import { CLUSTER_API_RESOURCES, KUBECONFIG_KEY, KUBECONFIG_SUFFIX, PAUSED_ANNOTATION } from '#api/cluster/kinds.js';
import type { KubeObject } from '#api/meta.js';
import type { Readiness, Adapter } from '../cluster.js';
import {
  clusterOfObject,
  fieldAt,
  listAt,
  readinessBy,
  textAt,
  withReadableAnnotations,
  stableObject,
} from '../fields.js';

/** Characters of an object as JSON; those of ClusterClasses with many variables have some 20,000. */
const MAX_LENGTH = 65_536;
const INITIALIZED = 'ControlPlaneInitialized';
/** What the inventory itself needs of an object that is too long. */
const NEEDED = [
  ...['apiVersion', 'kind', 'metadata', 'spec.paused', 'spec.topology.version'],
  ...['status.initialization', 'status.controlPlaneReady'],
];

interface Kept extends KubeObject {
  /** True: too long, so only what the inventory needs was kept. */
  readonly shortened?: boolean;
}

function keep(object: Kept): Kept {
  const readable = withReadableAnnotations(object);
  if (object.shortened === true || JSON.stringify(readable).length <= MAX_LENGTH) return readable;
  const conditions = conditionsOf(readable).filter((each) => fieldAt(each, 'type') === INITIALIZED);
  const needed = pick(readable, NEEDED) as KubeObject; // apiVersion, kind and metadata are among them
  const status = { ...pick(fieldAt(needed, 'status'), ['initialization', 'controlPlaneReady']), conditions };
  return { ...needed, ...{ status }, shortened: true };
}

/** v1beta2 in its own place, and where v1beta1 has a preview of it; then v1beta1. */
function conditionsOf(object: KubeObject): readonly unknown[] {
  return [...listAt(object, 'status', 'v1beta2', 'conditions'), ...listAt(object, 'status', 'conditions')];
}

function readinessOf(object: KubeObject): Readiness {
  if (object.metadata.deletionTimestamp !== undefined) return { state: 'NotReady', message: 'it is being deleted' };
  const readiness = readinessBy(INITIALIZED, conditionsOf(object));
  const isInitialized =
    fieldAt(object, 'status', 'initialization', 'controlPlaneInitialized') === true ||
    fieldAt(object, 'status', 'controlPlaneReady') === true;
  return isInitialized ? { state: 'Ready', message: '' } : readiness;
}

/** Clusters of Cluster API; ready from the moment that their control plane accepts requests. */
export const clusterApi: Adapter = {
  name: 'Cluster API',
  kind: { apiGroup: 'cluster.x-k8s.io', kind: 'Cluster' },
  types: CLUSTER_API_RESOURCES,
  keep,
  clusterOf: (object: Kept) => {
    const { namespace = '', name, annotations = {} } = object.metadata;
    return clusterOfObject(object, clusterApi.kind, {
      facts: object.shortened === true ? {} : { cluster: stableObject(object) },
      kubernetesVersion: textAt(object, 'spec', 'topology', 'version'),
      readiness: readinessOf(object),
      isPaused: fieldAt(object, 'spec', 'paused') === true || Object.hasOwn(annotations, PAUSED_ANNOTATION),
      credential: { type: 'kubeconfig-secret', namespace, name: `${name}${KUBECONFIG_SUFFIX}`, key: KUBECONFIG_KEY },
    });
  },
};
