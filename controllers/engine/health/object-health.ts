import type { Unstructured } from '../../../api/meta.js';
import { conditionOf, health, numberOf, textOf, viewOf, type View } from './fields.js';
import type { Health } from './types.js';
import {
  daemonSetHealth,
  deploymentHealth,
  jobHealth,
  podHealth,
  replicaSetHealth,
  statefulSetHealth,
} from './workloads.js';

/** As kstatus has it, the balancer itself is not waited for: a cluster may have none. */
function serviceHealth({ spec }: View): Health {
  const isOpen = textOf(spec, 'type') === 'LoadBalancer' && textOf(spec, 'clusterIP') === '';
  return isOpen
    ? health('InProgress', 'ClusterIP not set. Service type: LoadBalancer')
    : health('Current', 'Service is ready');
}

function claimHealth({ status }: View): Health {
  const phase = textOf(status, 'phase');
  if (phase === 'Bound') return health('Current', 'PVC is Bound');
  if (phase === 'Lost') return health('Failed', 'PVC lost its volume');
  return health('InProgress', `PVC is not Bound. phase: ${phase === '' ? 'unknown' : phase}`);
}

function budgetHealth(): Health {
  return health('Current', 'AllowedDisruptions has been computed.');
}

function crdHealth(view: View): Health {
  const names = conditionOf(view, 'NamesAccepted');
  if (names.status === 'False') return health('Failed', names.message);
  const established = conditionOf(view, 'Established');
  if (established.status === 'True') return health('Current', 'CRD is established');
  return established.status === 'False' && established.reason !== 'Installing'
    ? health('Failed', established.message)
    : health('InProgress', 'Install in progress');
}

function namespaceHealth({ status }: View): Health {
  return textOf(status, 'phase') === 'Terminating'
    ? health('Terminating', 'Namespace is being deleted')
    : health('Current', 'Namespace is active');
}

const RULES: ReadonlyMap<string, (view: View) => Health> = new Map([
  ['apps/Deployment', deploymentHealth],
  ['apps/ReplicaSet', replicaSetHealth],
  ['apps/StatefulSet', statefulSetHealth],
  ['apps/DaemonSet', daemonSetHealth],
  ['batch/Job', jobHealth],
  ['/Pod', podHealth],
  ['/Service', serviceHealth],
  ['/PersistentVolumeClaim', claimHealth],
  ['/Namespace', namespaceHealth],
  ['policy/PodDisruptionBudget', budgetHealth],
  ['apiextensions.k8s.io/CustomResourceDefinition', crdHealth],
]);

/** What any object may say: being deleted, or not looked at by its controller yet. */
function commonHealth({ object, status }: View): Health | undefined {
  if (object.metadata.deletionTimestamp !== undefined) return health('Terminating', 'Resource scheduled for deletion');
  const { generation } = object.metadata;
  const observed = numberOf(status, 'observedGeneration', generation);
  if (generation === undefined || observed === generation) return undefined;
  return health(
    'InProgress',
    `${object.kind} generation is ${generation}, but latest observed generation is ${observed}`,
  );
}

function orElse(message: string, fallback: string): string {
  return message === '' ? fallback : message;
}

/** The standard conditions of kstatus, then Ready; an object that has none of them is current as it is. */
function conditionHealth(view: View): Health | undefined {
  const reconciling = conditionOf(view, 'Reconciling');
  if (reconciling.status === 'True') return health('InProgress', orElse(reconciling.message, 'Reconciling'));
  const stalled = conditionOf(view, 'Stalled');
  if (stalled.status === 'True') return health('Failed', orElse(stalled.message, 'Stalled'));
  return undefined;
}

function readyHealth(view: View): Health {
  const ready = conditionOf(view, 'Ready');
  if (ready.status === 'False' || ready.status === 'Unknown') {
    return health('InProgress', orElse(ready.message, `Ready is ${ready.status}`));
  }
  return health('Current', 'Resource is current');
}

/** `group/Kind`; the group of core kinds is empty. */
export function groupKindOf({ apiVersion, kind }: Pick<Unstructured, 'apiVersion' | 'kind'>): string {
  const slash = apiVersion.indexOf('/');
  return `${apiVersion.slice(0, Math.max(slash, 0))}/${kind}`;
}

/**
 * The health of a live object by the rules of kstatus: built-in kinds by their own status fields, all others by
 * observedGeneration and the conditions Reconciling, Stalled and Ready. Never throws.
 */
export function objectHealth(object: Unstructured): Health {
  const view = viewOf(object);
  const rule = RULES.get(groupKindOf(object));
  return commonHealth(view) ?? conditionHealth(view) ?? (rule === undefined ? readyHealth(view) : rule(view));
}
