import { describe, expect, it } from '@jest/globals';
import type { Application } from '#api/v1alpha1/application.js';
import { willReconcileAgain, conclude, eventsOfWrites, type Acted } from '#controllers/application/model/conclude.js';
import type { Plan } from '#controllers/application/model/decide.js';
import { decideDeletion } from '#controllers/application/model/decide-deletion.js';
import { readPins } from '#controllers/application/model/spec/pins.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { NO_CLUSTERS, application, applied, deploy, observed, well, work, decide, indexed } from './builders.js';

const NOW = Date.UTC(2026, 0, 1);
const app = application([deploy('prod', 'eu')]);
const children: Child[] = applied([], work(app).steps).map(well);

function acted({ application: of, steps }: Plan, more: Partial<Acted> = {}): Acted {
  const outcomes = steps.map((step) => ({ step, child: 'live' in step ? step.live : step.object }));
  return {
    application: of,
    outcomes,
    requests: {},
    saved: undefined,
    errors: [],
    incomplete: false,
    isLate: false,
    ...more,
  };
}

/** The Application as a server has it after a pass. */
function written(plan: Plan): Application {
  const { application: before, metadata, status } = conclude(plan, acted(plan), NOW);
  const { finalizers, labels, annotations } = { ...before.metadata, ...metadata };
  const after = {
    ...before.metadata,
    finalizers: [...(finalizers ?? [])],
    labels: labels ?? {},
    annotations: annotations ?? {},
  };
  return { ...before, metadata: after, ...(status === undefined ? {} : { status }) };
}

describe('what a pass writes in the end', () => {
  it('contains finalizer, labels and status, and events about what became ready', () => {
    const plan = decide(observed(app, children));
    const { metadata, status, events } = conclude(plan, acted(plan), NOW);
    expect(metadata).toMatchObject({ finalizers: ['application.gitops.kubesphere.io'] });
    expect(status).toMatchObject({ summary: { ready: '1/1' } });
    expect(events).toMatchObject([{ type: 'Normal', reason: 'AllReady' }]);
  });

  it('is nothing when the next pass finds the same', () => {
    const again = decide(observed(written(decide(observed(app, children))), children));
    const { metadata, status, events } = conclude(again, acted(again), NOW + 60_000);
    expect({ metadata, status, events }).toEqual({ metadata: undefined, status: undefined, events: [] });
  });

  it('is the status alone while an Application is being deleted', () => {
    const plan = decideDeletion(app, children, { clusters: indexed(NO_CLUSTERS) });
    const { metadata, status } = conclude(plan, acted(plan), NOW);
    expect(metadata).toBeUndefined();
    expect(status?.conditions?.[0]).toMatchObject({ type: 'Ready', reason: 'Deleting' });
  });
});

describe('what waits for its stage', () => {
  const staged: Application = application([deploy('prod', 'eu'), deploy('prod', 'us')]);
  const stages = [{ name: 'canary', clusters: { names: ['eu'] } }];
  const rolledOut: Application = { ...staged, spec: { ...staged.spec, rollout: { stages } } };
  const history = { current: 1, isKept: true, remove: [] };
  const revisions = { history, pins: readPins(rolledOut), earlier: new Map() };
  const planOf = (now: Application, owned: readonly Child[], nowMs: number): Plan =>
    decide({ ...observed(now, owned), revisions, nowMs });
  const first = planOf(rolledOut, [], NOW);
  const owned = applied([], first.steps);

  it('is pending in the status, which is not written again while it waits', () => {
    const now = written(planOf(written(first), owned, NOW));
    const us = { cluster: 'us', to: 1, change: 'installation', reason: 'Stage', message: 'waits for stage "canary"' };
    expect(now.status?.pending).toMatchObject({ total: 1, destinations: [us] });
    const later = planOf(now, owned, NOW + 600_000);
    expect(conclude(later, acted(later), NOW + 600_000).status).toBeUndefined();
  });

  it('is in the rows with its stage, and since when it is in its state', () => {
    const rows = written(planOf(written(first), owned, NOW)).status?.destinations;
    const at = '2026-01-01T00:00:00Z';
    expect(rows?.map(({ cluster, stage, since }) => ({ cluster, stage, since }))).toEqual([
      { cluster: 'eu', stage: 'canary', since: at },
      { cluster: 'us', stage: 'rest', since: at },
    ]);
  });

  it('stays in the status while the Application as a whole is invalid', () => {
    const now = written(first);
    const { pending } = now.status ?? {};
    expect(pending?.total).toBe(1);
    const broken = { ...now, spec: { ...now.spec, rollout: { stages: [{ name: 'canary' }] } } };
    const stalled = planOf(broken, owned, NOW);
    expect(stalled.purpose).toBe('stalled');
    expect(conclude(stalled, acted(stalled), NOW).status?.pending).toEqual(pending);
  });
});

describe('a pass', () => {
  const plan = decide(observed(app, []));

  it.each<[string, boolean, Plan, Partial<Acted>]>([
    ['comes again when it made children', true, plan, {}],
    ['does not when something went wrong', false, plan, { errors: [new Error('refused')] }],
    ['does not when it was asked for something', false, { ...plan, requests: { at: 'now' } }, {}],
    ['does not when it made none', false, decide(observed(app, children)), {}],
  ])('%s', (_, expected, of, more) => {
    expect(willReconcileAgain(of, acted(of, more))).toBe(expected);
  });

  it('records what it wrote, and nothing twice for a deletion', () => {
    const deletion = decideDeletion(app, children, { clusters: indexed(NO_CLUSTERS) });
    const told = [plan, deletion].map((each) => eventsOfWrites(each, acted(each).outcomes).map(({ reason }) => reason));
    expect([...told, deletion.events.map(({ reason }) => reason)]).toEqual([['Created'], [], ['Removing']]);
  });
});
