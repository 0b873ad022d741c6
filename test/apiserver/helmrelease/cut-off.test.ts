import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { configMapResource, namespaceResource } from '#api/core.js';
import type { HelmRelease } from '#api/flux/helm-release.js';
import type { Kube } from '#runtime/client/kube.js';
import type { Cluster } from '#sandbox/world.js';
import { startFaultProxy, startTcpProxy, statusAnswer, type FaultProxy, type TcpProxy } from '../../support/proxy.js';
import { eventually, kubeFor } from '../../support/world.js';
import { giveKubeconfig } from '../../support/kubeconfig-secret.js';
import { STEPS } from './boundary-cases.js';
import { HOOKED } from './charts.js';
import { revisionsOf } from './stored-revisions.js';
import { conditionOf, useHarness } from './harness.js';

const SOON = 300_000;
/** The longer a cluster was unreachable, the later it is asked again: at most about as long as that took. */
const RECOVERY = 300_000;
const ROUNDS = 4;
/** A busy machine is not the same from one second to the next. */
const NOISE = { factor: 3, ms: 10_000 };

const harness = useHarness('hr-member', { charts: { steps: STEPS, hooked: HOOKED }, allowInsecure: true });
let proxy: TcpProxy;
let refusing: FaultProxy;
let other: Kube;

beforeAll(async () => {
  const [first, second] = harness.world.members;
  if (first === undefined || second === undefined) throw new Error('the world has too few members');
  const { hostname, port } = new URL(first.server);
  proxy = await startTcpProxy({ host: hostname, port: Number(port) });
  refusing = await startFaultProxy(first);
  const { namespace } = harness;
  await giveProxied('proxied', first, `https://127.0.0.1:${proxy.port}`);
  await giveProxied('refusing', first, refusing.server);
  await giveKubeconfig(harness.host, { name: 'second', namespace }, second.kubeconfig);
  other = await kubeFor(second);
  await other.create(namespaceResource, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
});

afterAll(async () => {
  await other.close();
  await Promise.all([proxy.close(), refusing.close()]);
});

/** Gives the kubeconfig of a member with another URL in it. */
async function giveProxied(name: string, { kubeconfig, server }: Cluster, url: string): Promise<void> {
  const file = path.join(path.dirname(harness.chartFile('steps', '1.0.0')), `${name}.kubeconfig`);
  await writeFile(file, (await readFile(kubeconfig, 'utf8')).replace(server, url));
  await giveKubeconfig(harness.host, { name, namespace: harness.namespace }, file);
}

/** Asks for chart steps, or another one, on a member. */
async function ask(name: string, member: string, values: Record<string, unknown>, chart = 'steps'): Promise<void> {
  const sourceRef = { kind: 'HelmRepository', name: 'charts' } as const;
  const spec = { chart, version: '1.0.0', sourceRef };
  await harness.apply(name, { chart: { spec }, values, kubeConfig: { secretRef: { name: member } } });
}

function isReady({ metadata, status }: HelmRelease): void {
  expect(status?.observedGeneration).toBe(metadata.generation);
  expect(conditionOf({ status: status ?? {} }, 'Ready')?.status).toBe('True');
}

/** Median of the times that changes of a release of the other member take, in milliseconds. */
async function pace(prefix: string): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const startedAt = performance.now();
    await ask('steady', 'second', { color: `${prefix}-${round}` });
    await harness.until('steady', isReady, SOON);
    times.push(performance.now() - startedAt);
  }
  return times.sort((a, b) => a - b)[ROUNDS / 2] ?? 0;
}

test('a cluster that becomes unreachable during an upgrade recovers, and the other one keeps its pace', async () => {
  const { namespace, member } = harness;
  await ask('cut', 'proxied', { color: 'red' });
  await ask('steady', 'second', { color: 'red' });
  await Promise.all(['cut', 'steady'].map((name) => harness.until(name, isReady, SOON)));
  const usual = await pace('before');

  // The upgrade deletes its last hook, and waits for that: it is in the middle.
  const held = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'cut-after', namespace, finalizers: ['test.fairlead.dev/hold'] },
  };
  await member.apply(configMapResource, held, { fieldManager: 'hold', force: true });
  await ask('cut', 'proxied', { color: 'green' });
  await eventually(
    async () => {
      expect((await harness.configMap('cut-after'))?.metadata.deletionTimestamp).toBeDefined();
    },
    { timeoutMs: SOON },
  );
  expect(await revisionsOf(harness, 'cut')).toEqual(['1 deployed', '2 pending-upgrade']);
  await proxy.refuse();
  await harness.until(
    'cut',
    (release) => {
      expect(conditionOf(release, 'Ready')).toMatchObject({ status: 'False', reason: 'ClusterUnreachable' });
      expect(conditionOf(release, 'Reconciling')?.status).toBe('True');
    },
    SOON,
  );

  expect(await pace('meanwhile')).toBeLessThan(usual * NOISE.factor + NOISE.ms);

  await member.patch(configMapResource, held.metadata, { type: 'merge', body: { metadata: { finalizers: null } } });
  await proxy.restore();
  const release = await harness.until('cut', isReady, RECOVERY);
  expect(await revisionsOf(harness, 'cut')).toEqual(['1 superseded', '2 failed', '3 deployed']);
  expect((await harness.configMap('cut'))?.data?.['color']).toBe('green');
  expect(conditionOf(release, 'Ready')?.reason).toBe('UpgradeSucceeded');
  expect(release.status).not.toHaveProperty('upgradeFailures');
}, 900_000);

test('a hook is waited for while the server of its member has trouble', async () => {
  const { http } = refusing;
  const isMade = (): boolean => http.seen.some(({ method, path }) => method === 'PATCH' && path.includes('/jobs/'));
  http.inject({
    match: ({ method, path }) => method === 'GET' && path.includes('/jobs/') && isMade(),
    times: 2,
    answer: statusAnswer(500, { reason: 'InternalError' }),
  });
  await ask('patient', 'refusing', {}, 'hooked');
  const release = await harness.until('patient', isReady, SOON);
  expect(conditionOf(release, 'Ready')?.reason).toBe('InstallSucceeded');
  expect(await revisionsOf(harness, 'patient')).toEqual(['1 deployed']);
});
