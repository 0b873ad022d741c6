import { describe, expect, it } from '@jest/globals';
import { secretResource } from '#api/core.js';
import { clusterGrantResource } from '#api/v1alpha1/cluster-grant.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { getCondition } from '#lib/kube/conditions.js';
import { installClusterCrds, putKubesphereCluster, removeClusterCrds } from '../../support/cluster-crds.js';
import { fixture } from '../../support/fixture.js';
import { eventually } from '../../support/world.js';
import { selecting, toClusters } from '../../unit/application/model/clusters/builders.js';
import { files, filesApplication, type Deploy } from '../../unit/application/model/builders.js';
import { clusterGrant } from '../../unit/cluster/model/builders.js';
import { Harness, putCluster, useHarness } from './harness.js';

const APPROVE = 'gitops.kubesphere.io/approve-removals';
/** Short enough to wait for. */
const DELAY = { removalDelayMs: 200 };

function clustersOf(children: readonly Child[]): (string | undefined)[] {
  return children.map(({ metadata }) => metadata.labels?.['gitops.kubesphere.io/cluster-name']).sort();
}

function rowsOf(harness: Harness, name: string): Promise<(string | undefined)[]> {
  return harness.read(name).then(({ status }) => (status?.destinations ?? []).map(({ cluster }) => cluster).sort());
}

