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
const ROLLOUT = { stages: [{ name: 'canary', clusters: { names: ['stage-kubeconfig'] } }] };

type Rollout = NonNullable<NonNullable<Application['status']>['rollout']>;

describe('a stage that fails, with the embedded engine', () => {
  const setup = useSetup();

  const add = (path: string, value: unknown) => ({ op: 'add', path, value });
  const regions = (region: string) => [0, 1].map((entry) => add(`${DEPLOY}/${entry}/values/clouds/region`, region));
  const provider = (value: string) => add(`${DEPLOY}/0/values/clouds/provider`, value);
  const regionOn = async (cluster: Cluster): Promise<string | undefined> => {
    const values = await helm(setup.world, cluster, 'get', 'values', NAME, '-n', 'app', '-o', 'json');
    return (JSON.parse(values) as { clouds: { region?: string } }).clouds.region;
  };
  const rolloutBecomes = (expected: Partial<Rollout>) =>
    eventually(
      async () => {
        const place = ['-n', PROJECT_NAMESPACE, `gapp/${NAME}`];
        const { status } = await kubectlJson<Application>(setup.world, setup.world.host, ...place);
        expect(status?.rollout).toMatchObject(expected);
      },
      { timeoutMs: READY_MS },
    );

  it('pauses, goes back or goes on, as onFailure says, and its successor is rolled out', async () => {
    const [stage, prod] = setup.world.members as [Cluster, Cluster];
    const running = async () => [await regionOn(stage), await regionOn(prod)];
    /** The schema of the chart refuses what the first stage gets. */
    const fail = (onFailure: string, region: string) =>
      patchApplication(setup.world, NAME, [
        add('/spec/rollout/onFailure', onFailure),
        provider('nowhere'),
        ...regions(region),
      ]);
    const succeed = async (revision: number, region: string) => {
      await patchApplication(setup.world, NAME, [provider('qingcloud'), ...regions(region)]);
      await rolloutBecomes({ revision, phase: 'Complete', lastGood: revision });
      expect(await running()).toEqual([region, region]);
    };
    await applySample(setup.world, '04-multi-cluster');
    await patchApplication(setup.world, NAME, [add('/spec/rollout', ROLLOUT)]);
    await untilReady(setup, NAME);
    await rolloutBecomes({ revision: 1, phase: 'Complete', lastGood: 1 });
    await succeed(2, 'good');

    await fail('Pause', 'paused');
    await rolloutBecomes({ revision: 3, phase: 'Halted', lastGood: 2 });
    expect(await running()).toEqual(['good', 'good']);
    await succeed(4, 'mended');

    await fail('Rollback', 'rolled-back');
    await rolloutBecomes({ revision: 5, phase: 'RolledBack', lastGood: 4 });
    expect(await running()).toEqual(['mended', 'mended']);
    await succeed(6, 'again');

    await fail('Continue', 'daring');
    await rolloutBecomes({ revision: 7, phase: 'Complete', lastGood: 6 });
    expect(await running()).toEqual(['again', 'daring']);
  }, 900_000);
});
