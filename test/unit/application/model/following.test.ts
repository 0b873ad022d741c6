import { describe, expect, it } from '@jest/globals';
import type { Application, ApplicationStatus } from '#api/v1alpha1/application.js';
import { APPLIED_DIGEST_ANNOTATION } from '#api/v1alpha1/labels.js';
import { planAhead } from '#controllers/application/simulate.js';
import type { Child } from '#controllers/application/model/child/types.js';
import type { Step } from '#controllers/application/model/child/verdicts.js';
import { decide } from '#controllers/application/model/decide.js';
import { MOST_DECISIONS, worldAfter } from '#controllers/application/model/following.js';
import { readPins } from '#controllers/application/model/spec/pins.js';
import { application, applied, deploy, observed, reporting, seenWorld, well } from './builders.js';
import { earlierOf } from './revisions/builders.js';

const CANARY = { name: 'canary', clusters: { names: ['c0'] } };
const NOW = Date.parse('2026-01-01T00:00:00Z');

type Spec = Application['spec'];

function app(color: string, { clusters = 3, ...rollout }: Spec['rollout'] & { clusters?: number } = {}): Application {
  const names = Array.from({ length: clusters }, (_, index) => `c${index}`);
  const base = application(names.map((cluster) => deploy('prod', cluster, { values: { color } })));
  return { ...base, spec: { ...base.spec, rollout: { stages: [CANARY], ...rollout } } };
}

interface Situation {
  readonly owned: readonly Child[];
  readonly current?: number;
  readonly old?: Application;
  readonly status?: ApplicationStatus;
}

function worldOf(now: Application, { owned, current = 1, old, status = {} }: Situation) {
  const earlier = new Map(old === undefined ? [] : [[1, earlierOf(now, old)] as const]);
  const revisions = { history: { current, isKept: true, remove: [] }, pins: readPins(now), earlier };
  return seenWorld({ ...observed({ ...now, status }, owned), revisions, nowMs: NOW });
}

/** All destinations with revision 1, and the status that says so. */
function running(now: Application): { owned: Child[]; status: ApplicationStatus } {
  let [owned, status]: [Child[], ApplicationStatus] = [[], {}];
  for (let count = 0; count < 60; count += 1) {
    const { steps, finding } = decide(worldOf(now, { owned, status }));
    owned = applied(owned, steps).map(well);
    status = finding.rollout === undefined ? {} : { rollout: finding.rollout };
  }
  return { owned, status };
}

/** The steps of a plan, and what it warns of. */
async function planned(now: Application, situation: Situation) {
  const world = worldOf(now, situation);
  const pass = { signal: new AbortController().signal, rules: { allowCrossNamespace: false, controllerNamespace: '' } };
  const { steps, finding } = await planAhead({ world, plan: decide(world) }, pass);
  return { steps, warnings: finding.warnings ?? [] };
}

const words = (steps: readonly Step[]): string[] => steps.map(({ op, why }) => `${op}: ${why}`);

/** As another version of the controller wrote it. */
function byAnother(child: Child): Child {
  const annotations = { ...child.metadata.annotations, [APPLIED_DIGEST_ANNOTATION]: 'other' };
  return { ...child, metadata: { ...child.metadata, annotations } };
}

describe('a plan', () => {
  it('has what follows once a stage is passed by a change that no engine acts on', async () => {
    const { owned, status } = running(app('red'));
    const situation = { owned: owned.map(byAnother), status, current: 2, old: app('red') };
    expect(decide(worldOf(app('red'), situation)).steps.map(({ op }) => op)).toEqual(['update', 'keep', 'keep']);
    const { steps } = await planned(app('red'), situation);
    expect(words(steps)).toEqual(steps.map(() => 'update: changed labels and annotations'));
    expect(steps).toHaveLength(3);
  });

  it('ends with a stage that an engine has to pass', async () => {
    const { owned, status } = running(app('red'));
    const { steps } = await planned(app('blue'), { owned, status, current: 2, old: app('red') });
    const waits = 'keep: rollout: waits for stage "canary"';
    expect(words(steps)).toEqual(['update: changed values.color', waits, waits]);
    expect(steps.map((step) => ('live' in step ? step.live : undefined))).toEqual(owned);
  });

  it('installs nothing in a stage whose members are new as well', async () => {
    const { steps } = await planned(app('red'), { owned: [] });
    const waits = 'wait: rollout: waits for stage "canary"';
    expect(words(steps)).toEqual(['create: new destination', waits, waits]);
  });

  it('goes back at once from a revision that failed', async () => {
    const back = { onFailure: 'Rollback' } as const;
    const { owned, status } = running(app('red', back));
    const situation = { status, current: 2, old: app('red', back) };
    const { steps } = decide(worldOf(app('blue', back), { ...situation, owned }));
    const [canary, ...others] = applied(owned, steps);
    const failed = [reporting(canary!, 'False', 'UpgradeFailed'), ...others];
    const plan = await planned(app('blue', back), { ...situation, owned: failed });
    expect(plan.steps[0]).toMatchObject({ op: 'update', object: { spec: { values: { color: 'red' } } } });
  });

  it('says that more follows than it shows', async () => {
    const many = { clusters: 30, stages: [CANARY, { name: 'rest', maxConcurrent: 1 }] };
    const { owned, status } = running(app('red', many));
    const { steps, warnings } = await planned(app('red', many), {
      ...{ owned: owned.map(byAnother), status, current: 2, old: app('red', many) },
    });
    expect(steps.filter(({ op }) => op === 'update')).toHaveLength(MOST_DECISIONS);
    expect(warnings).toContainEqual(expect.stringContaining('more follows at once'));
  });

  it('has no more than one decision where nothing waits', () => {
    const world = worldOf(app('red', { stages: [] }), { owned: [] });
    const plan = decide(world);
    expect(plan.steps.map(({ op }) => op)).toEqual(['create', 'create', 'create']);
    expect(worldAfter(world, plan)).toBeUndefined();
  });
});
