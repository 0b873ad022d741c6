import { describe, expect, it } from '@jest/globals';
import { CLUSTER_UNREACHABLE } from '#api/flux/conditions.js';
import { secretResource } from '#api/core.js';
import type { Application } from '#api/v1alpha1/application.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { backendOf } from '#controllers/application/model/backends/index.js';
import { getCondition } from '#lib/kube/conditions.js';
import { eventually } from '../../support/world.js';
import { deploy, SOURCE } from '../../unit/application/model/builders.js';
import { useHarness } from './harness.js';

const APPROVE = 'gitops.kubesphere.io/approve-stage';
const PAUSE = 'gitops.kubesphere.io/pause-rollout';
const ABORT = 'gitops.kubesphere.io/abort-rollout';
const RETRY = 'gitops.kubesphere.io/retry-rollout';
const PIN = 'gitops.kubesphere.io/pin-revision';
const MINUTE_MS = 60_000;
const CLUSTERS = ['asia', 'eu', 'us'];

type Rollout = NonNullable<Application['spec']['rollout']>;

const CANARY = { name: 'canary', clusters: { names: ['eu'] } };
const TWO: Rollout = { stages: [CANARY] };

function clusterOf({ spec }: Child): string {
  return spec.kubeConfig?.secretRef?.name ?? '';
}

