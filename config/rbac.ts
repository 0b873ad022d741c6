import type { KubeObject, ObjectRef } from '#api/meta.js';
import { COMPONENT_LABEL, EMBEDDED_ENGINE, PART_OF_FAIRLEAD, PART_OF_LABEL } from '#api/v1alpha1/labels.js';
import { FLUX_LEASES } from '#manager/leadership.js';
import type { Permission } from '#runtime/controller.js';

/** Who the controller is in the cluster; config/manager says the same. */
export const SERVICE_ACCOUNT = { name: 'fairlead-controller', namespace: 'fairlead-system' };
export const CONSOLE_ACCOUNT = { name: 'fairlead-console', namespace: SERVICE_ACCOUNT.namespace };

const RBAC = 'rbac.authorization.k8s.io';
const labels = { [PART_OF_LABEL]: PART_OF_FAIRLEAD };

const COORDINATION = 'coordination.k8s.io';

/** What the runtime itself needs: events, and a look at who installed the CRDs. */
const RUNTIME_PERMISSIONS: readonly Permission[] = [
  { group: '', resources: ['events'], verbs: ['create', 'patch'] },
  { group: 'events.k8s.io', resources: ['events'], verbs: ['create', 'patch'] },
  { group: 'apiextensions.k8s.io', resources: ['customresourcedefinitions'], verbs: ['get', 'list', 'watch'] },
];

/** Its lease, in its own namespace only. */
const ELECTION_PERMISSIONS: readonly Permission[] = [
  { group: COORDINATION, resources: ['leases'], verbs: ['get', 'create', 'update'] },
];

/**
 * What the embedded engine needs to keep out of Flux's way: Flux's three leases, by name since their namespace may come
 * later and a Role could not be in it before, and a look at its Deployments.
 */
const GUARD_PERMISSIONS: readonly Permission[] = [
  { group: COORDINATION, resources: ['leases'], resourceNames: FLUX_LEASES, verbs: ['get', 'update'] },
  { group: COORDINATION, resources: ['leases'], verbs: ['create'] },
  { group: '', resources: ['namespaces'], verbs: ['get'] },
  { group: 'apps', resources: ['deployments'], verbs: ['list'] },
];

/** Controllers that do nothing where Flux is the engine. */
const OF_THE_ENGINE: readonly string[] = [
  'flux-guard',
  'helmrelease',
  'kustomizations',
  'receiver',
  'source',
  'engine',
];

interface Rule {
  apiGroups: string[];
  resources: string[];
  resourceNames?: string[];
  verbs: string[];
}

interface Role extends KubeObject {
  rules: Rule[];
}

interface Binding extends KubeObject {
  roleRef: { apiGroup: string; kind: string; name: string };
  subjects: { kind: string; name: string; namespace: string }[];
}

function ruleOf({ group, resources, resourceNames, verbs }: Permission): Rule {
  const names = resourceNames === undefined ? {} : { resourceNames: [...resourceNames] };
  return { apiGroups: [group], resources: [...resources], ...names, verbs: [...verbs] };
}

/** A role of the whole cluster, or of one namespace. */
function role(metadata: ObjectRef, permissions: readonly Permission[]): Role {
  const kind = metadata.namespace === undefined ? 'ClusterRole' : 'Role';
  return { apiVersion: `${RBAC}/v1`, kind, metadata: { ...metadata, labels }, rules: permissions.map(ruleOf) };
}

function binding(metadata: ObjectRef, roleName: string, account = SERVICE_ACCOUNT): Binding {
  const kind = metadata.namespace === undefined ? 'ClusterRole' : 'Role';
  return {
    apiVersion: `${RBAC}/v1`,
    kind: `${kind}Binding`,
    metadata: { ...metadata, labels },
    roleRef: { apiGroup: RBAC, kind, name: roleName },
    subjects: [{ kind: 'ServiceAccount', ...account }],
  };
}

function bound(metadata: ObjectRef, permissions: readonly Permission[]): KubeObject[] {
  return [role(metadata, permissions), binding(metadata, metadata.name)];
}

function accountObject(metadata: ObjectRef): KubeObject {
  return { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { ...metadata, labels } };
}

function ofTheEngine(object: KubeObject): KubeObject {
  const { metadata } = object;
  return { ...object, metadata: { ...metadata, labels: { ...metadata.labels, [COMPONENT_LABEL]: EMBEDDED_ENGINE } } };
}

/**
 * The RBAC manifests by file name, from what each controller says it needs. The engine also gets cluster-admin: a chart
 * may hold any object, and may be installed in this very cluster.
 */
export function rbacOf(controllers: Readonly<Record<string, readonly Permission[]>>): Map<string, KubeObject[]> {
  const clusterWide = { runtime: RUNTIME_PERMISSIONS, 'flux-guard': GUARD_PERMISSIONS, ...controllers };
  const { namespace } = SERVICE_ACCOUNT;
  const files: [string, KubeObject[]][] = [
    ['service-account', [accountObject(SERVICE_ACCOUNT)]],
    ['leader-election', bound({ name: 'fairlead-leader-election', namespace }, ELECTION_PERMISSIONS)],
    ...Object.entries(clusterWide).map(([name, permissions]): [string, KubeObject[]] => [
      name,
      bound({ name: `fairlead-${name}` }, permissions),
    ]),
    ['engine', [binding({ name: 'fairlead-engine' }, 'cluster-admin')]],
  ];
  return new Map(
    files.map(([name, objects]) => [`${name}.yaml`, OF_THE_ENGINE.includes(name) ? objects.map(ofTheEngine) : objects]),
  );
}

/** The RBAC manifests of the console server by file name: an account of its own with a role of its own. */
export function consoleRbacOf(permissions: readonly Permission[]): Map<string, KubeObject[]> {
  const { name } = CONSOLE_ACCOUNT;
  return new Map([
    ['service-account.yaml', [accountObject(CONSOLE_ACCOUNT)]],
    ['role.yaml', [role({ name }, permissions), binding({ name }, name, CONSOLE_ACCOUNT)]],
  ]);
}
