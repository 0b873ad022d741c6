import { describe, expect, it } from '@jest/globals';
import type { Application } from '#api/v1alpha1/application.js';
import { helm, kubectlJson } from '#bench/scenarios/shell.js';
import { applySample, patchApplication, READY_MS, untilReady } from '#bench/scenarios/setup.js';
import { PROJECT_NAMESPACE } from '#sandbox/project.js';
import type { Cluster } from '#sandbox/world.js';
import { useSetup } from '../support/fixture.js';
import { eventually } from '../support/world.js';

const NAME = 'multi-cluster';
const DEPLOY = '/spec/fluxApp/spec/config/helmRelease/deploy';
const CANARY = { name: 'canary', clusters: { names: ['stage-kubeconfig'] }, bakeTime: '20s' };

describe('a rollout in stages by the embedded engine', () => {
  const setup = useSetup();

  const regionOn = async (cluster: Cluster): Promise<string | undefined> => {
    const values = await helm(setup.world, cluster, 'get', 'values', NAME, '-n', 'app', '-o', 'json');
    return (JSON.parse(values) as { clouds: { region?: string } }).clouds.region;
  };
  const revisionsOn = async (cluster: Cluster): Promise<number> =>
    (JSON.parse(await helm(setup.world, cluster, 'history', NAME, '-n', 'app', '-o', 'json')) as object[]).length;
  const rolloutOf = async () =>
    (await kubectlJson<Application>(setup.world, setup.world.host, '-n', PROJECT_NAMESPACE, `gapp/${NAME}`)).status
      ?.rollout;

  it('upgrades its second stage after the first one baked, though the controller is killed (-9) meanwhile', async () => {
    const [stage, prod] = setup.world.members as [Cluster, Cluster];
    await applySample(setup.world, '04-multi-cluster');
    await patchApplication(setup.world, NAME, [{ op: 'add', path: '/spec/rollout', value: { stages: [CANARY] } }]);
    await untilReady(setup, NAME);
    await eventually(async () => expect(await rolloutOf()).toMatchObject({ phase: 'Complete', lastGood: 1 }));
    const before = await Promise.all([stage, prod].map(revisionsOn));
    const add = (entry: number) => ({ op: 'add', path: `${DEPLOY}/${entry}/values/clouds/region`, value: 'new' });
    await patchApplication(setup.world, NAME, [add(0), add(1)]);
    await eventually(async () => expect(await regionOn(stage)).toBe('new'), { timeoutMs: READY_MS });
    await setup.restart('kill');
    expect(await regionOn(prod)).toBeUndefined();
    await eventually(async () => expect(await rolloutOf()).toMatchObject({ phase: 'Complete', lastGood: 2 }), {
      timeoutMs: READY_MS,
    });
    expect(await Promise.all([stage, prod].map(regionOn))).toEqual(['new', 'new']);
    const after = await Promise.all([stage, prod].map(revisionsOn));
    // The killed upgrade may be one of its own.
    expect(after[0]).toBeLessThanOrEqual(before[0]! + 2);
    expect(after[1]).toBe(before[1]! + 1);
    const { startedAt = '', settledAt = '' } = (await rolloutOf())?.stages[0] ?? {};
    const next = (await rolloutOf())?.stages[1]?.startedAt ?? '';
    expect(Date.parse(next) - Date.parse(settledAt)).toBeGreaterThanOrEqual(20_000);
    expect(Date.parse(settledAt)).toBeGreaterThanOrEqual(Date.parse(startedAt));
  });
});
