import { describe, expect, it } from '@jest/globals';
import { OFFERED_TO_ANNOTATION } from '#api/v1alpha1/labels.js';
import { ownerNames } from '#controllers/application/model/child/metadata.js';
import type { Invariant } from './invariants/types.js';
import { ALL, play } from './story/play.js';
import type { Json, Step } from './story/steps.js';
import type { World } from './world/world.js';

type Fields = Readonly<Record<string, Json>>;

const ringOf = (ring: string): Fields => ({
  destination: { clusterSelector: { matchLabels: { ring } }, targetNamespace: 'web' },
  releaseName: 'cni',
  values: { color: ring },
});
const onC1 = (color: string): Fields => ({
  destination: { clusterRef: { kind: 'Secret', name: 'c1' }, targetNamespace: 'web' },
  releaseName: 'cni',
  values: { color },
});
const named = (name: string, color: string): Json => ({ ...onC1(color), releaseName: name });
const other: Json = { destination: { clusterRef: { kind: 'Secret', name: 'c2' }, targetNamespace: 'web' } };

interface Made {
  readonly chart?: string;
  readonly rollout?: Json;
}

function create(app: string, deploy: readonly Json[], { chart = 'podinfo', rollout }: Made = {}): Step {
  const source = { sourceRef: { kind: 'HelmRepository', name: 'charts' } };
  const config = { helmRelease: { chart: { chart, version: '1.0.0' }, deploy } };
  const more = rollout === undefined ? {} : { rollout };
  return { do: 'create', app, spec: { kind: 'fluxcd', fluxApp: { spec: { source, config } }, ...more }, seconds: 60 };
}

const label = (ring: string, seconds = 120): Step => ({ do: 'label', cluster: 'c1', labels: { ring }, seconds });
const edit = (app: string, at: string, to: Json, seconds = 120): Step => ({ do: 'edit', app, at, to, seconds });
const JOINED: readonly Step[] = [
  { do: 'join', cluster: 'c1', kind: 'Secret', member: 'm1', labels: { ring: 'a' }, seconds: 0 },
  { do: 'join', cluster: 'c2', kind: 'Secret', member: 'm2', labels: { ring: 'a' }, seconds: 0 },
];
const APPROVED: Json = { stages: [{ name: 'rest', approval: true }] };

interface Outcome {
  readonly actions: readonly string[];
  /** The Application that owns the child on m1. */
  readonly owner: readonly string[];
  readonly color: unknown;
  readonly isOffered: boolean;
  readonly waits: readonly string[];
}

/** The actions on m1, and who has the release there. */
function outcomeOf(world: World): Outcome {
  const children = world.children().filter(({ spec }) => JSON.stringify(spec.kubeConfig).includes('c1'));
  const found = world.members.installed().filter(({ place }) => place.cluster === 'm1');
  const rows = world
    .applications()
    .flatMap(({ metadata, status }) =>
      (status?.destinations ?? []).flatMap(({ cluster, wait }) =>
        cluster === 'c1' && wait !== undefined ? [`${metadata.name}: ${wait.reason}`] : [],
      ),
    );
  return {
    actions: world.members.actions.filter(({ place }) => place.cluster === 'm1').map(({ action }) => action),
    owner: children.flatMap(ownerNames),
    color: found.map(({ content }) => (JSON.parse(content) as [{ values: { color: string } }])[0].values.color).join(),
    isOffered: children.some(({ metadata }) => metadata.annotations?.[OFFERED_TO_ANNOTATION] !== undefined),
    waits: rows.sort(),
  };
}

/** The outcome after the last of these steps. Then everything is approved and mended, and the story still holds. */
async function after(steps: readonly Step[]): Promise<Outcome | undefined> {
  const all = [...JOINED, ...steps];
  let done = 0;
  let outcome: Outcome | undefined;
  const reader = (): Invariant => ({
    name: 'outcome',
    onStep: () => {
      done += 1;
      return [];
    },
    onSettled: ({ world }) => {
      if (done === all.length) outcome = outcomeOf(world);
      return [];
    },
  });
  const { findings } = await play({ members: ['m1', 'm2'], steps: all }, { invariants: [...ALL, reader] });
  expect(findings).toEqual([]);
  return outcome;
}

const MOVED: Outcome = { actions: ['install', 'upgrade'], owner: ['b'], color: 'b', isOffered: false, waits: [] };
const STAYS: Outcome = { actions: ['install'], owner: ['a'], color: 'a', isOffered: false, waits: [] };
const A = create('a', [ringOf('a')]);
const B = create('b', [ringOf('b')]);
const B_IN_STAGES = create('b', [ringOf('b')], { rollout: APPROVED });