describe('destinations on clusters of the inventory, on a real API server', () => {
  const harness = useHarness(DELAY);

  const limited = (name: string, entries: Deploy[], maxRemovals: number | string) => {
    const wanted = harness.wanted(name, entries);
    return harness.apply({ ...wanted, spec: { ...wanted.spec, maxRemovals } });
  };
  const approvalOf = async (name: string): Promise<string | undefined> =>
    (await harness.read(name)).status?.removals?.approval;

  it('come and go with the labels of clusters', async () => {
    await putCluster(harness, 'born-1', { of: 'born' });
    await harness.put('born', [selecting({ of: 'born' })]);
    await harness.eventuallyHas('born', 1);
    await putCluster(harness, 'born-2', { of: 'born' });
    const children = await harness.eventuallyHas('born', 2);
    expect(clustersOf(children)).toEqual(['born-1', 'born-2']);
    expect(children.map(({ spec }) => spec.kubeConfig?.secretRef?.name).sort()).toEqual(['born-1', 'born-2']);
    await eventually(async () => expect(await rowsOf(harness, 'born')).toEqual(['born-1', 'born-2']));
    await putCluster(harness, 'born-2');
    expect(clustersOf(await harness.eventuallyHas('born', 1))).toEqual(['born-1']);
    await eventually(async () => expect(await rowsOf(harness, 'born')).toEqual(['born-1']));
    const { status } = await harness.read('born');
    expect(status).toMatchObject({ clusters: { matched: 1 }, removals: { counted: [{ ran: 2, removed: 1 }] } });
  });

  it('leave nothing to write once nothing changes', async () => {
    await putCluster(harness, 'calm-1', { of: 'calm' });
    await harness.put('calm', [selecting({ of: 'calm' }, ['calm-2'])]);
    await harness.eventuallyHas('calm', 1);
    await harness.becomes('calm', 'Unknown', 'DestinationsNotReady');
    const before = await harness.position('calm');
    await harness.passAfter('calm', () => putCluster(harness, 'calm-2', { of: 'calm' }));
    await eventually(async () => expect((await harness.read('calm')).status?.clusters?.excluded).toBe(1));
    const after = await harness.position('calm');
    expect(await harness.writes(before, 'calm')).toEqual(['update applications status']);
    await harness.passAfter('calm', () => putCluster(harness, 'calm-1', { of: 'calm', news: 'none' }));
    await harness.position('calm');
    expect(await harness.writes(after, 'calm')).toEqual([]);
  });

  it('cost no pass where nothing is news: a Secret that is written again, a cluster that others select', async () => {
    const still = { name: 'still', namespace: harness.namespace };
    for (const name of ['still', 'loud']) {
      await putCluster(harness, `${name}-1`, { of: name });
      await harness.put(name, [selecting({ of: name })]);
      await harness.eventuallyHas(name, 1);
    }
    const before = await harness.passes.atRest(still);
    await harness.passAfter('loud', async () => {
      for (let turn = 0; turn < 10; turn += 1) {
        const body = { data: { value: Buffer.from(String(turn)).toString('base64') } };
        await harness.kube.patch(secretResource, { ...still, name: 'still-1' }, { type: 'merge', body });
        await putCluster(harness, 'loud-1', { of: 'loud', turn: String(turn) });
      }
    });
    expect(await harness.passes.atRest(still)).toBe(before);
  });

  it('are not uninstalled where the cluster is gone: the child is suspended, and deleted', async () => {
    await putCluster(harness, 'gone-1', { of: 'gone' });
    await putCluster(harness, 'gone-2', { of: 'gone' });
    await harness.put('gone', [selecting({ of: 'gone' })]);
    await harness.eventuallyHas('gone', 2);
    await harness.kube.delete(secretResource, { name: 'gone-2', namespace: harness.namespace });
    expect(clustersOf(await harness.eventuallyHas('gone', 1))).toEqual(['gone-1']);
    const reason = 'cluster gone-2 is not in the inventory any more, so it is deleted without an uninstall';
    await eventually(async () => {
      const events = await harness.eventsOf('gone');
      expect(events).toContainEqual(expect.stringMatching(`^DoubleSuspended: Suspended .*: ${reason}$`));
    });
  });

  it('wait for an approval if too many leave, which approves these and no others', async () => {
    const names = ['held-1', 'held-2', 'held-3'];
    for (const name of names) await putCluster(harness, name, { of: 'held' });
    await limited('held', [selecting({ of: 'held' })], 0);
    await harness.eventuallyHas('held', 3);
    await putCluster(harness, 'held-1');
    await eventually(async () => expect((await harness.read('held')).status?.removals?.clusters).toEqual(['held-1']));
    const first = (await approvalOf('held')) ?? '';
    await putCluster(harness, 'held-2');
    await eventually(async () => {
      const { status } = await harness.read('held');
      expect(status?.removals?.clusters).toEqual(['held-1', 'held-2']);
      const condition = getCondition(status?.conditions, 'RemovalsHeld');
      expect(condition).toMatchObject({ status: 'True', reason: 'ApprovalRequired' });
      expect(condition?.message).toMatch(new RegExp(`${APPROVE}='${status?.removals?.approval ?? ''}'$`));
    });
    await harness.passAfter('held', () => harness.annotate('held', { [APPROVE]: first }));
    expect(await harness.childrenOf('held')).toHaveLength(3);
    const held = getCondition((await harness.read('held')).status?.conditions, 'RemovalsHeld');
    expect(held?.message).toContain('it approves other removals, and not these');
    await harness.annotate('held', { [APPROVE]: (await approvalOf('held')) ?? '' });
    expect(clustersOf(await harness.eventuallyHas('held', 1))).toEqual(['held-3']);
    await eventually(async () => {
      const { status } = await harness.read('held');
      expect(getCondition(status?.conditions, 'RemovalsHeld')).toBeUndefined();
    });
    // Nothing that was approved is for the last one.
    await harness.passAfter('held', () => putCluster(harness, 'held-3'));
    await eventually(async () => expect((await harness.read('held')).status?.removals?.clusters).toEqual(['held-3']));
    expect(await harness.childrenOf('held')).toHaveLength(1);
  });

  it.each<[string, string, Deploy]>([
    ['is edited by mistake', 'edited', selecting({ of: 'edited' }, [], { releaseName: 'misspelt' })],
    ['loses its selector', 'lost', toClusters({})],
  ])(
    'stay under the limit if their entry %s, and are those of the entry again once it is corrected',
    async (_, name, mistake) => {
      const names = [1, 2, 3].map((at) => `${name}-${at}`);
      for (const each of names) await putCluster(harness, each, { of: name });
      await limited(name, [selecting({ of: name })], 0);
      const before = (await harness.eventuallyHas(name, 3)).map(({ metadata }) => metadata.uid).sort();
      await limited(name, [mistake], 0);
      await eventually(async () => expect((await harness.read(name)).status?.removals?.clusters).toEqual(names));
      const held = getCondition((await harness.read(name)).status?.conditions, 'RemovalsHeld');
      expect(held).toMatchObject({ status: 'True', reason: 'ApprovalRequired' });
      const kept = (await harness.childrenOf(name)).filter(({ metadata }) => before.includes(metadata.uid));
      expect(kept.map(({ metadata, spec }) => [metadata.deletionTimestamp, spec.suspend])).toEqual(
        names.map(() => [undefined, undefined]),
      );
      await limited(name, [selecting({ of: name })], 0);
      await eventually(async () => {
        expect((await harness.childrenOf(name)).map(({ metadata }) => metadata.uid).sort()).toEqual(before);
        expect((await harness.read(name)).status?.removals?.held).toBeUndefined();
      });
    },
  );

  it('need another approval if they wait again, whether the first one was carried out or not', async () => {
    const names = ['again-1', 'again-2'];
    for (const name of names) await putCluster(harness, name, { of: 'again' });
    await limited('again', [selecting({ of: 'again' })], 0);
    await harness.eventuallyHas('again', 2);
    await putCluster(harness, 'again-1');
    await eventually(async () => expect((await harness.read('again')).status?.removals?.clusters).toEqual(['again-1']));
    const first = await harness.read('again');
    const { approval = '', heldSince } = first.status?.removals ?? {};
    await putCluster(harness, 'again-1', { of: 'again' });
    await eventually(async () => expect((await harness.read('again')).status?.removals).toBeUndefined());
    await harness.passAfter('again', () => harness.annotate('again', { [APPROVE]: approval }));
    await harness.passAfter('again', () => putCluster(harness, 'again-1'));
    await eventually(async () => {
      const { removals } = (await harness.read('again')).status ?? {};
      expect(removals?.clusters).toEqual(['again-1']);
      expect(removals?.heldSince).not.toBe(heldSince);
    });
    expect(await harness.childrenOf('again')).toHaveLength(2);
  });

  it('stay while an entry that names clusters cannot be understood, and go with their entry', async () => {
    await putCluster(harness, 'named-1', { of: 'named' });
    const named = (name: string): Deploy => toClusters({ clusterRef: { kind: 'Secret', name } });
    await harness.put('named', [named('named-1')]);
    const [child] = await harness.eventuallyHas('named', 1);
    await harness.put('named', [named('misspelt')]);
    await harness.becomes('named', 'False', 'ClusterNotFound');
    expect((await harness.childrenOf('named')).map(({ metadata }) => metadata.uid)).toEqual([child?.metadata.uid]);
    await harness.put('named', [toClusters({}, { releaseName: 'elsewhere' })]);
    await eventually(async () => expect(clustersOf(await harness.childrenOf('named'))).toEqual([undefined]));
  });

  it('are refused by the API server if they are named twice, as is a limit that means nothing', async () => {
    const both = { clusterRef: { kind: 'Secret', name: 'a' }, clusterSelector: { matchLabels: { a: 'b' } } } as const;
    await expect(harness.put('refused', [toClusters(both)])).rejects.toThrow(
      /set at most one of kubeConfig, clusterRef/,
    );
    for (const limit of [-1, 1.5, '', '10', '101%', 'all']) {
      await expect(limited('refused', [selecting({ a: 'b' })], limit)).rejects.toThrow(/maxRemovals/);
    }
    expect(await harness.find('refused')).toBeUndefined();
  });

  it('are those of files as of charts', async () => {
    await putCluster(harness, 'files-1', { of: 'files' });
    const entry = files('web', undefined, { destination: { clusterSelector: { matchLabels: { of: 'files' } } } });
    const wanted = { ...filesApplication([entry]), metadata: { name: 'files', namespace: harness.namespace } };
    await harness.apply({ ...wanted, spec: { ...wanted.spec, maxRemovals: 1 } });
    const [child] = await harness.eventuallyHas('files', 1);
    expect(child).toMatchObject({ kind: 'Kustomization', spec: { kubeConfig: { secretRef: { name: 'files-1' } } } });
    await putCluster(harness, 'files-1');
    await harness.eventuallyHas('files', 0);
  });

  it('stay on the only cluster of a selector until that is approved', async () => {
    await putCluster(harness, 'only-1', { of: 'only' });
    await harness.put('only', [selecting({ of: 'only' })]);
    await harness.eventuallyHas('only', 1);
    await putCluster(harness, 'only-1');
    await eventually(async () => expect((await harness.read('only')).status?.removals?.clusters).toEqual(['only-1']));
    await harness.annotate('only', { [APPROVE]: (await approvalOf('only')) ?? '' });
    await harness.eventuallyHas('only', 0);
  });

  it('do not give an older claim away, whichever way it names its cluster', async () => {
    await putCluster(harness, 'claim-1', { of: 'claim' });
    await limited('claim-old', [selecting({ of: 'claim' }, [], { releaseName: 'claimed' })], 1);
    await harness.eventuallyHas('claim-old', 1);
    const kubeConfig = { secretRef: { name: 'claim-1' } };
    await harness.put('claim-new', [toClusters({ kubeConfig }, { releaseName: 'claimed' })]);
    await harness.becomes('claim-new', 'False', 'ReleaseConflict');
    expect(await harness.childrenOf('claim-new')).toEqual([]);
    await putCluster(harness, 'claim-1');
    await harness.eventuallyHas('claim-old', 0);
    await harness.eventuallyHas('claim-new', 1);
  });
});

