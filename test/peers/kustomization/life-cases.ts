import { configMap, deployment, kustomizationFile, manifest, object, type Case, type Command } from './case.js';

const RBAC = 'rbac.authorization.k8s.io/v1';

function crd(plural: string, kind: string): object {
  const group = 'peers.example.com';
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  return object('apiextensions.k8s.io/v1 CustomResourceDefinition', `${plural}.${group}`, {
    spec: {
      ...{ group, scope: 'Namespaced', names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` } },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  });
}

function custom(kind: string, name: string, fields: object): object {
  return object(`peers.example.com/v1 ${kind}`, name, fields);
}

/** No volume is made for it. */
function claim(name: string): object {
  const spec = {
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '1Gi' } },
    storageClassName: 'none',
  };
  return object('v1 PersistentVolumeClaim', name, { spec });
}

/** A ServiceAccount that may do everything with ConfigMaps. */
function robot(namespace: string): readonly Command[] {
  return [
    { args: 'create serviceaccount robot' },
    { args: 'create role robot --verb=* --resource=configmaps' },
    { args: `create rolebinding robot --role=robot --serviceaccount=${namespace}:robot` },
  ];
}

/** What becomes of objects: health and order. */
export const LIFE_CASES: readonly Case[] = [
  {
    name: 'wait',
    steps: [
      {
        does: 'everything becomes healthy',
        files: { 'a.yaml': manifest(deployment('web'), configMap('one', {})) },
        spec: { wait: true },
      },
      { does: 'and again', files: { 'a.yaml': manifest(deployment('web', 2), configMap('one', {})) } },
    ],
  },
  {
    name: 'wait-in-vain',
    returns: false,
    steps: [
      {
        does: 'something is not healthy in time',
        files: { 'a.yaml': manifest(claim('one'), configMap('two', {})) },
        spec: { wait: true, timeout: '6s', retryInterval: '10m' },
        fails: 'HealthCheckFailed',
      },
      { does: 'and then it is', files: { 'a.yaml': manifest(configMap('two', {})) } },
    ],
  },
  {
    name: 'health-checks',
    steps: [
      {
        does: 'one object is checked',
        files: { 'a.yaml': manifest(deployment('web'), configMap('one', {})) },
        spec: {
          healthChecks: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', namespace: 'health-checks' }],
        },
      },
      {
        does: 'one that is not there',
        spec: {
          healthChecks: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'none', namespace: 'health-checks' }],
          ...{ timeout: '6s', retryInterval: '10m' },
        },
        fails: 'HealthCheckFailed',
      },
      { does: 'without checks', spec: { healthChecks: [] } },
    ],
  },
  {
    name: 'health-expressions',
    kinds: ['tellers.peers.example.com/v1'],
    steps: [
      {
        does: 'an expression tells health',
        files: { 'a.yaml': manifest(crd('tellers', 'Teller'), custom('Teller', 'one', { spec: { phase: 'Good' } })) },
        spec: {
          ...{ wait: true, retryInterval: '10m' },
          healthCheckExprs: [
            {
              ...{ apiVersion: 'peers.example.com/v1', kind: 'Teller' },
              ...{ current: "spec.phase == 'Good'", failed: "spec.phase == 'Bad'" },
              inProgress: "spec.phase == 'Slow'",
            },
          ],
        },
      },
      {
        does: 'and failure',
        files: { 'a.yaml': manifest(crd('tellers', 'Teller'), custom('Teller', 'one', { spec: { phase: 'Bad' } })) },
        fails: 'HealthCheckFailed',
      },
    ],
  },
  {
    name: 'depends-on',
    steps: [
      {
        does: 'one comes after the other',
        files: { 'base/a.yaml': manifest(configMap('base', {})), 'app/a.yaml': manifest(configMap('app', {})) },
        spec: { path: 'app', dependsOn: [{ name: 'base' }] },
      },
      {
        does: 'and again with another revision',
        files: {
          'base/a.yaml': manifest(configMap('base', { a: '1' })),
          'app/a.yaml': manifest(configMap('app', { a: '1' })),
        },
      },
      {
        does: 'an expression says when',
        spec: {
          dependsOn: [
            {
              name: 'base',
              namespace: 'depends-on',
              readyExpr: "dep.metadata.name == 'base' && self.spec.path == 'app'",
            },
          ],
        },
      },
    ],
    others: { base: { path: 'base' } },
  },
  {
    name: 'depends-on-none',
    steps: [
      {
        does: 'a dependency is not there',
        files: { 'a.yaml': manifest(configMap('app', {})) },
        spec: { dependsOn: [{ name: 'none' }] },
        fails: 'DependencyNotReady',
      },
    ],
    differs: 'Reconciling is True with us while it waits; Flux has no such condition then',
  },
  {
    name: 'definitions',
    kinds: ['widgets.peers.example.com/v1', 'customresourcedefinitions.apiextensions.k8s.io/v1!'],
    steps: [
      {
        does: 'a definition and its object come in one pass',
        files: { 'a.yaml': manifest(custom('Widget', 'one', { spec: { size: 1 } }), crd('widgets', 'Widget')) },
      },
      {
        does: 'an object more',
        files: {
          'a.yaml': manifest(
            custom('Widget', 'two', { spec: {} }),
            custom('Widget', 'one', { spec: { size: 2 } }),
            crd('widgets', 'Widget'),
          ),
        },
      },
    ],
  },
  {
    name: 'namespaces',
    namespaces: ['namespaces-a', 'namespaces-b'],
    kinds: ['namespaces/v1!'],
    steps: [
      {
        does: 'namespaces and what is in them',
        files: {
          'a.yaml': manifest(
            configMap('one', {}, { namespace: 'namespaces-a' }),
            configMap('one', {}, { namespace: 'namespaces-b' }),
            object('v1 Namespace', 'namespaces-a'),
            object('v1 Namespace', 'namespaces-b', {}, { labels: { team: 'x' } }),
          ),
        },
        spec: { targetNamespace: undefined },
      },
      {
        does: 'one of them goes',
        files: {
          'a.yaml': manifest(
            configMap('one', {}, { namespace: 'namespaces-a' }),
            object('v1 Namespace', 'namespaces-a'),
          ),
        },
      },
    ],
  },
  {
    name: 'roles',
    kinds: [`clusterroles.${RBAC}!`, `clusterrolebindings.${RBAC}!`, `rolebindings.${RBAC}`],
    steps: [
      {
        does: 'roles and bindings',
        files: {
          'a.yaml': manifest(
            object('v1 ServiceAccount', 'robot'),
            object(`${RBAC} Role`, 'robot', { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] }),
            object(`${RBAC} RoleBinding`, 'robot', {
              roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'robot' },
              subjects: [{ kind: 'ServiceAccount', name: 'robot' }],
            }),
            object(`${RBAC} ClusterRole`, 'peers-roles', {
              rules: [{ nonResourceURLs: ['/healthz'], verbs: ['get'] }],
            }),
            object(`${RBAC} ClusterRole`, 'peers-roles-all', {
              aggregationRule: { clusterRoleSelectors: [{ matchLabels: { 'peers-roles': 'x' } }] },
            }),
          ),
        },
      },
      { does: 'and again' },
    ],
  },
  {
    name: 'account',
    steps: [
      {
        does: 'a ServiceAccount may do what its role allows',
        files: { 'a.yaml': manifest(configMap('one', {}), configMap('two', {})) },
        spec: { serviceAccountName: 'robot' },
        users: robot('account'),
      },
      { does: 'one is changed, one is removed', files: { 'a.yaml': manifest(configMap('one', { a: '2' })) } },
    ],
  },
  {
    name: 'account-limits',
    steps: [
      {
        does: 'a ServiceAccount may do what its role allows, and no more',
        files: { 'a.yaml': manifest(configMap('one', {}), object('v1 Secret', 'two')) },
        spec: { serviceAccountName: 'robot' },
        users: robot('account-limits'),
        fails: 'ReconciliationFailed',
      },
    ],
    differs: 'What is about to be applied is in our inventory before it is there',
  },
  {
    name: 'kubeconfig',
    steps: [
      {
        does: 'objects go to the cluster of a kubeconfig',
        files: { 'a.yaml': manifest(configMap('one', { a: '1' }), configMap('two', {})) },
        spec: { kubeConfig: { secretRef: { name: 'kubeconfig-of-cluster' } } },
        users: [
          {
            args: 'create secret generic kubeconfig-of-cluster --from-file=value=KUBECONFIG --from-file=other=KUBECONFIG',
          },
        ],
      },
      { does: 'one is changed, one is removed', files: { 'a.yaml': manifest(configMap('one', { a: '2' })) } },
      {
        does: 'the kubeconfig is in another key of the Secret',
        spec: { kubeConfig: { secretRef: { name: 'kubeconfig-of-cluster', key: 'other' } } },
      },
    ],
  },
  {
    name: 'resources-none',
    steps: [
      { does: 'objects are applied', files: { 'a.yaml': manifest(configMap('one', {})) } },
      {
        does: 'a kustomization file without resources',
        files: { 'kustomization.yaml': kustomizationFile({ resources: [] }) },
      },
    ],
  },
];