describe('a release that another Application specifies from now on', () => {
  it('is upgraded by that one, as the same HelmRelease', async () => {
    expect(await after([A, B, label('b')])).toEqual(MOVED);
  });

  it('is taken over although the process ends at any write', async () => {
    for (const afterWrites of [1, 2, 3]) {
      const crash: Step = { do: 'crash', afterWrites, seconds: 0 };
      expect(await after([A, B, crash, label('b', 240)])).toEqual(MOVED);
    }
  });

  it('stays where its label flaps', async () => {
    expect(await after([A, B, label('b', 10), label('a')])).toEqual(STAYS);
  });

  it('stays while the other one waits for an approval, and is seen in both', async () => {
    const steps = [A, B_IN_STAGES, label('b')];
    const waits = ['a: Removal', 'b: Approval'];
    expect(await after(steps)).toEqual({ ...STAYS, isOffered: true, waits });
    const approve: Step = { do: 'approve', app: 'b', what: 'stage', seconds: 120 };
    expect(await after([...steps, approve])).toEqual(MOVED);
    expect(await after([...steps, label('a')])).toEqual(STAYS);
  });

  it.each([['is stalled', edit('b', 'helm.chart', null)]])('stays while the other one %s', async (_, wrong) => {
    expect(await after([A, B, wrong, label('b')])).toEqual({ ...STAYS, waits: ['a: Removal'] });
    const mended = edit('b', 'helm.chart', { chart: 'podinfo', version: '1.0.0' });
    expect(await after([A, B, wrong, label('b'), mended])).toEqual(MOVED);
    expect(await after([A, B_IN_STAGES, label('b'), wrong])).toEqual({ ...STAYS, waits: ['a: Removal'] });
  });

  it('is uninstalled after all once the other one does not specify it any more', async () => {
    const gone = { ...STAYS, actions: ['install', 'uninstall'], owner: [], color: '' };
    expect(await after([A, B_IN_STAGES, label('b'), { do: 'delete', app: 'b', seconds: 120 }])).toEqual(gone);
    expect(await after([A, B_IN_STAGES, label('b'), label('c')])).toEqual(gone);
    expect(await after([A, B_IN_STAGES, label('b'), label('c', 10), label('b')])).toEqual({
      ...STAYS,
      isOffered: true,
      waits: ['a: Removal', 'b: Approval'],
    });
  });

  it('is uninstalled where the other one has another chart', async () => {
    const nginx = create('b', [ringOf('b')], { chart: 'nginx' });
    expect((await after([A, nginx, label('b')]))?.actions).toEqual(['install', 'uninstall', 'install']);
  });

  it('is upgraded where an entry without a selector goes from one to the other', async () => {
    const steps = [create('a', [onC1('a'), other]), create('b', [onC1('b')])];
    expect(await after([...steps, edit('a', 'helm.deploy', [other])])).toEqual(MOVED);
  });

  it('is offered no more once its own Application is stalled, or keeps it as it is', async () => {
    const approve: Step = { do: 'approve', app: 'b', what: 'stage', seconds: 120 };
    const offered = [A, B_IN_STAGES, label('b')];
    const stalled = edit('a', 'helm.chart', null);
    expect(await after([...offered, stalled, approve])).toMatchObject({ ...STAYS, waits: expect.any(Array) });
    const twice = edit('a', 'helm.deploy', [ringOf('a'), ringOf('a')], 10);
    expect(await after([...offered, twice, label('a'), approve])).toEqual(STAYS);
    const once = edit('a', 'helm.deploy', [{ ...ringOf('a'), mode: 'Once' }]);
    expect(await after([A, once, B_IN_STAGES, label('b'), label('a'), approve])).toEqual(STAYS);
  });

  it('changes places with that of another one', async () => {
    const steps = [create('a', [named('one', 'a'), other]), create('b', [named('two', 'b')])];
    const swapped = [
      ...steps,
      edit('a', 'helm.deploy', [named('two', 'a'), other]),
      edit('b', 'helm.deploy', [named('one', 'b')], 300),
    ];
    const found = await after(swapped);
    expect(found?.actions).toEqual(['install', 'install', 'upgrade', 'upgrade']);
    expect([...(found?.owner ?? [])].sort()).toEqual(['a', 'b']);
  });

  it('stays where the edit that gives it up is rejected', async () => {
    const plain: Step = {
      ...{ do: 'plain', act: 'create', kind: 'HelmRelease', name: 'own', cluster: 'c1', seconds: 60 },
      ...{ what: 'two', targetNamespace: 'web' },
    };
    const steps = [plain, create('a', [named('one', 'a'), other]), create('b', [named('one', 'b')])];
    const wrong = edit('a', 'helm.deploy', [named('two', 'a'), other], 300);
    const found = await after([...steps, wrong]);
    expect(found?.actions).toEqual(['install', 'install']);
    expect(found?.isOffered).toBe(false);
    const kept = await after([...steps.slice(1), create('c', [named('two', 'c')]), wrong]);
    expect(kept?.actions).toEqual(['install', 'install']);
    expect(kept?.isOffered).toBe(false);
  });

  it('goes to the older one of two', async () => {
    expect(await after([A, B, create('c', [ringOf('b')]), label('b')])).toEqual(MOVED);
  });
});
