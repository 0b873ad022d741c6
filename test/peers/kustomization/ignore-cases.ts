import { configMap, deployment, manifest, object, type Case } from './case.js';

/** Deployments whose replicas others set, or not. */
function scaled(replicas: number, fields: object): string {
  const metadata = { labels: { scaled: 'yes' }, annotations: { scaled: 'yes' } };
  const web = (name: string, own: object = {}): object => {
    const { spec, ...rest } = deployment(name, replicas) as { readonly spec: object }; // as it is written above
    return { ...rest, metadata: { name, ...own }, spec: { ...spec, ...fields } };
  };
  return manifest(web('web-edited', metadata), web('web-applied', metadata), web('plain'));
}

const IGNORED_REPLICAS = {
  paths: ['/spec/replicas'],
  target: {
    ...{ group: 'apps', version: 'v.*', kind: 'Deployment', name: 'web-.*', namespace: '.*' },
    ...{ labelSelector: 'scaled=yes', annotationSelector: 'scaled' },
  },
};

const ROUTES = {
  group: 'ignore-lists.example.com',
  scope: 'Namespaced',
  names: { kind: 'Route', plural: 'routes' },
};
const WEIGHT = { type: 'object', properties: { name: { type: 'string' }, weight: { type: 'integer' } } };
/** Rules are a list without keys, as those of a Gateway are. */
const ROUTE_DEFINITION = object('apiextensions.k8s.io/v1 CustomResourceDefinition', `routes.${ROUTES.group}`, {
  spec: {
    ...ROUTES,
    versions: [
      {
        ...{ name: 'v1', served: true, storage: true },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  size: { type: 'integer' },
                  rules: {
                    type: 'array',
                    items: { type: 'object', properties: { backendRefs: { type: 'array', items: WEIGHT } } },
                  },
                },
              },
            },
          },
        },
      },
    ],
  },
});

function route(name: string, size: number, ...weights: readonly number[]): object {
  const backendRefs = weights.map((weight, index) => ({ name: `backend-${index}`, weight }));
  return object(`${ROUTES.group}/v1 Route`, name, { spec: { size, rules: [{ backendRefs }] } });
}

function binding(size: string, ...names: readonly string[]): object {
  const subjects = names.map((name) => ({ kind: 'ServiceAccount', name, namespace: 'default' }));
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' };
  return object('rbac.authorization.k8s.io/v1 RoleBinding', 'readers', { roleRef, subjects }, { labels: { size } });
}

/** One with lists of every kind in its pods, of which there are none: a roll-out would outlast the step. */
function listed(name: string, size: number, image: string, env: string): object {
  const { spec, ...rest } = deployment(name, 0) as { readonly spec: object }; // as it is written above
  const main = {
    name: 'main',
    image,
    env: [{ name: 'LEVEL', value: env }],
    volumeMounts: [
      { name: 'data', mountPath: '/a', subPath: env },
      { name: 'data', mountPath: '/b', subPath: env },
    ],
  };
  const labels = { app: name };
  const volumes = [{ name: 'data', emptyDir: {} }];
  const template = { metadata: { labels }, spec: { containers: [main], volumes } };
  return { ...rest, spec: { ...spec, minReadySeconds: size, template } };
}

const CONTAINER = '/spec/template/spec/containers/0';
const IGNORED_LISTS = [
  { paths: ['/subjects'], target: { kind: 'RoleBinding' } },
  { paths: ['/spec/rules/0/backendRefs'], target: { kind: 'Route', name: 'refs' } },
  { paths: ['/spec/rules/0/backendRefs/0/weight'], target: { kind: 'Route', name: 'weight' } },
  { paths: [`${CONTAINER}/image`, `${CONTAINER}/env`], target: { kind: 'Deployment', name: 'env' } },
  { paths: [`${CONTAINER}/volumeMounts`], target: { kind: 'Deployment', name: 'mounts' } },
  { paths: ['/metadata/annotations'], target: { kind: 'ConfigMap', name: 'annotated' } },
  { paths: ['/metadata/annotations/example.com~1color'], target: { kind: 'ConfigMap', name: 'colored' } },
  { paths: ['/metadata/labels'], target: { kind: 'ConfigMap', name: 'labelled' } },
  { paths: ['/data/size'], target: { kind: 'ConfigMap', name: 'sole' } },
];

function ignoredLists(size: number): string {
  const color = { annotations: { 'example.com/color': `red-${size}`, [`example.com/size-${size}`]: 'x' } };
  return manifest(
    ...[binding(`s${size}`, 'one', `two-${size}`), route('refs', size, 100, size), route('weight', size, 100, size)],
    ...[
      listed('env', size, `example.com/app:${size}`, `${size}`),
      listed('mounts', size, 'example.com/app:1', `${size}`),
    ],
    configMap('annotated', { size: `${size}` }, color),
    configMap('colored', { size: `${size}` }, color),
    configMap('labelled', { size: `${size}` }, { labels: { [`label-${size}`]: 'x' } }),
    configMap('sole', { size: `${size}`, n: `${size}` }),
  );
}