describe('destinations on granted clusters, on a real API server', () => {
  const harness = fixture(
    async () => {
      const started = await Harness.start();
      await installClusterCrds(started.kube, ['kubesphere-clusters']);
      return started;
    },
    async (started) => {
      await removeClusterCrds(started.kube, ['kubesphere-clusters']);
      await started.kube.delete(clusterGrantResource, { name: `${started.namespace}-grant` });
      await started.stop();
    },
  );

  const putCentral = (name: string, labels: Record<string, string>) => putKubesphereCluster(harness.kube, name, labels);
  const putGrant = (label: string) => {
    const clusters = { selector: { matchLabels: { granted: label } } };
    const namespaces = { names: [harness.namespace] };
    const grant = clusterGrant(`${harness.namespace}-grant`, { clusters, namespaces });
    return harness.kube.apply(clusterGrantResource, grant, { fieldManager: 'u', force: true });
  };

  it('survive a label that flaps', async () => {
    await putCluster(harness, 'flaps-1', { of: 'flaps' });
    await harness.put('flaps', [selecting({ of: 'flaps' })]);
    const [child] = await harness.eventuallyHas('flaps', 1);
    await harness.becomes('flaps', 'Unknown', 'DestinationsNotReady');
    const before = await harness.position('flaps');
    for (let turn = 0; turn < 20; turn += 1) {
      await putCluster(harness, 'flaps-1', turn % 2 === 0 ? {} : { of: 'flaps' });
    }
    await eventually(async () => expect((await harness.read('flaps')).status?.clusters?.matched).toBe(1));
    await harness.position('flaps');
    const writes = await harness.writes(before, 'flaps');
    expect(writes.filter((write) => !write.includes(' applications'))).toEqual([]);
    const [left] = await harness.childrenOf('flaps');
    expect(left?.metadata.uid).toBe(child?.metadata.uid);
  });

  it('are neither moved nor removed when their cluster becomes the host, and nobody else names its credential', async () => {
    const labels = { granted: 'turns', of: 'turns' };
    await putCentral('turns', labels);
    await putGrant('turns');
    await harness.put('turns', [selecting({ of: 'turns' })]);
    const [child] = await harness.eventuallyHas('turns', 1);
    await putCentral('turns', { ...labels, 'cluster-role.kubesphere.io/host': '' });
    await harness.becomes('turns', 'False', 'ClusterChanged');
    const [kept, ...others] = await harness.childrenOf('turns');
    expect(others).toEqual([]);
    expect(kept).toMatchObject({ metadata: { uid: child?.metadata.uid }, spec: child?.spec });
    await putCentral('turns', labels);
    await harness.becomes('turns', 'Unknown', 'DestinationsNotReady');
    expect((await harness.childrenOf('turns')).map(({ metadata }) => metadata.uid)).toEqual([child?.metadata.uid]);

    const secretRef = { name: child?.spec.kubeConfig?.secretRef?.name ?? '' };
    await harness.put('thief', [toClusters({ kubeConfig: { secretRef } }, { releaseName: 'other' })]);
    await harness.becomes('thief', 'False', 'AccessDenied');
    expect(await harness.childrenOf('thief')).toEqual([]);
  });

  it('come with the grant, stay untouched without it, and while their CRD is gone', async () => {
    await putCentral('granted', { granted: 'yes', of: 'granted' });
    await harness.put('granted', [selecting({ of: 'granted' })]);
    await eventually(async () => expect((await harness.read('granted')).status?.clusters?.matched).toBe(0));
    await putGrant('yes');
    const [child] = await harness.eventuallyHas('granted', 1);
    expect(child?.spec.kubeConfig?.secretRef?.name).toMatch(/^cluster-granted-/);
    const rowMessage = async (): Promise<string | undefined> =>
      (await harness.read('granted')).status?.destinations?.[0]?.message;
    await putGrant('no');
    await eventually(async () => expect(await rowMessage()).toContain('is no longer granted to'));
    await putGrant('yes');
    await eventually(async () => expect(await rowMessage()).not.toContain('left unchanged'));
    await removeClusterCrds(harness.kube, ['kubesphere-clusters']);
    await eventually(async () => expect(await rowMessage()).toContain('because cluster granted may exist'));
    expect((await harness.childrenOf('granted')).map(({ metadata }) => metadata.uid)).toEqual([child?.metadata.uid]);
  });
});
