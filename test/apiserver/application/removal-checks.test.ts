import { describe, expect, it } from '@jest/globals';
import { secretResource } from '#api/core.js';
import { clusterGrantResource } from '#api/v1alpha1/cluster-grant.js';
import type { Kube } from '#runtime/client/kube.js';
import { installClusterCrds, putKubesphereCluster, removeClusterCrds } from '../../support/cluster-crds.js';
import { fixture } from '../../support/fixture.js';
import { callingAfter, Gate } from '../../support/gate.js';
import { startFaultProxy, statusAnswer, type FaultProxy } from '../../support/proxy.js';
import { eventually, useWorld } from '../../support/world.js';
import { deploy } from '../../unit/application/model/builders.js';
import { selecting } from '../../unit/application/model/clusters/builders.js';
import { clusterGrant } from '../../unit/cluster/model/builders.js';
import { Harness } from './harness.js';

const CLUSTER = 'gitops.kubesphere.io/cluster';

/** The writes of children with `held` in their release wait here. */
class ApplyGate {
  readonly #gate = new Gate();
  #held = '';
  waiting = 0;

  close(held: string): void {
    this.#held = held;
    this.waiting = 0;
    this.#gate.close();
  }

  open(): void {
    this.#gate.open();
  }

  through(kube: Kube): Kube {
    return callingAfter(kube, 'apply', async (_type, object) => {
      if (this.#held === '' || !JSON.stringify(object).includes(`"releaseName":"${this.#held}"`)) return;
      this.waiting += 1;
      await this.#gate.pass();
    });
  }
}

/** The count of removals waits here, as in a process that is stopped meanwhile. */
class CountGate {
  readonly #gate = new Gate();
  waiting = 0;

  close(): void {
    this.waiting = 0;
    this.#gate.close();
  }

  open(): void {
    this.#gate.open();
  }