describe('a rollout in stages, on a real API server', () => {
  const harness = useHarness();

  const put = async (name: string, image: string, rollout: Rollout) => {
    const asia = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'asia', namespace: harness.namespace } };
    await harness.kube.apply(secretResource, asia, { fieldManager: 'user', force: true });
    const entries = CLUSTERS.map((cluster) => deploy('prod', cluster, { values: { image } }));
    const chart = { chart: 'podinfo', version: '6.7.1' };
    const fluxApp = { spec: { source: SOURCE, config: { helmRelease: { chart, deploy: entries } } } };
    const wanted = harness.wanted(name, entries);
    return harness.apply({ ...wanted, spec: { ...wanted.spec, rollout, fluxApp } });
  };
  const imagesOf = async (name: string): Promise<Record<string, unknown>> =>
    Object.fromEntries(
      // The test's own values.
      (await harness.childrenOf(name)).map((child) => [
        clusterOf(child),
        (child.spec['values'] as { image: string }).image,
      ]),
    );
  const eventuallyRuns = (name: string, images: Record<string, string>) =>
    eventually(async () => expect(await imagesOf(name)).toEqual(images));
  /** The engine of a cluster is done with what its child says now. */
  const finish = async (name: string, clusters: readonly string[], status: 'True' | 'False' = 'True') => {
    for (const child of await harness.childrenOf(name)) {
      const reason = status === 'True' ? 'UpgradeSucceeded' : 'UpgradeFailed';
      if (clusters.includes(clusterOf(child))) await harness.report(child, status, reason);
    }
  };
  /** Number and digest of the revision that is rolled out. */
  const idOf = async (name: string): Promise<string> => (await harness.read(name)).status?.rollout?.id ?? '';
  const conditionOf = async (name: string) => getCondition((await harness.read(name)).status?.conditions, 'RolledOut');
  /** What is pending, by cluster. */
  const pendingOf = async (name: string) => {
    const { destinations = [] } = (await harness.read(name)).status?.pending ?? {};
    return Object.fromEntries(destinations.map((row) => [row.cluster, row]));
  };
  const becomes = (name: string, status: string, reason: string) =>
    eventually(async () => expect(await conditionOf(name)).toMatchObject({ status, reason }));
  /** Everything runs one image, as revision 1. */
  const begin = async (name: string, rollout: Rollout) => {
    await put(name, 'a', rollout);
    await eventuallyRuns(name, { eu: 'a' });
    await finish(name, ['eu']);
    await eventuallyRuns(name, { asia: 'a', eu: 'a', us: 'a' });
    await finish(name, CLUSTERS);
    await becomes(name, 'True', 'RolledOut');
  };

  it('installs and updates stage by stage, and heals what is held to what it has', async () => {
    await begin('steps', TWO);
    await put('steps', 'b', TWO);
    await eventuallyRuns('steps', { asia: 'a', eu: 'b', us: 'a' });
    await harness.becomes('steps', 'Unknown', 'DestinationsNotReady');
    const us = (await harness.childrenOf('steps')).find((child) => clusterOf(child) === 'us');
    if (us === undefined) throw new Error('us has a child');
    const edit = { type: 'merge', body: { spec: { values: { image: 'edited' } } } } as const;
    await harness.passAfter('steps', () => harness.kube.patch(backendOf(us).resource, us.metadata, edit));
    await eventuallyRuns('steps', { asia: 'a', eu: 'b', us: 'a' });
    await finish('steps', CLUSTERS);
    await eventuallyRuns('steps', { asia: 'b', eu: 'b', us: 'b' });
    await finish('steps', CLUSTERS);
    await becomes('steps', 'True', 'RolledOut');
    expect((await harness.read('steps')).status?.rollout).toMatchObject({
      revision: 2,
      phase: 'Complete',
      lastGood: 2,
    });
  });

  it('waits for the approval of a stage, which is for one revision', async () => {
    const rollout: Rollout = { stages: [CANARY, { name: 'rest', approval: true }] };
    await put('asks', 'a', rollout);
    await eventuallyRuns('asks', { eu: 'a' });
    await finish('asks', ['eu']);
    await becomes('asks', 'False', 'RolloutAwaitingApproval');
    expect((await conditionOf('asks'))?.message).toContain(`${APPROVE}=rest@${await idOf('asks')}`);
    await harness.annotate('asks', { [APPROVE]: 'rest@1' });
    await eventually(async () => expect((await harness.read('asks')).status?.warnings).toHaveLength(1));
    await harness.annotate('asks', { [APPROVE]: `rest@${await idOf('asks')}` });
    await eventuallyRuns('asks', { asia: 'a', eu: 'a', us: 'a' });
    await finish('asks', CLUSTERS);
    await becomes('asks', 'True', 'RolledOut');
    await put('asks', 'b', rollout);
    await eventuallyRuns('asks', { asia: 'a', eu: 'b', us: 'a' });
    await finish('asks', ['eu']);
    await eventually(async () =>
      expect((await conditionOf('asks'))?.message).toMatch(/approve-stage=rest@2-[0-9a-f]{8}$/),
    );
    const waits = { from: 1, to: 2, change: 'values.image', reason: 'Approval' };
    const pending = await pendingOf('asks');
    expect(pending).toMatchObject({ asia: waits, us: waits });
    expect(Object.keys(pending)).toHaveLength(2);
    const before = await harness.position('asks');
    await harness.passAfter('asks', () => harness.annotate('asks', { note: 'read by nobody' }));
    expect(await harness.writes(before, 'asks')).toEqual([]);
    expect(await imagesOf('asks')).toEqual({ asia: 'a', eu: 'b', us: 'a' });
    expect(await pendingOf('asks')).toEqual(pending);
    // Pinned, it is the one that had the new revision that waits for it.
    await harness.annotate('asks', { [PIN]: '1' });
    await eventuallyRuns('asks', { asia: 'a', eu: 'a', us: 'a' });
    const pinned = { ...waits, reason: 'Pinned', message: 'pinned to revision 1' };
    await eventually(async () =>
      expect(await pendingOf('asks')).toMatchObject({ asia: pinned, eu: pinned, us: pinned }),
    );
    const { asia } = await pendingOf('asks');
    expect(asia?.since).toBe(pending['asia']?.since);
  });

  it('stops at a failure, and goes on once it is healed', async () => {
    await begin('halts', TWO);
    await put('halts', 'b', TWO);
    await eventuallyRuns('halts', { asia: 'a', eu: 'b', us: 'a' });
    await finish('halts', ['eu'], 'False');
    await becomes('halts', 'False', 'RolloutHalted');
    expect(await imagesOf('halts')).toEqual({ asia: 'a', eu: 'b', us: 'a' });
    await finish('halts', ['eu']);
    await eventuallyRuns('halts', { asia: 'b', eu: 'b', us: 'b' });
  });

  it('goes back, stays there, and begins again with the next revision', async () => {
    const rollout: Rollout = { ...TWO, onFailure: 'Rollback' };
    await begin('back', rollout);
    await put('back', 'b', rollout);
    await eventuallyRuns('back', { asia: 'a', eu: 'b', us: 'a' });
    await finish('back', ['eu'], 'False');
    await eventuallyRuns('back', { asia: 'a', eu: 'a', us: 'a' });
    await finish('back', ['eu']);
    await eventually(async () =>
      expect((await harness.read('back')).status?.rollout).toMatchObject({
        revision: 2,
        phase: 'RolledBack',
        rolledBack: { stage: 'canary', to: 1 },
      }),
    );
    await harness.becomes('back', 'False', 'RolledBack');
    await put('back', 'c', rollout);
    await eventuallyRuns('back', { asia: 'a', eu: 'c', us: 'a' });
  });

  it('goes on with failures if that is asked for, and does not call the revision good', async () => {
    const rollout: Rollout = { ...TWO, onFailure: 'Continue' };
    await begin('daring', rollout);
    await put('daring', 'b', rollout);
    await eventuallyRuns('daring', { asia: 'a', eu: 'b', us: 'a' });
    await finish('daring', ['eu'], 'False');
    await eventuallyRuns('daring', { asia: 'b', eu: 'b', us: 'b' });
    await finish('daring', ['asia', 'us']);
    await becomes('daring', 'True', 'RolledOut');
    expect((await harness.read('daring')).status?.rollout).toMatchObject({ revision: 2, lastGood: 1 });
  });

  it('is not let go on by a retry of what failed', async () => {
    await begin('retries', TWO);
    await put('retries', 'b', TWO);
    await eventuallyRuns('retries', { asia: 'a', eu: 'b', us: 'a' });
    await finish('retries', ['eu'], 'False');
    await becomes('retries', 'False', 'RolloutHalted');
    const [eu] = (await harness.childrenOf('retries')).filter((child) => clusterOf(child) === 'eu');
    await harness.passAfter('retries', () => harness.report(eu!, 'Unknown', 'Progressing'));
    await becomes('retries', 'False', 'RolloutHalted');
    expect(await imagesOf('retries')).toEqual({ asia: 'a', eu: 'b', us: 'a' });
  });

  it('waits for a stage of which nothing can be reached, unless the budget allows it', async () => {
    await begin('lost', TWO);
    const [eu] = (await harness.childrenOf('lost')).filter((child) => clusterOf(child) === 'eu');
    await harness.report(eu!, 'False', CLUSTER_UNREACHABLE);
    await harness.becomes('lost', 'False', 'DestinationsFailed');
    await put('lost', 'b', TWO);
    await eventually(async () =>
      expect((await conditionOf('lost'))?.message).toContain('no other one shows that the revision works'),
    );
    expect(await imagesOf('lost')).toEqual({ asia: 'a', eu: 'a', us: 'a' });
    await put('lost', 'b', { ...TWO, unreachableBudget: '100%' });
    await eventuallyRuns('lost', { asia: 'b', eu: 'a', us: 'b' });
    await finish('lost', ['asia', 'us']);
    await becomes('lost', 'True', 'RolledOut');
    // It is back.
    await finish('lost', ['eu']);
    await eventuallyRuns('lost', { asia: 'b', eu: 'b', us: 'b' });
  });

  it('starts nothing before its window opens', async () => {
    await begin('windows', TWO);
    // With some seconds to look at what waits.
    const opensAt = new Date(Math.ceil((Date.now() + 8_000) / MINUTE_MS) * MINUTE_MS);
    const schedule = `${opensAt.getUTCMinutes()} ${opensAt.getUTCHours()} * * *`;
    await put('windows', 'b', { ...TWO, windows: [{ schedule, duration: '10m', timeZone: 'UTC' }] });
    await eventually(async () => {
      const { status } = await harness.read('windows');
      expect(status?.rollout).toMatchObject({ revision: 2, phase: 'AwaitingWindow' });
    });
    expect(await imagesOf('windows')).toEqual({ asia: 'a', eu: 'a', us: 'a' });
    await eventually(async () => expect(await imagesOf('windows')).toMatchObject({ eu: 'b' }), { timeoutMs: 90_000 });
    expect(Date.now()).toBeGreaterThanOrEqual(opensAt.getTime());
  });

  it('is paused, aborted and retried by annotations', async () => {
    await begin('asked', TWO);
    await harness.annotate('asked', { [PAUSE]: 'true' });
    await put('asked', 'b', TWO);
    await becomes('asked', 'False', 'RolloutPaused');
    expect(await imagesOf('asked')).toEqual({ asia: 'a', eu: 'a', us: 'a' });
    await harness.annotate('asked', { [PAUSE]: null });
    await eventuallyRuns('asked', { asia: 'a', eu: 'b', us: 'a' });
    await finish('asked', ['eu']);
    await eventuallyRuns('asked', { asia: 'b', eu: 'b', us: 'b' });
    await harness.annotate('asked', { [ABORT]: await idOf('asked') });
    await eventuallyRuns('asked', { asia: 'a', eu: 'a', us: 'a' });
    await finish('asked', CLUSTERS);
    await becomes('asked', 'False', 'RolledBack');
    expect((await conditionOf('asked'))?.message).toContain(`${RETRY}=${await idOf('asked')}`);
    await harness.annotate('asked', { [RETRY]: await idOf('asked') });
    await eventuallyRuns('asked', { asia: 'a', eu: 'b', us: 'a' });
    await finish('asked', ['eu']);
    await eventuallyRuns('asked', { asia: 'b', eu: 'b', us: 'b' });
    await finish('asked', CLUSTERS);
    await becomes('asked', 'True', 'RolledOut');
    await harness.annotate('asked', { [ABORT]: 'now' });
    await eventually(async () => {
      expect((await harness.read('asked')).status?.warnings).toEqual([
        'abort-rollout "now" is not the number of a revision',
      ]);
    });
  });

  it('begins at the first stage with an edit, wherever the last one is', async () => {
    await begin('edited', TWO);
    await put('edited', 'b', TWO);
    await eventuallyRuns('edited', { asia: 'a', eu: 'b', us: 'a' });
    await put('edited', 'c', TWO);
    await eventuallyRuns('edited', { asia: 'a', eu: 'c', us: 'a' });
    await finish('edited', ['eu']);
    await eventuallyRuns('edited', { asia: 'c', eu: 'c', us: 'c' });
  });

  it('goes on with another controller', async () => {
    await begin('killed', TWO);
    await put('killed', 'b', TWO);
    await eventuallyRuns('killed', { asia: 'a', eu: 'b', us: 'a' });
    await harness.pause();
    await finish('killed', ['eu']);
    const next = harness.startControllers();
    try {
      await eventuallyRuns('killed', { asia: 'b', eu: 'b', us: 'b' });
    } finally {
      await next.stop();
    }
  });

  it('is rejected if it cannot be meant', async () => {
    const cases: readonly [Rollout, RegExp][] = [
      [{ stages: [{ name: 'a' }, CANARY] }, /stages\[0\] \("a"\)\.clusters is empty/],
      [{ stages: [CANARY, { ...CANARY, name: 'two' }] }, /both name the cluster "eu"/],
    ];
    const controllers = harness.startControllers();
    try {
      for (const [rollout, message] of cases) {
        await put('junk', 'a', rollout);
        await harness.becomes('junk', 'False', 'RolloutInvalid');
        await eventually(async () => {
          const ready = getCondition((await harness.read('junk')).status?.conditions, 'Ready');
          expect(ready?.message).toMatch(message);
        });
      }
      expect(await harness.childrenOf('junk')).toEqual([]);
      await expect(put('junk', 'a', { failureBudget: '110%' })).rejects.toThrow(/failureBudget/);
    } finally {
      await controllers.stop();
    }
  });
});
