import { describe, expect, it } from '@jest/globals';
import { secretResource } from '#api/core.js';
import type { Application } from '#api/v1alpha1/application.js';
import type { Child } from '#controllers/application/model/types.js';
import { backendOf } from '#controllers/application/model/backends/index.js';
import { getCondition } from '#controllers/runtime/pure/conditions.js';
import { eventually } from '#test/support/world.js';
import { deploy, SOURCE } from '#test/unit/application/model/builders.js';
import { useHarness } from './harness.js';

const APPROVE = 'gitops.kubesphere.io/approve-stage';
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
  const conditionOf = async (name: string) => getCondition((await harness.read(name)).status?.conditions, 'RolledOut');
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
    expect((await conditionOf('asks'))?.message).toContain(`${APPROVE}=rest@1`);
    await harness.annotate('asks', { [APPROVE]: 'rest@1' });
    await eventuallyRuns('asks', { asia: 'a', eu: 'a', us: 'a' });
    await finish('asks', CLUSTERS);
    await becomes('asks', 'True', 'RolledOut');
    await put('asks', 'b', rollout);
    await eventuallyRuns('asks', { asia: 'a', eu: 'b', us: 'a' });
    await finish('asks', ['eu']);
    await eventually(async () => expect((await conditionOf('asks'))?.message).toContain(`${APPROVE}=rest@2`));
    const before = await harness.position('asks');
    await harness.passAfter('asks', () => harness.annotate('asks', { note: 'read by nobody' }));
    expect(await harness.writes(before, 'asks')).toEqual([]);
    expect(await imagesOf('asks')).toEqual({ asia: 'a', eu: 'b', us: 'a' });
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
