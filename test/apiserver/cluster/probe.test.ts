import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { Registry } from 'prom-client';
import { eventResource, secretResource } from '#api/core.js';
import type { KubeObject } from '#api/meta.js';
import { CLUSTER_LABEL } from '#api/v1alpha1/labels.js';
import { Identities } from '#controllers/cluster/identities.js';
import { probeController } from '#controllers/cluster/probe/setup.js';
import { listAll, type Kube } from '#runtime/client/kube.js';
import { readKubeconfig } from '#engine/member/kubeconfig.js';
import type { World } from '#sandbox/world.js';
import { prepareCluster, runControllers, type RunningControllers } from '../../support/harness.js';
import { startTcpProxy, type TcpProxy } from '../../support/proxy.js';
import { eventually, useWorld } from '../../support/world.js';

interface Event extends KubeObject {
  readonly reason: string;
  readonly message: string;
  readonly involvedObject: { readonly name: string };
}

/** Far longer than one probe, also on a busy machine. */
const PATIENCE = { timeoutMs: 60_000 };

describe('probes of the clusters of the inventory', () => {
  const registry = new Registry();
  const identities = new Identities();
  const uidOf = (name: string): string | undefined => identities.uidOf(`/Secret/${namespace}/${name}`);
  let world: World;
  let kube: Kube;
  let namespace: string;
  let silent: TcpProxy;
  let running: RunningControllers;

  const kubeconfigOf = (index: number): Promise<string> => readFile(world.members[index]!.kubeconfig, 'utf8');
  const describeCluster = (name: string, kubeconfig: string): Promise<KubeObject> => {
    const data = { value: Buffer.from(kubeconfig).toString('base64') };
    const metadata = { name, namespace, labels: { [CLUSTER_LABEL]: 'true' } };
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata, ...{ data } };
    return kube.apply(secretResource, secret, { fieldManager: 'test', force: true });
  };
  const gauge = async (state: string): Promise<number | undefined> =>
    (await registry.getSingleMetric('fairlead_clusters')!.get()).values.find(({ labels }) => labels['state'] === state)
      ?.value;
  const eventsOf = async (name: string): Promise<Event[]> => {
    await running.eventsWritten();
    const { items } = await listAll<Event>(kube, eventResource, { namespace });
    return items.filter(({ involvedObject }) => involvedObject.name === name);
  };

  beforeAll(async () => {
    world = await useWorld();
    ({ kube, namespace } = await prepareCluster(world.host, 'probe'));
    const first = await kubeconfigOf(0);
    const { server } = readKubeconfig(first, { allowInsecure: false });
    silent = await startTcpProxy({ host: '127.0.0.1', port: Number(new URL(server).port) });
    silent.partition();
    await describeCluster('silent', first.replace(server, `https://127.0.0.1:${silent.port}`));
    await describeCluster('broken', 'no kubeconfig');
    running = runControllers({ kube, namespace }, [
      (context) => probeController(context, { registry, namespace, allowInsecure: false, identities }),
    ]);
  });

  afterAll(async () => {
    await running.stop();
    await silent.close();
    await kube.close();
  });

  test('find a new cluster while another one hangs, and one without a credential', async () => {
    await describeCluster('member', await kubeconfigOf(0));
    await eventually(async () => expect(await gauge('Reachable')).toBe(1), PATIENCE);
    await eventually(async () => expect(await gauge('NoCredential')).toBe(1), PATIENCE);
    await eventually(async () => expect(await gauge('Unreachable')).toBe(1), PATIENCE);
    expect(await gauge('NotProbed')).toBe(0);
    expect(uidOf('member')).toMatch(/^[-0-9a-f]{36}$/);
    expect([uidOf('silent'), uidOf('broken')]).toEqual([undefined, undefined]);
  });

  test('record that a credential leads to another cluster', async () => {
    const before = uidOf('member');
    await describeCluster('member', await kubeconfigOf(1));
    await eventually(
      async () =>
        expect((await eventsOf('member')).map(({ reason, message }) => `${reason}: ${message}`)).toContainEqual(
          expect.stringMatching(/^ClusterReplaced: its credential leads to another cluster now/),
        ),
      PATIENCE,
    );
    expect(uidOf('member')).toMatch(/^[-0-9a-f]{36}$/);
    expect(uidOf('member')).not.toBe(before);
  });

  test('record that a cluster stops to answer, and forget one that is gone', async () => {
    const { server } = readKubeconfig(await kubeconfigOf(1), { allowInsecure: false });
    await describeCluster('member', (await kubeconfigOf(1)).replace(server, 'https://127.0.0.1:1'));
    await eventually(
      async () => expect((await eventsOf('member')).map(({ reason }) => reason)).toContain('ClusterUnreachable'),
      PATIENCE,
    );
    // It is not another one because it does not answer.
    expect(uidOf('member')).toBeDefined();
    await kube.delete(secretResource, { name: 'member', namespace });
    await eventually(async () => expect(await gauge('Unreachable')).toBe(1), PATIENCE);
    expect(uidOf('member')).toBeUndefined();
    expect(await eventsOf('broken')).toEqual([]);
  });
});
