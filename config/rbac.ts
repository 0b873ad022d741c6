import type { KubeObject } from '../api/meta.js';
import { PART_OF_FAIRLEAD, PART_OF_LABEL } from '../api/v1alpha1/labels.js';
import type { Permission } from '../controllers/runtime/controller.js';

/** Who the controller is in the cluster; config/manager says the same. */
const SERVICE_ACCOUNT = { name: 'fairlead-controller', namespace: 'fairlead-system' };

const RBAC = 'rbac.authorization.k8s.io';
const labels = { [PART_OF_LABEL]: PART_OF_FAIRLEAD };

/**
 * What the runtime itself needs: events, its lease, Flux's (and whether their namespace exists), and a look at who
 * installed the CRDs.
 */
const RUNTIME_PERMISSIONS: readonly Permission[] = [
  { group: '', resources: ['events'], verbs: ['create', 'patch'] },
  { group: 'events.k8s.io', resources: ['events'], verbs: ['create', 'patch'] },
  { group: 'coordination.k8s.io', resources: ['leases'], verbs: ['get', 'create', 'update'] },
  { group: '', resources: ['namespaces'], verbs: ['get'] },
  { group: 'apps', resources: ['deployments'], verbs: ['list'] },
  { group: 'apiextensions.k8s.io', resources: ['customresourcedefinitions'], verbs: ['get', 'list', 'watch'] },
];

interface ClusterRole extends KubeObject {
  rules: { apiGroups: string[]; resources: string[]; verbs: string[] }[];
}

interface ClusterRoleBinding extends KubeObject {
  roleRef: { apiGroup: string; kind: string; name: string };
  subjects: { kind: string; name: string; namespace: string }[];
}

function clusterRole(name: string, permissions: readonly Permission[]): ClusterRole {
  const rules = permissions.map(({ group, resources, verbs }) => ({
    apiGroups: [group],
    resources: [...resources],
    verbs: [...verbs],
  }));
  return { apiVersion: `${RBAC}/v1`, kind: 'ClusterRole', metadata: { name, labels }, rules };
}

function binding(name: string, role: string): ClusterRoleBinding {
  return {
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name, labels },
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: role },
    subjects: [{ kind: 'ServiceAccount', ...SERVICE_ACCOUNT }],
  };
}

function bound(controller: string, permissions: readonly Permission[]): KubeObject[] {
  const name = `fairlead-${controller}`;
  return [clusterRole(name, permissions), binding(name, name)];
}

/**
 * The RBAC manifests by file name, from what each controller says it needs. The engine also gets cluster-admin: a chart
 * may hold any object, and may be installed in this very cluster.
 */
export function rbacOf(controllers: Readonly<Record<string, readonly Permission[]>>): Map<string, KubeObject[]> {
  const account: KubeObject = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { ...SERVICE_ACCOUNT, labels } };
  const files = Object.entries({ runtime: RUNTIME_PERMISSIONS, ...controllers }).map(
    ([name, permissions]) => [`${name}.yaml`, bound(name, permissions)] as const,
  );
  return new Map([
    ['service-account.yaml', [account]],
    ...files,
    ['engine.yaml', [binding('fairlead-engine', 'cluster-admin')]],
  ]);
}
