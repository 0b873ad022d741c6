import sortBy from 'lodash/sortBy.js';
import { splitApiVersion } from '#api/meta.js';
import type { ObjectTarget } from '#engine/member/model/inventory.js';
import { groupedBy } from '#lib/plain.js';

type Kind = Pick<ObjectTarget, 'apiVersion' | 'kind'>;

/** Flux's order within a stage; kinds that are not here come between the two. */
const FIRST = [
  'CustomResourceDefinition',
  'Namespace',
  'ClusterRole',
  'ClusterClass',
  'RuntimeClass',
  'PriorityClass',
  'StorageClass',
  'VolumeSnapshotClass',
  'IngressClass',
  'GatewayClass',
  'ClusterRoleBinding',
  'ResourceQuota',
  'ServiceAccount',
  'Role',
  'RoleBinding',
  'ConfigMap',
  'Secret',
  'Service',
  'LimitRange',
  'Deployment',
  'StatefulSet',
  'CronJob',
  'PodDisruptionBudget',
];
const LAST = ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'];
const DEFINITIONS: ReadonlyMap<string, string> = new Map([
  ['CustomResourceDefinition', 'apiextensions.k8s.io'],
  ['Namespace', ''],
  ['ClusterRole', 'rbac.authorization.k8s.io'],
]);

function rankOf({ kind }: Kind): number {
  const first = FIRST.indexOf(kind);
  return first >= 0 ? first - FIRST.length : LAST.indexOf(kind) + 1;
}

/** Objects of one kind of rank, which do not need each other. */
export type Group<T> = readonly T[];

function groupsOf<T extends Kind>(objects: readonly T[]): Group<T>[] {
  return sortBy([...groupedBy(objects, rankOf)], ([rank]) => rank).map(([, group]) => group);
}

/** What is checked as a whole before any of it is written. */
export interface Stage<T> {
  readonly groups: readonly Group<T>[];
  /** What comes later needs these to be ready. */
  readonly isAwaited: boolean;
}

function stageOf({ apiVersion, kind }: Kind): number {
  if (DEFINITIONS.get(kind) === splitApiVersion(apiVersion).group) return 0;
  return kind.endsWith('Class') ? 1 : 2;
}

/** As Flux applies: definitions and namespaces, then classes, then the rest; no empty stages. */
export function stagesOf<T extends Kind>(objects: readonly T[]): Stage<T>[] {
  return [0, 1, 2].flatMap((stage) => {
    const groups = groupsOf(objects.filter((object) => stageOf(object) === stage));
    return groups.length === 0 ? [] : [{ groups, isAwaited: stage < 2 }];
  });
}
