import { describe, expect, it } from '@jest/globals';
import type { Application } from '#api/v1alpha1/application.js';
import { decide, decideDeletion, type Plan } from '#controllers/application/model/decide.js';
import type { Child } from '#controllers/application/model/types.js';
import { application, applied, deploy, leaving, observed, work, type Deploy } from './builders.js';

const HELD = ['application.gitops.kubesphere.io'];
const eu = deploy('prod', 'eu');
const made = (...entries: Deploy[]): Child[] => applied([], work(application(entries)).steps);
const [fresh] = made(eu);
const child: Child = fresh!;

function withMore(app: Application, metadata: Partial<Application['metadata']>, spec: object = {}): Application {
  return { ...app, metadata: { ...app.metadata, ...metadata }, spec: { ...app.spec, ...spec } };
}

const brief = ({ purpose, finalizers, reserved, steps, disowned, abandoned }: Plan) => ({
  purpose,
  finalizers,
  reserved: reserved.length,
  steps: steps.map(({ op }) => op),
  disowned: disowned.length,
  abandoned: abandoned.length,
});
const NOTHING = { finalizers: undefined, reserved: 0, steps: [], disowned: 0, abandoned: 0 };
const held = { ...child, metadata: { ...child.metadata, finalizers: ['finalizers.fluxcd.io'] } };
const ORPHAN = { deletionPolicy: 'Orphan' } as const;

describe('the plan for an Application', () => {
  it.each<[string, Application, Child[], Partial<ReturnType<typeof brief>>]>([
    [
      'that is new comes to what it makes',
      application([eu]),
      [],
      { purpose: 'rollout', reserved: 1, steps: ['create'] },
    ],
    ['that is as it should be comes to nothing', application([eu]), [child], { purpose: 'rollout', steps: ['keep'] }],
    [
      'whose releases shall outlive it holds it first, and owns no child',
      withMore(application([eu]), {}, ORPHAN),
      [child],
      { purpose: 'rollout', finalizers: HELD, reserved: 1, steps: ['update'] },
    ],
    [
      'that is wrong as a whole touches no spec',
      withMore(application([]), {}, ORPHAN),
      [child],
      { purpose: 'stalled', disowned: 1 },
    ],
    [
      'of an engine that was never ours looks at nothing',
      application([], { spec: { argoApp: {} } }),
      [],
      { purpose: 'foreign' },
    ],
    [
      'that gave a cluster up abandons what is being deleted there, and nothing else',
      withMore(application([eu]), { annotations: { 'gitops.kubesphere.io/abandon': 'eu' } }),
      [leaving(held)],
      { purpose: 'rollout', steps: ['wait'], abandoned: 1 },
    ],
    [
      'that gave up a cluster where nothing is deleted abandons nothing',
      withMore(application([eu]), { annotations: { 'gitops.kubesphere.io/abandon': 'true' } }),
      [held],
      { purpose: 'rollout', steps: ['keep'] },
    ],
  ])('%s', (_, app, owned, expected) => {
    expect(brief(decide(observed(app, owned)))).toEqual({ ...NOTHING, ...expected });
  });

  it('is made of what was looked at, and changes none of it', () => {
    const seen = observed(application([eu]), [child]);
    const before = structuredClone([seen.application, seen.owned]);
    decide(seen);
    expect([seen.application, seen.owned]).toEqual(before);
  });
});

describe('the plan for an Application that is being deleted', () => {
  it('deletes each child once, and says what it waits for', () => {
    const [one, two] = made(eu, deploy('prod', 'us'));
    const plan = decideDeletion(application([]), [one!, leaving(two!)]);
    expect(brief(plan)).toEqual({ ...NOTHING, purpose: 'deletion', steps: ['delete'] });
    expect(plan.finding.missing).toMatchObject({ reason: 'Deleting' });
    expect(plan.rowsAfter([])?.map(({ state }) => state)).toEqual(['Deleting', 'Deleting']);
  });

  it('deletes nothing of one whose releases shall outlive it', () => {
    expect(decideDeletion(withMore(application([]), {}, ORPHAN), [child]).steps).toEqual([]);
  });
});