  through(kube: Kube): Kube {
    return callingAfter(kube, 'patch', async (_type, _ref, { body }) => {
      if (!JSON.stringify(body).includes('"status":{"removals"')) return;
      this.waiting += 1;
      await this.#gate.pass();
    });
  }
}

/** Lets the cache of clusters in Secrets read an empty list, and no change of it. */
function loseSecrets({ http, tcp }: FaultProxy): () => void {
  const isOfClusters = (path: string): boolean =>
    path.includes('/secrets?') && path.includes(encodeURIComponent(CLUSTER));
  const isWatch = (path: string): boolean => isOfClusters(path) && path.includes('watch=true');
  const list = { kind: 'SecretList', apiVersion: 'v1', metadata: { resourceVersion: '1' }, items: [] };
  const answer = { code: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(list) };
  const faults = [
    http.inject({
      match: ({ path }) => isWatch(path) && path.includes('sendInitialEvents'),
      answer: statusAnswer(422, { reason: 'Invalid' }),
    }),
    http.inject({ match: ({ path }) => isWatch(path), answer: statusAnswer(410, { reason: 'Expired' }) }),
    http.inject({ match: ({ path }) => isOfClusters(path) && !isWatch(path), answer }),
  ];
  tcp.cut();
  return () => {
    for (const restore of faults) restore();
  };
}

interface Setting {
  readonly on: Harness;
  readonly proxy: FaultProxy;
  readonly gate: ApplyGate;
  readonly counts: CountGate;
  readonly through: Kube;
}

async function start(): Promise<Setting> {
  const proxy = await startFaultProxy((await useWorld()).host);
  const gate = new ApplyGate();
  const counts = new CountGate();
  const through = proxy.kube();
  const on = await Harness.start({ removalDelayMs: 3_000, through: counts.through(gate.through(through)) });
  await installClusterCrds(on.kube, ['kubesphere-clusters']);
  return { on, proxy, gate, counts, through };
}

async function stop({ on, proxy, gate, counts, through }: Setting): Promise<void> {
  gate.open();
  counts.open();
  await removeClusterCrds(on.kube, ['kubesphere-clusters']);
  await on.kube.delete(clusterGrantResource, { name: `${on.namespace}-grant` });
  await on.stop();
  await through.close();
  await proxy.close();
}

describe('before a child is removed, on a real API server', () => {
  const setting = fixture(start, stop);

  const putCluster = (name: string, labels: Record<string, string> = {}) => {
    const { kube, namespace } = setting.on;
    const metadata = { name, namespace, labels: { [CLUSTER]: 'true', ...labels } };
    return kube.apply(
      secretResource,
      { apiVersion: 'v1', kind: 'Secret', metadata },
      { fieldManager: 'u', force: true },
    );
  };
  const putCentral = (name: string, labels: Record<string, string>) =>
    putKubesphereCluster(setting.on.kube, name, labels);
  const messages = async (name: string): Promise<string> =>
    ((await setting.on.read(name)).status?.destinations ?? []).map(({ message }) => message).join('\n');
  const uids = async (name: string): Promise<(string | undefined)[]> =>
    (await setting.on.childrenOf(name)).map(({ metadata }) => metadata.uid);

  it('the API server is asked whether its cluster is gone: a cache may lack it', async () => {
    const { on, proxy } = setting;
    await putCluster('stale-1', { of: 'stale' });
    await on.put('stale', [selecting({ of: 'stale' })]);
    await on.eventuallyHas('stale', 1);
    const before = await uids('stale');
    const restore = loseSecrets(proxy);
    try {
      const why = 'because cluster stale-1 may exist: its object exists, but was not read yet';
      await eventually(async () => expect(await messages('stale')).toContain(why), { timeoutMs: 60_000 });
    } finally {
      restore();
    }
    await eventually(async () => expect(await messages('stale')).not.toContain('left unchanged'), {
      timeoutMs: 60_000,
    });
    expect(await uids('stale')).toEqual(before);
  });

  it('nothing is believed of a kind that was created again without its objects', async () => {
    const { on } = setting;
    await putCentral('again', { granted: 'yes', of: 'again' });
    const clusters = { selector: { matchLabels: { granted: 'yes' } } };
    const grant = clusterGrant(`${on.namespace}-grant`, { clusters, namespaces: { names: [on.namespace] } });
    await on.kube.apply(clusterGrantResource, grant, { fieldManager: 'u', force: true });
    await on.put('again', [selecting({ of: 'again' })]);
    const [child] = await on.eventuallyHas('again', 1);
    // Times of Kubernetes have seconds.
    const createdMs = Date.parse(child?.metadata.creationTimestamp ?? '');
    await eventually(() => expect(Date.now()).toBeGreaterThan(createdMs + 2_000));
    await removeClusterCrds(on.kube, ['kubesphere-clusters']);
    await installClusterCrds(on.kube, ['kubesphere-clusters']);
    const why = 'clusters.cluster.kubesphere.io was created again, without the objects that it had';
    await eventually(async () => expect(await messages('again')).toContain(why), { timeoutMs: 120_000 });
    expect(await uids('again')).toEqual([child?.metadata.uid]);
  });

  it('the inventory is looked at again, if other writes took their time', async () => {
    const { on, gate } = setting;
    const entry = selecting({ of: 'late' }, [], { releaseName: 'late' });
    for (const name of ['late-1', 'late-2']) await putCluster(name, { of: 'late' });
    await on.put('late', [entry]);
    await on.eventuallyHas('late', 2);
    const before = await uids('late');
    await putCluster('late-2');
    await eventually(async () => expect(await messages('late')).toContain('an entry was for it until just now'));
    const leftMs = Date.now();
    // The first one holds the pass until the removal is due, the second one is of the pass that would remove.
    const [first, second] = ['one', 'two'].map((name) => deploy(name, 'eu', { releaseName: name }));
    gate.close('one');
    await on.put('late', [entry, first!]);
    await eventually(() => expect(gate.waiting).toBe(1));
    await on.put('late', [entry, first!, second!]);
    await eventually(() => expect(Date.now()).toBeGreaterThan(leftMs + 4_000));
    gate.open();
    gate.close('two');
    await eventually(() => expect(gate.waiting).toBe(1));
    await putCluster('late-2', { of: 'late', back: 'yes' });
    await on.put('late-witness', [selecting({ back: 'yes' }, [], { releaseName: 'witness' })]);
    await on.eventuallyHas('late-witness', 1);
    gate.open();
    await on.eventuallyHas('late', 4);
    await on.becomes('late', 'Unknown', 'DestinationsNotReady');
    expect(await uids('late')).toEqual(expect.arrayContaining(before));
  });

  it('the inventory is looked at again, if the process was stopped while it counted them', async () => {
    const { on, counts } = setting;
    for (const name of ['stopped-1', 'stopped-2']) await putCluster(name, { of: 'stopped' });
    await on.put('stopped', [selecting({ of: 'stopped' })]);
    await on.eventuallyHas('stopped', 2);
    const before = await uids('stopped');
    counts.close();
    await putCluster('stopped-2');
    await eventually(() => expect(counts.waiting).toBe(1));
    await putCluster('stopped-2', { of: 'stopped', seen: 'yes' });
    await on.put('stopped-witness', [selecting({ seen: 'yes' }, [], { releaseName: 'seen' })]);
    await on.eventuallyHas('stopped-witness', 1);
    counts.open();
    await on.becomes('stopped', 'Unknown', 'DestinationsNotReady');
    await eventually(async () => expect(await messages('stopped')).not.toContain('left unchanged'));
    await on.passes.atRest({ name: 'stopped', namespace: on.namespace });
    expect(await uids('stopped')).toEqual(before);
  });
});
