import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { secretResource, serviceAccountResource } from '#api/core.js';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import { clusterGrantResource, type ClusterGrant } from '#api/v1alpha1/cluster-grant.js';
import { CLUSTER_LABEL, CREDENTIAL_RENEWAL_ANNOTATION } from '#api/v1alpha1/labels.js';
import { credentialControllers } from '#controllers/cluster/credential/setup.js';
import { credentialName } from '#controllers/cluster/model/credential-name.js';
import { readKubeconfig } from '#engine/member/kubeconfig.js';
import type { Kube } from '#runtime/client/kube.js';
import type { World } from '#sandbox/world.js';
import { conditionOf, prepareCluster, runControllers, type RunningControllers } from '../../support/harness.js';
import { startTcpProxy, type TcpProxy } from '../../support/proxy.js';
import { eventually, freshNamespace, kubeFor, makeNamespace, useWorld } from '../../support/world.js';

/** With one worker of eight for each at a time, they would take a minute. */
const SILENT = 48;
/** Less than two answers that do not come take. */
const SOON_MS = 15_000;

let world: World;
let host: Kube;
let target: Kube;
let fleet: string;
let shop: string;
let silent: TcpProxy;
let running: RunningControllers;

const place = (name: string) => ({
  name: credentialName({ apiGroup: '', kind: 'Secret', namespace: fleet, name }),
  namespace: shop,
});

async function describeCluster(name: string, kubeconfig: string): Promise<void> {
  const data = { value: Buffer.from(kubeconfig).toString('base64') };
  const metadata = { name, namespace: fleet, labels: { [CLUSTER_LABEL]: 'true', tier: 'edge' } };
  await host.create(secretResource, { apiVersion: 'v1', kind: 'Secret', metadata, ...{ data } });
}

/** No engine reconciles it here. */
async function refer(name: string): Promise<void> {
  const chart = { spec: { chart: 'web', sourceRef: { kind: 'HelmRepository', name: 'charts' } } };
  await host.create(helmReleaseResource, {
    apiVersion: 'helm.toolkit.fluxcd.io/v2',
    kind: 'HelmRelease',
    metadata: { name, namespace: shop },
    ...{ spec: { interval: '10m', chart, kubeConfig: { secretRef: { name: place(name).name } } } },
  });
}

const renewalOf = async (name: string): Promise<string | undefined> =>
  (await host.get(secretResource, place(name)))?.metadata.annotations?.[CREDENTIAL_RENEWAL_ANNOTATION];

beforeAll(async () => {
  world = await useWorld();
  ({ kube: host, namespace: shop } = await prepareCluster(world.host, 'shop'));
  fleet = await freshNamespace(host, 'fleet');
  target = await kubeFor(world.members[0]!);
  await makeNamespace(target, shop);
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'deployer', namespace: shop } };
  await target.create(serviceAccountResource, account);
  const kubeconfig = await readFile(world.members[0]!.kubeconfig, 'utf8');
  const { server } = readKubeconfig(kubeconfig, { allowInsecure: false });
  silent = await startTcpProxy({ host: '127.0.0.1', port: Number(new URL(server).port) });
  silent.partition();
  await describeCluster('live', kubeconfig);
  const dead = kubeconfig.replace(server, `https://127.0.0.1:${silent.port}`);
  await Promise.all(Array.from({ length: SILENT }, (_, index) => describeCluster(`silent-${index}`, dead)));
  await host.create<ClusterGrant>(clusterGrantResource, {
    apiVersion: 'gitops.kubesphere.io/v1alpha1',
    kind: 'ClusterGrant',
    metadata: { name: shop },
    spec: {
      clusters: { selector: { matchLabels: { tier: 'edge' } } },
      namespaces: { names: [shop] },
      targetNamespaces: [shop],
      serviceAccount: { name: 'deployer', namespace: shop },
    },
  });
  running = runControllers({ kube: host }, [
    (context) => credentialControllers(context, { controllerNamespace: fleet }),
  ]);
});

afterAll(async () => {
  await host.delete(clusterGrantResource, { name: shop });
  await running.stop();
  await silent.close();
  await target.close();
  await host.close();
});

test('a token is renewed at its time while many clusters of the same namespace hang', async () => {
  await refer('live');
  await eventually(async () => expect(await renewalOf('live')).toBeDefined());
  for (let index = 0; index < SILENT; index += 1) await refer(`silent-${index}`);
  // Requests to the clusters that hang are under way.
  await eventually(() => expect(silent.connections).toBeGreaterThan(0));
  const past = '2026-01-01T00:00:00Z';
  const body = { metadata: { annotations: { [CREDENTIAL_RENEWAL_ANNOTATION]: past } } };
  await host.patch(secretResource, place('live'), { type: 'merge', body });
  await eventually(async () => expect(await renewalOf('live')).not.toBe(past), { timeoutMs: SOON_MS });
  expect(Date.parse((await renewalOf('live')) ?? '')).toBeGreaterThan(Date.now());
});

test('the grant names clusters that do not answer, and they get a kubeconfig once they do', async () => {
  await eventually(async () => {
    const found = await host.get<ClusterGrant>(clusterGrantResource, { name: shop });
    expect(conditionOf(found, 'Ready')).toMatchObject({ status: 'False', reason: 'CredentialFailed' });
    expect(conditionOf(found, 'Ready')?.message).toMatch(/Secret .*\/silent-\d+ for namespace .* did not answer/);
  });
  await silent.restore();
  await eventually(async () => expect(await renewalOf('silent-0')).toBeDefined());
});
