import { describe, expect, it } from '@jest/globals';
import { secretResource } from '#api/core.js';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import { FIELD_MANAGER, HOLDER_ANNOTATION, INSTALLED_ONCE_ANNOTATION } from '#api/v1alpha1/labels.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { eventually } from '../../support/world.js';
import { selecting } from '../../unit/application/model/clusters/builders.js';
import { deploy, type Deploy } from '../../unit/application/model/builders.js';
import { useHarness } from './harness.js';

describe('entries with the mode Once, on a real API server', () => {
  const harness = useHarness({ removalDelayMs: 200 });

  /** A cluster of the namespace, by its kubeconfig Secret, which nobody reads. */
  const putCluster = (name: string, labels: Record<string, string>) => {
    const all = { 'gitops.kubesphere.io/cluster': 'true', ...labels };
    const metadata = { name, namespace: harness.namespace, labels: all };
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata };
    return harness.kube.apply(secretResource, secret, { fieldManager: 'user', force: true });
  };
  const rowsOf = async (name: string): Promise<string[]> =>
    ((await harness.read(name)).status?.destinations ?? []).map(({ cluster, state }) => `${cluster} ${state}`);
  const eventuallyRows = (name: string, rows: string[]): Promise<void> =>
    eventually(async () => expect(await rowsOf(name)).toEqual(rows));
  const recordOf = ({ metadata, spec }: Child) => [metadata.annotations?.[INSTALLED_ONCE_ANNOTATION], spec.suspend];
  const patch = (child: Child, body: object, fieldManager = 'user') =>
    harness.kube.patch(helmReleaseResource, child.metadata, { type: 'merge', body }, { fieldManager });

  it("are installed once through a cluster's birth, and left unchanged from then on", async () => {
    const ready = "cluster.labels.network == 'up'";
    const entry = (more: Partial<Deploy> = {}) =>
      selecting({ of: 'birth' }, undefined, { mode: 'Once', ready, ...more });
    await harness.put('birth', [entry()]);
    await putCluster('birth-1', { of: 'birth' });
    await eventually(async () => {
      const [row] = (await harness.read('birth')).status?.destinations ?? [];
      expect(row).toMatchObject({
        state: 'Pending',
        message: expect.stringContaining('waiting for cluster birth-1: '),
      });
    });
    expect(await harness.childrenOf('birth')).toEqual([]);

    await putCluster('birth-1', { of: 'birth', network: 'up' });
    const [first] = await harness.eventuallyHas('birth', 1);
    await harness.report(first!, 'False', 'InstallFailed');
    await eventuallyRows('birth', ['birth-1 Failed']);
    await harness.put('birth', [entry({ values: { replicas: 2 } })]);
    await eventually(async () => {
      const [child] = await harness.childrenOf('birth');
      expect(child?.spec['values']).toEqual({ replicas: 2 });
    });
    const [edited] = await harness.childrenOf('birth');
    await harness.report(edited!, 'True', 'InstallSucceeded');
    await eventuallyRows('birth', ['birth-1 Unmanaged']);
    await harness.becomes('birth', 'True', 'Unmanaged');
    const [left] = await harness.childrenOf('birth');
    expect(recordOf(left!)).toEqual([expect.any(String), true]);

    const before = await harness.position('birth');
    await harness.passAfter('birth', () => harness.put('birth', [entry({ values: { replicas: 3 } })]));
    await harness.annotate('birth', { 'reconcile.fluxcd.io/requestedAt': 'now' });
    await eventually(async () => expect((await harness.read('birth')).status?.lastHandledReconcileAt).toBe('now'));
    await harness.position('birth');
    expect((await harness.writes(before, 'birth')).filter((write) => write.includes('helmreleases'))).toEqual([]);

    await putCluster('birth-2', { of: 'birth', network: 'up' });
    const children = await harness.eventuallyHas('birth', 2);
    const second = children.find(({ metadata }) => metadata.name !== left!.metadata.name);
    expect(second?.spec['values']).toEqual({ replicas: 3 });
    await harness.report(second!, 'True', 'InstallSucceeded');
    await eventuallyRows('birth', ['birth-1 Unmanaged', 'birth-2 Unmanaged']);
  });

  it('keep the record of a cluster that only stops to match, and delete it with the cluster', async () => {
    await putCluster('record-1', { of: 'record' });
    await putCluster('record-2', { of: 'record' });
    await harness.put('record', [selecting({ of: 'record' }, undefined, { mode: 'Once' })]);
    for (const child of await harness.eventuallyHas('record', 2))
      await harness.report(child, 'True', 'InstallSucceeded');
    await eventuallyRows('record', ['record-1 Unmanaged', 'record-2 Unmanaged']);
    const uids = async () => (await harness.childrenOf('record')).map(({ metadata }) => metadata.uid).sort();
    const there = await uids();
    await putCluster('record-1', { of: 'nothing' });
    await eventually(async () => {
      const rows = (await harness.read('record')).status?.destinations ?? [];
      const row = rows.find(({ cluster }) => cluster === 'record-1');
      expect(row?.message).toContain('what was installed once is not installed again');
    });
    expect((await harness.read('record')).status?.removals).toBeUndefined();
    await putCluster('record-1', { of: 'record' });
    await harness.becomes('record', 'True', 'Unmanaged');
    expect(await uids()).toEqual(there);
    await harness.kube.delete(secretResource, { name: 'record-1', namespace: harness.namespace });
    await harness.eventuallyHas('record', 1);
  });

  it('are managed again with the mode Continuous, and once more if somebody deletes the child', async () => {
    await harness.put('switch', [deploy('web', 'eu', { mode: 'Once' })]);
    const [child] = await harness.eventuallyHas('switch', 1);
    await harness.report(child!, 'True', 'InstallSucceeded');
    await eventuallyRows('switch', ['eu Unmanaged']);
    expect((await harness.childrenOf('switch'))[0]?.metadata.ownerReferences ?? []).toEqual([]);
    const [resumed] = await harness.childrenOf('switch');
    await patch(resumed!, { spec: { suspend: null } });
    await eventually(async () => expect((await harness.childrenOf('switch'))[0]?.spec.suspend).toBe(true));

    await harness.put('switch', [deploy('web', 'eu', { timeout: '1m' })]);
    await eventually(async () => {
      const [live] = await harness.childrenOf('switch');
      expect(live?.spec).toMatchObject({ timeout: '1m' });
      expect(recordOf(live!)).toEqual([undefined, undefined]);
    });
    const [managed] = await harness.childrenOf('switch');
    expect(managed!.metadata.ownerReferences).toHaveLength(1);
    expect(managed!.metadata.annotations?.[HOLDER_ANNOTATION]).toBeUndefined();
    await harness.report(managed!, 'True', 'UpgradeSucceeded');
    await eventuallyRows('switch', ['eu Ready']);
    await harness.put('switch', [deploy('web', 'eu', { mode: 'Once', timeout: '2m' })]);
    await eventuallyRows('switch', ['eu Unmanaged']);
    const [again] = await harness.childrenOf('switch');
    expect(again?.spec).toMatchObject({ timeout: '1m', suspend: true });

    await harness.kube.delete(helmReleaseResource, again!.metadata);
    await eventually(async () => {
      const [fresh] = await harness.childrenOf('switch');
      expect(fresh?.metadata.uid).not.toBe(again?.metadata.uid);
      expect(fresh?.spec).toMatchObject({ timeout: '2m' });
      expect(recordOf(fresh!)).toEqual([undefined, undefined]);
    });
  });

  it('go suspended with their entry and their Application, even if the suspension had not happened yet', async () => {
    const entries = [deploy('web', 'eu', { mode: 'Once' }), deploy('web', 'us', { mode: 'Once' })];
    await harness.put('gone', entries);
    for (const child of await harness.eventuallyHas('gone', 2)) {
      await harness.finalizers(child, 'test/engine');
      await harness.report(child, 'True', 'InstallSucceeded');
    }
    await eventuallyRows('gone', ['eu Unmanaged', 'us Unmanaged']);
    const [eu, us] = await harness.childrenOf('gone');
    // As after a controller that was killed between success and suspension.
    const undo = { metadata: { annotations: { [INSTALLED_ONCE_ANNOTATION]: null } }, spec: { suspend: null } };
    await harness.pause();
    await patch(us!, undo, FIELD_MANAGER);
    const [, running] = await harness.childrenOf('gone');
    await harness.report(running!, 'True', 'InstallSucceeded');
    await harness.remove('gone');
    const controllers = harness.startControllers();
    try {
      await eventually(async () => {
        const live = await harness.childrenOf('gone');
        expect(live.map(({ metadata }) => metadata.name)).toEqual([eu!.metadata.name, us!.metadata.name]);
        for (const { metadata, spec } of live) {
          expect(metadata.deletionTimestamp).toBeDefined();
          expect(spec.suspend).toBe(true);
        }
      });
      for (const child of await harness.childrenOf('gone')) await harness.finalizers(child);
      await harness.eventuallyGone('gone');
    } finally {
      await controllers.stop();
    }
  });
});
