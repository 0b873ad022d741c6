import { configMap, deployment, manifest, object, type Case } from './case.js';

const ANNOTATION = 'kustomize.toolkit.fluxcd.io';

function annotated(name: string, n: string, key: string, value: string): object {
  return configMap(name, { n }, { annotations: { [`${ANNOTATION}/${key}`]: value } });
}

function secret(name: string, fields: object): object {
  return object('v1 Secret', name, fields);
}

function service(name: string, port: number): object {
  const spec = { selector: { app: name }, ports: [{ name: 'http', port }] };
  return object('v1 Service', name, { spec });
}

/** How objects are written over what is there. */
export const APPLY_CASES: readonly Case[] = [
  {
    name: 'drift',
    steps: [
      {
        does: 'objects are applied',
        files: {
          'web.yaml': manifest(configMap('web', { a: '1', b: '2' }), configMap('gone', {}), service('web', 80)),
        },
      },
      {
        does: 'what users changed is corrected, and what they added stays',
        users: [
          { args: 'patch configmap web --patch={"data":{"a":"x"}}' },
          { args: 'patch service web --patch={"metadata":{"labels":{"mine":"x"}}}' },
          { args: 'delete configmap gone' },
        ],
      },
      {
        does: 'a field that another took over by force is taken back',
        users: [
          {
            args: 'apply --server-side --force-conflicts --field-manager=other --filename=-',
            input: configMap('web', { b: 'theirs', c: 'more' }),
          },
        ],
      },
    ],
  },
  {
    name: 'kubectl-apply',
    steps: [
      {
        does: 'what kubectl applied is taken over, with its fields',
        files: { 'web.yaml': manifest(configMap('web', { a: '1' }), service('web', 80)) },
        users: [
          { args: 'apply --filename=-', input: configMap('web', { a: '0', old: 'x' }, { labels: { old: 'x' } }) },
          { args: 'create --filename=-', input: service('web', 80) },
        ],
      },
      {
        does: 'what kubectl edits is undone',
        users: [
          { args: 'annotate configmap web mine=x' },
          { args: 'apply --filename=-', input: configMap('web', { a: '5', again: 'x' }) },
        ],
      },
    ],
  },
  {
    name: 'ssa-annotations',
    steps: [
      {
        does: 'objects that are there are treated as their annotations say',
        files: {
          'all.yaml': manifest(
            annotated('override', '1', 'ssa', 'Override'),
            annotated('merge', '1', 'ssa', 'Merge'),
            annotated('once', '1', 'ssa', 'IfNotPresent'),
            annotated('never', '1', 'ssa', 'Ignore'),
            annotated('new', '1', 'ssa', 'IfNotPresent'),
            annotated('disabled', '1', 'reconcile', 'disabled'),
          ),
        },
        users: ['override', 'merge', 'once', 'never', 'disabled'].map((name) => ({
          args: 'apply --filename=-',
          input: configMap(name, { n: '0', mine: 'x' }),
        })),
      },
      {
        does: 'and again',
        files: {
          'all.yaml': manifest(
            annotated('override', '2', 'ssa', 'Override'),
            annotated('merge', '2', 'ssa', 'Merge'),
            annotated('once', '2', 'ssa', 'IfNotPresent'),
            annotated('never', '2', 'ssa', 'Ignore'),
            annotated('new', '2', 'ssa', 'IfNotPresent'),
            annotated('disabled', '2', 'reconcile', 'disabled'),
          ),
        },
        users: [{ args: 'patch configmap merge --patch={"data":{"later":"x"}}' }],
      },
      { does: 'and are gone from the files', files: { 'all.yaml': manifest(configMap('left', {})) } },
    ],
  },
  {
    name: 'disabled-live',
    steps: [
      {
        does: 'objects are applied',
        files: { 'web.yaml': manifest(configMap('web', { a: '1' }), configMap('two', { a: '1' })) },
      },
      {
        does: 'a live object that says so is left alone',
        users: [
          { args: `annotate configmap web ${ANNOTATION}/reconcile=disabled` },
          { args: 'patch configmap web --patch={"data":{"a":"mine"}}' },
        ],
        files: { 'web.yaml': manifest(configMap('web', { a: '2' }), configMap('two', { a: '2' })) },
      },
    ],
  },
  {
    name: 'secrets',
    steps: [
      {
        does: 'stringData becomes data',
        files: {
          'a.yaml': manifest(
            secret('text', { stringData: { a: 'one', b: 'two' } }),
            secret('both', { data: { a: 'b25l' }, stringData: { b: 'two' } }),
            secret('coded', { type: 'Opaque', data: { a: 'b25l' } }),
          ),
        },
      },
      {
        does: 'a key is removed and one is changed',
        files: {
          'a.yaml': manifest(secret('text', { stringData: { a: 'three' } }), secret('coded', { data: { a: 'dHdv' } })),
        },
      },
    ],
  },
  {
    name: 'normal-forms',
    kinds: ['horizontalpodautoscalers.autoscaling/v2'],
    steps: [
      {
        does: 'quantities and defaults are no drift',
        files: {
          'web.yaml': manifest(
            deployment('web', 1, {
              containers: [
                {
                  ...{ name: 'main', image: 'example.com/app', env: [{ name: 'A', value: '' }] },
                  resources: { limits: { cpu: '1000m', memory: '1024Mi' }, requests: { cpu: 0.5 } },
                },
              ],
            }),
            service('web', 80),
            object('v1 PersistentVolumeClaim', 'data', {
              spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1024Mi' } } },
            }),
            object('autoscaling/v2 HorizontalPodAutoscaler', 'web', {
              spec: {
                scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
                ...{ minReplicas: 1, maxReplicas: 2 },
                metrics: [
                  {
                    type: 'Resource',
                    resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } },
                  },
                ],
              },
            }),
          ),
        },
      },
      { does: 'and again' },
    ],
  },
  {
    name: 'force',
    steps: [
      {
        does: 'objects are applied',
        files: { 'a.yaml': manifest(secret('typed', { type: 'example.com/one' }), configMap('other', { n: '1' })) },
      },
      {
        does: 'an immutable field is an error',
        files: { 'a.yaml': manifest(secret('typed', { type: 'example.com/two' }), configMap('other', { n: '2' })) },
        fails: 'ReconciliationFailed',
      },
      { does: 'with force it is another object', spec: { force: true } },
    ],
  },
  {
    name: 'force-one',
    returns: false,
    steps: [
      { does: 'an object is applied', files: { 'a.yaml': manifest(secret('typed', { type: 'example.com/one' })) } },
      {
        does: 'one that says so is recreated',
        files: {
          'a.yaml': manifest(
            object(
              'v1 Secret',
              'typed',
              { type: 'example.com/two' },
              { annotations: { [`${ANNOTATION}/force`]: 'enabled' } },
            ),
          ),
        },
      },
    ],
  },
  {
    name: 'invalid-object',
    steps: [
      { does: 'objects are applied', files: { 'a.yaml': manifest(configMap('one', { n: '1' })) } },
      {
        does: 'one that is rejected keeps the others from being written',
        files: { 'a.yaml': manifest(configMap('one', { n: '2' }), secret('bad', { type: 'kubernetes.io/tls' })) },
        fails: 'ReconciliationFailed',
      },
      {
        does: 'a kind that is not there',
        files: { 'a.yaml': manifest(configMap('one', { n: '2' }), object('example.com/v1 Unknown', 'x')) },
        fails: 'ReconciliationFailed',
      },
      { does: 'and without it', files: { 'a.yaml': manifest(configMap('one', { n: '3' })) } },
    ],
  },
];
