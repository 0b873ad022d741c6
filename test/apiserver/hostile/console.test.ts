import { expect, test } from '@jest/globals';
import { secretResource } from '#api/core.js';
import type { Kube } from '#runtime/client/kube.js';
import { account, grant, send, startConsole, type Console } from '../console/harness.js';
import { bombExpression } from '../../support/endless-expression.js';
import { fixture } from '../../support/fixture.js';
import { prepareCluster } from '../../support/harness.js';
import { useWorld } from '../../support/world.js';

const CLUSTER = 'gitops.kubesphere.io/cluster';

interface Setting {
  readonly kube: Kube;
  readonly namespace: string;
  readonly token: string;
  readonly console: Console;
}

const setting = fixture<Setting>(
  async () => {
    const world = await useWorld();
    const { kube, namespace } = await prepareCluster(world.host, 'hostile-console');
    const { user, token } = await account(kube, namespace, 'bob');
    await grant(kube, 'bob', { namespace, user, rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }] });
    const metadata = { name: 'edge', namespace, labels: { [CLUSTER]: 'true', env: 'prod' } };
    await kube.create(secretResource, { apiVersion: 'v1', kind: 'Secret', metadata });
    const console = await startConsole(world, { kube, namespace });
    return { kube, namespace, token, console };
  },
  async ({ kube, console }) => {
    await console.stop();
    await kube.close();
  },
);

function preview(a: string): ReturnType<typeof send> {
  const { namespace, token, console } = setting;
  const destination = { clusterSelector: { matchLabels: { env: 'prod' } }, targetNamespace: namespace };
  const config = { helmRelease: { chart: { chart: 'web' }, deploy: [{ destination, values: { a } }] } };
  const spec = { source: { sourceRef: { kind: 'HelmRepository', name: 'charts' } }, config };
  const body = {
    apiVersion: 'gitops.kubesphere.io/v1alpha1',
    kind: 'Application',
    metadata: { name: 'web', namespace },
    spec: { kind: 'fluxcd', fluxApp: { spec } },
  };
  return send(console.port, `/api/v1/namespaces/${namespace}/preview`, { method: 'POST', token, body });
}

test('a preview with an expression that would end the process says so, and the next one is answered', async () => {
  const { code, text } = await preview(`\${{ ${bombExpression()} }}`);
  expect([code, text]).toEqual([200, expect.stringContaining('it makes a text of more than 1048576 characters')]);
  const next = await preview('${{ cluster.labels.env }}');
  expect([next.code, JSON.parse(next.text)]).toMatchObject([200, { children: [{ action: 'create' }] }]);
});
