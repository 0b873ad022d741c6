import { describe, expect, it } from '@jest/globals';
import { getCondition } from '#lib/kube/conditions.js';
import type { Invariant } from './invariants/types.js';
import { ALL, play } from './story/play.js';
import type { Json, Step } from './story/steps.js';

const on = (cluster: string, more: Readonly<Record<string, Json>> = {}): Json => ({
  destination: { clusterRef: { kind: 'Secret', name: cluster }, targetNamespace: 'web' },
  ...more,
});

function create(deploy: readonly Json[], seconds: number, rollout?: Json): Step {
  const source = { sourceRef: { kind: 'HelmRepository', name: 'charts' } };
  const config = { helmRelease: { chart: { chart: 'podinfo', version: '1.0.0' }, deploy } };
  const more = rollout === undefined ? {} : { rollout };
  return {
    do: 'create',
    app: 'web',
    spec: { kind: 'fluxcd', fluxApp: { spec: { source, config } }, ...more },
    seconds,
  };
}

const join = (cluster: string, member: string): Step => {
  return { do: 'join', cluster, kind: 'Secret', member, labels: { env: 'prod' }, seconds: 5 };
};
const lead = (cluster: string, member: string): Step => ({ do: 'lead', cluster, member, seconds: 0 });
const wait = (seconds: number): Step => ({ do: 'wait', seconds });
const down: Step = { do: 'down', member: 'm2', seconds: 0 };
const up = (seconds: number): Step => ({ do: 'up', member: 'm2', seconds });
const JOINED: readonly Step[] = [join('c1', 'm1'), join('c2', 'm2')];

/**
 * By cluster, in which state the release on it was after each of these steps that took time, and whether there was a
 * child.
 */
async function rowsAfter(steps: readonly Step[]): Promise<string[]> {
  const all = [...JOINED, ...steps];
  const seen: string[] = [];
  let done = 0;
  const reader = (): Invariant => ({
    name: 'rows',
    onStep: () => {
      done += 1;
      return [];
    },
    onSettled: ({ world }) => {
      const [application] = world.applications();
      expect(getCondition(application?.status?.conditions, 'Stalled')?.status).not.toBe('True');
      const rows = (application?.status?.destinations ?? []).map(({ cluster, child, state, wait: why }) =>
        [cluster, child === undefined ? 'new' : 'there', why?.reason ?? state].join(' '),
      );
      if (done <= all.length) seen.push(rows.sort().join(', '));
      return [];
    },
  });
  const { findings } = await play({ members: ['m1', 'm2'], steps: all }, { invariants: [...ALL, reader] });
  expect(findings).toEqual([]);
  return seen;
}

describe('a cluster that was written, or does not answer', () => {
  it('gets what is new within seconds after it is the same one as before', async () => {
    const rows = await rowsAfter([lead('c2', 'm1'), lead('c2', 'm2'), create([on('c2')], 1), wait(10)]);
    expect(rows.slice(-2)).toEqual(['c2 new Release', 'c2 there Ready']);
  });

  it('gets something new beside what it has as soon', async () => {
    const both: Step = {
      ...{ do: 'edit', app: 'web', at: 'helm.deploy', seconds: 1 },
      to: [on('c2'), on('c2', { releaseName: 'two' })],
    };
    const rows = await rowsAfter([create([on('c2')], 30), lead('c2', 'm1'), lead('c2', 'm2'), both, wait(10)]);
    expect(rows.slice(-2)).toEqual(['c2 new Release, c2 there Ready', 'c2 there Ready, c2 there Ready']);
  });

  it('gets what is new at once if only its labels changed', async () => {
    const label: Step = { do: 'label', cluster: 'c2', labels: { env: 'test' }, seconds: 0 };
    expect((await rowsAfter([label, create([on('c2')], 1)])).at(-1)).toMatch(/^c2 there /);
  });

  it('is unreachable if it does not answer then, and nothing else has the release', async () => {
    const rows = await rowsAfter([down, lead('c2', 'm1'), lead('c2', 'm2'), create([on('c2')], 30)]);
    expect(rows.at(-1)).toBe('c2 there Unreachable');
  });

  it('gets no release that another one has until it answers, or five minutes are over', async () => {
    const restart: Step = { do: 'restart', seconds: 5 };
    const begun = [down, restart, create([on('c1'), on('c2')], 60)];
    const [waiting, unreachable] = ['c1 there Ready, c2 new Release', 'c1 there Ready, c2 there Unreachable'];
    const both = 'c1 there Ready, c2 there Ready';
    expect((await rowsAfter([...begun, up(10)])).slice(-2)).toEqual([waiting, both]);
    const rows = await rowsAfter([...begun, wait(180), wait(120), up(60)]);
    expect(rows.slice(-4)).toEqual([waiting, waiting, unreachable, both]);
  });
});

describe('a release that leaves one name of a cluster for another', () => {
  it('shows nothing new hours later, although a third name never answers', async () => {
    const all: Json = { destination: { clusterSelector: { matchLabels: { env: 'prod' } }, targetNamespace: 'web' } };
    const steps: readonly Step[] = [
      ...JOINED,
      create([all], 60, { stages: [{ name: 'canary', clusters: { names: ['c2'] } }] }),
      lead('c2', 'garbage'),
      { do: 'rename', cluster: 'c1', to: 'c1x', keepsOld: false, seconds: 0 },
      { do: 'edit', app: 'web', at: 'helm.chart.version', to: '2.0.0', seconds: 60 },
    ];
    expect((await play({ members: ['m1', 'm2'], steps })).findings).toEqual([]);
  });
});
