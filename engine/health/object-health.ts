import type { Unstructured } from '#api/meta.js';
import { groupKindOf } from '../member/model/inventory.js';
import { conditionOf, health, listOf, otherGeneration, textOf, viewOf, type View, type Health } from './fields.js';
import {
  daemonSetHealth,
  deploymentHealth,
  jobHealth,
  podHealth,
  replicaSetHealth,
  statefulSetHealth,
} from './workloads.js';

/** As in kstatus, the load balancer itself is not waited for: a cluster may have none. */
function serviceHealth({ spec }: View): Health {
  const isOpen = textOf(spec, 'type') === 'LoadBalancer' && textOf(spec, 'clusterIP') === '';
  return isOpen
    ? health('InProgress', 'ClusterIP not set. Service type: LoadBalancer')
    : health('Current', 'Service is ready');
}

function claimHealth({ status }: View): Health {
  const phase = textOf(status, 'phase');
  if (phase === 'Bound') return health('Current', 'PVC is Bound');
  return health('InProgress', `PVC is not Bound. phase: ${phase === '' ? 'unknown' : phase}`);
}

function budgetHealth(): Health {
  return health('Current', 'AllowedDisruptions has been computed.');
}

/** The first condition that decides, in the order in which they were set. */
function crdHealth({ status: fields }: View): Health {
  for (const condition of listOf(fields, 'conditions')) {
    const [type, status] = [textOf(condition, 'type'), textOf(condition, 'status')];
    const isOpen = type === 'Established' && textOf(condition, 'reason') === 'Installing';
    const decides = type === 'NamesAccepted' || type === 'Established';
    if (decides && status === 'False' && !isOpen) return health('Failed', textOf(condition, 'message'));
    if (type === 'Established' && status === 'True') return health('Current', 'CRD is established');
  }
  return health('InProgress', 'Install in progress');
}

/** Their Ready conditions are ignored. */
function storedHealth(): Health {
  return health('Current', 'Resource is always ready');
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
  ['policy/PodDisruptionBudget', budgetHealth],
  ['apiextensions.k8s.io/CustomResourceDefinition', crdHealth],
  ['batch/CronJob', storedHealth],
  ['/ConfigMap', storedHealth],
  ['/Secret', storedHealth],
]);

/** For any object: it is being deleted, or its controller has not observed it yet. */
function commonHealth(view: View): Health | undefined {
  const { object } = view;
  if (object.metadata.deletionTimestamp !== undefined) return health('Terminating', 'Resource scheduled for deletion');
  const { generation } = object.metadata;
  const observed = otherGeneration(view);
  if (observed === undefined) return undefined;
  return health(
    'InProgress',
    `${object.kind} generation is ${generation}, but latest observed generation is ${observed}`,
  );
}

function orElse(message: string, fallback: string): string {
  return message === '' ? fallback : message;
}

/** The standard conditions of kstatus: the first one that is true decides. */
function conditionHealth({ status }: View): Health | undefined {
  for (const condition of listOf(status, 'conditions')) {
    if (textOf(condition, 'status') !== 'True') continue;
    const [type, message] = [textOf(condition, 'type'), textOf(condition, 'message')];
    if (type === 'Reconciling') return health('InProgress', orElse(message, type));
    if (type === 'Stalled') return health('Failed', orElse(message, type));
  }
  return undefined;
}

function readyHealth(view: View): Health {
  const ready = conditionOf(view, 'Ready');
  if (ready.status === 'False' || ready.status === 'Unknown') {
    return health('InProgress', orElse(ready.message, `Ready is ${ready.status}`));
  }
  return health('Current', 'Resource is current');
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
