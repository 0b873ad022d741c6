import { expect, test } from '@jest/globals';
import { consolePolicy, controllerPolicy } from '#config/network-policy.js';
import { readController, readManifests } from '#cli/install/package.js';
import type { KubeObject } from '#api/meta.js';

interface Policy extends KubeObject {
  spec: { podSelector: { matchLabels: object }; ingress: { from?: object[]; ports: { port: number }[] }[] };
}
interface Deployment extends KubeObject {
  spec: { template: { metadata: { labels: object }; spec: { containers: { args: string[]; ports: Port[] }[] } } };
}
interface Port {
  name: string;
  containerPort: number;
}

const ACCOUNT = { name: 'web', namespace: 'apps' };
const READERS = [
  { namespaceSelector: { matchLabels: { 'gitops.kubesphere.io/metrics': 'allowed' } } },
  {
    namespaceSelector: {
      matchExpressions: [
        {
          key: 'kubernetes.io/metadata.name',
          operator: 'In',
          values: ['kubesphere-monitoring-system', 'monitoring'],
        },
      ],
    },
  },
];

test.each<[string, () => KubeObject, number]>([
  ['the controller', () => controllerPolicy(ACCOUNT), 8080],
  ['the console', () => consolePolicy(ACCOUNT, { api: 1, health: 8091 }), 8091],
])('metrics of %s are for namespaces that were allowed, and for nobody else', (_title, policyOf, port) => {
  const { ingress } = (policyOf() as Policy).spec;
  const rules = ingress.filter(({ ports }) => ports.length === 0 || ports.some((each) => each.port === port));
  expect(rules).toEqual([{ from: READERS, ports: [{ port }] }]);
});

test('the API of the console is for KubeSphere, and webhooks are for anybody', () => {
  const rulesOf = (policy: KubeObject, port: number): object[] =>
    (policy as Policy).spec.ingress.filter(({ ports }) => ports.some((each) => each.port === port));
  const [api] = rulesOf(consolePolicy(ACCOUNT, { api: 8090, health: 8091 }), 8090);
  expect(api).toMatchObject({ from: [{ podSelector: { matchLabels: { app: 'ks-apiserver' } } }] });
  expect(rulesOf(controllerPolicy(ACCOUNT), 9292)).toEqual([{ ports: [{ port: 9292 }] }]);
});

test.each([
  ['controller', readController],
  ['console', () => readManifests('config/console')],
])('what is installed of the %s selects its pods, and names its health port', async (_title, read) => {
  const objects = await read();
  const policy = objects.find(({ kind }) => kind === 'NetworkPolicy') as Policy;
  const { template } = (objects.find(({ kind }) => kind === 'Deployment') as Deployment).spec;
  expect(template.metadata.labels).toMatchObject(policy.spec.podSelector.matchLabels);
  const health = template.spec.containers[0]?.ports.find(({ name }) => name === 'health');
  expect(policy.spec.ingress.find(({ from = [] }) => from.length === READERS.length)?.ports).toEqual([
    { port: health?.containerPort },
  ]);
});
