import { splitApiVersion } from '#api/meta.js';
import type { ObjectTarget } from '../member/model/inventory.js';

/**
 * The order of applying: objects of one stage do not need each other. Custom resources follow the workloads that may
 * serve their webhooks. Admission webhooks come last, since they affect everything that is applied after them.
 */
const STAGES: readonly (readonly string[])[] = [
  ['Namespace', 'CustomResourceDefinition'],
  ['PriorityClass', 'StorageClass', 'IngressClass', 'RuntimeClass'],
  [
    'NetworkPolicy',
    'ResourceQuota',
    'LimitRange',
    'PodDisruptionBudget',
    'ServiceAccount',
    'Secret',
    'ConfigMap',
    'PersistentVolume',
    'ClusterRole',
    'Role',
  ],
  ['PersistentVolumeClaim', 'ClusterRoleBinding', 'RoleBinding', 'Service'],
  [
    'DaemonSet',
    'Pod',
    'ReplicationController',
    'ReplicaSet',
    'Deployment',
    'HorizontalPodAutoscaler',
    'StatefulSet',
    'Job',
    'CronJob',
  ],
  ['Ingress', 'APIService'],
  [],
  [
    'MutatingAdmissionPolicy',
    'MutatingAdmissionPolicyBinding',
    'ValidatingAdmissionPolicy',
    'ValidatingAdmissionPolicyBinding',
    'MutatingWebhookConfiguration',
    'ValidatingWebhookConfiguration',
  ],
];
const OTHER_KINDS = STAGES.findIndex((kinds) => kinds.length === 0);
const STAGE_OF = new Map(STAGES.flatMap((kinds, stage) => kinds.map((kind) => [kind, stage] as const)));
const BUILT_IN_GROUP = /^([^.]*|.*\.k8s\.io)$/;

/** True for the groups of Kubernetes itself. */
export function isBuiltIn({ apiVersion }: Pick<ObjectTarget, 'apiVersion'>): boolean {
  return BUILT_IN_GROUP.test(splitApiVersion(apiVersion).group);
}

function stageOf({ apiVersion, kind }: Pick<ObjectTarget, 'apiVersion' | 'kind'>): number {
  // A custom resource may share its kind with a built-in one (Knative's Service).
  return isBuiltIn({ apiVersion }) ? (STAGE_OF.get(kind) ?? OTHER_KINDS) : OTHER_KINDS;
}

/**
 * The objects in the order in which they are applied: one list per stage, no empty ones; order within a stage is kept.
 */
export function applyStages<T extends Pick<ObjectTarget, 'apiVersion' | 'kind'>>(objects: readonly T[]): T[][] {
  const stages: T[][] = STAGES.map(() => []);
  for (const object of objects) stages[stageOf(object)]?.push(object);
  return stages.filter((stage) => stage.length > 0);
}

/** The reverse of applyStages: what was applied last is deleted first. */
export function deleteStages<T extends Pick<ObjectTarget, 'apiVersion' | 'kind'>>(objects: readonly T[]): T[][] {
  return applyStages(objects)
    .reverse()
    .map((stage) => [...stage].reverse());
}
