import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Network } from 'testcontainers';
import { configMapResource } from '#api/core.js';
import type { KubeObject } from '#api/meta.js';
import { helm } from '#bench/scenarios/shell.js';
import {
  applySample,
  getApplication,
  setUp,
  patchApplication,
  untilReady,
  type Setup,
} from '#bench/scenarios/setup.js';
import { startWorld } from '#sandbox/world.js';
import { eventually, kubeFor } from '../support/world.js';
import { describeWithDocker } from './engine.js';
import { makeMemberImage, startMember, type Member } from './member.js';

const NAME = 'multi-cluster';
const RELEASE = [NAME, '-n', 'app'] as const;
/** A silent member is given up after several tries of 10 s and more each. */
const SILENCE_MS = 180_000;

interface Revision {
  readonly revision: number;
  readonly status: string;
}

describeWithDocker('members in containers', () => {
  let setup: Setup;
  let staging: Member;
  let production: Member;
  /** Undoes what was set up, the last first. */
  const undo: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    const world = await startWorld({ dir: await mkdtemp(path.join(tmpdir(), 'fairlead-containers-')), members: 0 });
    undo.push(world.stop);
    const network = await new Network().start();
    undo.push(() => network.stop());
    await makeMemberImage(world.tools);
    const start = async (index: number): Promise<Member> => {
      const member = await startMember({ name: `member-${index}`, index, dir: world.dir, network });
      undo.push(member.stop);
      return member;
    };
    staging = await start(1);
    production = await start(2);
    setup = await setUp({ ...world, members: [staging.cluster, production.cluster] });
    undo.push(setup.tearDown);
  });

  afterAll(async () => {
    const failed: unknown[] = [];
    for (const step of undo.reverse()) await step().catch((error: unknown) => failed.push(error));
    expect(failed).toEqual([]);
  });

  /** Gives both entries a new value. */
  async function change(region: string): Promise<void> {
    const at = (entry: number): object => ({
      op: 'add',
      path: `/spec/fluxApp/spec/config/helmRelease/deploy/${entry}/values/clouds/region`,
      value: region,
    });
    await patchApplication(setup.world, NAME, [at(0), at(1)]);
  }

  async function regionOn(member: Member): Promise<string | undefined> {
    const values = await helm(setup.world, member.cluster, 'get', 'values', ...RELEASE, '-o', 'json');
    return (JSON.parse(values) as { clouds: { region?: string } }).clouds.region;
  }

  async function historyOn(member: Member): Promise<Revision[]> {
    const history = await helm(setup.world, member.cluster, 'history', ...RELEASE, '-o', 'json');
    return JSON.parse(history) as Revision[];
  }

  async function untilState(cluster: string, state: string): Promise<void> {
    await eventually(
      async () => {
        const rows = (await getApplication(setup.world, NAME)).status?.destinations ?? [];
        expect(rows.find((row) => row.cluster === cluster)?.state).toBe(state);
      },
      { timeoutMs: SILENCE_MS, intervalMs: 500 },
    );
  }

  /** A change while production is away: the other member has it, production has it as soon as it is back. */
  async function changeWithout(region: string, away: () => Promise<void>, back: () => Promise<void>): Promise<void> {
    const before = await historyOn(production);
    await away();
    try {
      await change(region);
      await eventually(async () => expect(await regionOn(staging)).toBe(region), { timeoutMs: 60_000 });
      await untilState('stage-kubeconfig', 'Ready');
      await untilState('prod-kubeconfig', 'Unreachable');
    } finally {
      await back();
    }
    await untilReady(setup, NAME);
    expect(await regionOn(production)).toBe(region);
    const after = await historyOn(production);
    expect(after).toHaveLength(before.length + 1);
    expect(after.filter(({ status }) => status === 'deployed')).toHaveLength(1);
  }

  it('get what one Application says', async () => {
    await applySample(setup.world, '04-multi-cluster');
    const { status } = await untilReady(setup, NAME);
    expect(status?.summary).toMatchObject({ desired: 2, ready: '2/2' });
    for (const member of [staging, production]) {
      expect(await historyOn(member)).toMatchObject([{ revision: 1, status: 'deployed' }]);
    }
  });

  it('wait while they are paused, and hold nobody else up', async () => {
    await changeWithout('paused', production.pause, production.unpause);
  }, 800_000);

  it('wait while they are cut from the network, and hold nobody else up', async () => {
    await changeWithout('cut', production.cut, production.reconnect);
  }, 800_000);

  it('lose no release and nothing that they confirmed when they crash under load', async () => {
    const before = await historyOn(production);
    const kube = await kubeFor(production.cluster);
    const confirmed: string[] = [];
    const write = async (): Promise<void> => {
      for (let number = 0; ; number += 1) {
        const metadata = { name: `load-${number}`, namespace: 'default' };
        const object: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata };
        await kube.create(configMapResource, object, { timeoutMs: 5_000 });
        confirmed.push(metadata.name);
      }
    };
    const interrupted = expect(write()).rejects.toThrow();
    await change('crashed');
    await eventually(() => expect(confirmed.length).toBeGreaterThan(20), { timeoutMs: 60_000 });
    await Promise.all([production.crash(), interrupted]);
    await kube.close();
    await eventually(async () => expect(await regionOn(production)).toBe('crashed'), { timeoutMs: 90_000 });
    await untilReady(setup, NAME);
    const after = await historyOn(production);
    expect(after.map(({ revision }) => revision)).toEqual(expect.arrayContaining(before.map((each) => each.revision)));
    expect(after.filter(({ status }) => status === 'deployed')).toHaveLength(1);
    expect(after.filter(({ status }) => status.startsWith('pending'))).toEqual([]);
    const kept = await kubeFor(production.cluster);
    const { items } = await kept.list(configMapResource, { namespace: 'default', limit: 100_000 });
    expect(items.map(({ metadata }) => metadata.name)).toEqual(expect.arrayContaining(confirmed));
    await kept.close();
  });
});