function patched(type: string, target: string, patch: object): { readonly args: string } {
  return { args: `patch ${target} --type=${type} --field-manager=other --patch=${JSON.stringify(patch)}` };
}

const LIST_EDITS = [
  patched('merge', 'rolebinding readers', {
    subjects: [{ kind: 'ServiceAccount', name: 'three', namespace: 'default' }],
  }),
  patched('merge', `routes.${ROUTES.group} refs`, {
    spec: {
      rules: [
        {
          backendRefs: [
            { name: 'canary', weight: 10 },
            { name: 'primary', weight: 90 },
          ],
        },
      ],
    },
  }),
  patched('json', `routes.${ROUTES.group} weight`, [
    { op: 'replace', path: '/spec/rules/0/backendRefs/0/weight', value: 10 },
  ]),
  patched('strategic', 'deployment env', {
    spec: {
      template: {
        spec: { containers: [{ name: 'main', image: 'example.com/app:live', env: [{ name: 'MORE', value: 'x' }] }] },
      },
    },
  }),
  patched('strategic', 'deployment mounts', {
    spec: {
      template: {
        spec: {
          containers: [
            {
              name: 'main',
              volumeMounts: [
                { name: 'data', mountPath: '/c' },
                { name: 'data', mountPath: '/b', subPath: 'live' },
              ],
            },
          ],
        },
      },
    },
  }),
  patched('merge', 'configmap annotated', { metadata: { annotations: { 'example.com/color': 'blue', mine: 'x' } } }),
  { args: 'annotate configmap colored --overwrite example.com/color=blue' },
  patched('merge', 'configmap labelled', { metadata: { labels: { mine: 'x' } } }),
];

function adopted(n: string, type: string): string {
  const { spec, ...rest } = deployment('web', 1) as { readonly spec: object }; // as it is written
  const data = { n, password: 'placeholder' };
  return manifest(
    ...[configMap('server-side', data), configMap('client-side', data)],
    object('v1 Secret', 'typed', { type: `example.com/${type}`, stringData: data }),
    { ...rest, spec: { ...spec, minReadySeconds: Number(n) } },
  );
}

/** Fields that are left to others. */
export const IGNORE_CASES: readonly Case[] = [
  {
    name: 'ignore',
    steps: [
      {
        does: 'objects are applied with the fields to ignore',
        spec: { ignore: [IGNORED_REPLICAS] },
        files: { 'a.yaml': scaled(1, {}) },
      },
      {
        does: 'what others set there stays, and elsewhere it is corrected',
        users: [
          { args: 'scale deployment web-edited --replicas=2' },
          { args: 'scale deployment plain --replicas=2' },
          {
            args: 'apply --server-side --force-conflicts --field-manager=other --filename=-',
            input: object('apps/v1 Deployment', 'web-applied', { spec: { replicas: 2 } }),
          },
        ],
      },
      { does: 'other fields are written, and those are not', files: { 'a.yaml': scaled(3, { minReadySeconds: 1 }) } },
      { does: 'and again' },
    ],
  },
  {
    name: 'ignore-lists',
    kinds: ['rolebindings.rbac.authorization.k8s.io/v1', `routes.${ROUTES.group}/v1`],
    steps: [
      {
        does: 'objects are applied with lists and maps to ignore',
        spec: { ignore: IGNORED_LISTS },
        files: { 'a.yaml': ignoredLists(1) },
        users: [{ args: 'apply --filename=-', input: ROUTE_DEFINITION }],
      },
      { does: 'what others set there stays', users: LIST_EDITS },
      { does: 'other fields are written, and those are not', files: { 'a.yaml': ignoredLists(2) } },
      { does: 'and again' },
    ],
  },
  {
    name: 'ignore-adopted',
    steps: [
      {
        does: 'objects that are there keep what is ignored of them, whoever set it',
        spec: { ignore: [{ paths: ['/data/password', '/spec/replicas'] }] },
        files: { 'a.yaml': adopted('1', 'one') },
        users: [
          { args: 'apply --server-side --filename=-', input: configMap('server-side', { password: 'real' }) },
          { args: 'apply --filename=-', input: configMap('client-side', { password: 'real' }) },
          { args: 'apply --server-side --field-manager=other --filename=-', input: deployment('web', 2) },
        ],
      },
      {
        does: 'and when other fields change',
        users: [patched('merge', 'secret typed', { stringData: { password: 'theirs' } })],
        files: { 'a.yaml': adopted('2', 'one') },
      },
      {
        does: 'an object that is recreated is as the source has it',
        spec: { force: true },
        files: { 'a.yaml': adopted('2', 'two') },
      },
    ],
  },
  {
    name: 'ignore-gone',
    steps: [
      {
        does: 'objects are applied',
        spec: { ignore: [{ paths: ['/data/gone'] }] },
        files: { 'a.yaml': manifest(configMap('one', { n: '1', gone: '1' })) },
      },
      {
        does: 'a field that is gone is applied with others',
        users: [patched('merge', 'configmap one', { data: { gone: null } })],
        files: { 'a.yaml': manifest(configMap('one', { n: '2', gone: '1' })) },
      },
    ],
    differs: 'Flux 1.9 sets a field to null that is gone; later releases set it as the source has it',
  },
];
