import { describe, expect, it } from '@jest/globals';
import type { Application } from '#api/v1alpha1/application.js';
import type { Plan } from '#controllers/application/model/decide.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { application, applied, chartFrom, deploy, leaving, observed, work, type Deploy, decide } from './builders.js';

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
    ['that is new creates and reserves', application([eu]), [], { purpose: 'rollout', reserved: 2, steps: ['create'] }],
    ['in its desired state changes nothing', application([eu]), [child], { purpose: 'rollout', steps: ['keep'] }],
    [
      'with the policy Orphan adds the finalizer first, and owns no child',
      withMore(application([eu]), {}, ORPHAN),
      [child],
      { purpose: 'rollout', finalizers: HELD, reserved: 2, steps: ['update'] },
    ],
    [
      'that is invalid as a whole changes no spec',
      withMore(application([]), {}, ORPHAN),
      [child],
      { purpose: 'stalled', disowned: 1 },
    ],
    [
      'of an engine without a backend does nothing',
      application([], { spec: { argoApp: {} } }),
      [],
      { purpose: 'foreign' },
    ],
    [
      'with an abandoned cluster abandons what is being deleted there, and nothing else',
      withMore(application([eu]), { annotations: { 'gitops.kubesphere.io/abandon': 'eu' } }),
      [leaving(held)],
      { purpose: 'rollout', steps: ['wait'], abandoned: 1 },
    ],
    [
      'with an abandoned cluster where nothing is being deleted abandons nothing',
      withMore(application([eu]), { annotations: { 'gitops.kubesphere.io/abandon': 'true' } }),
      [held],
      { purpose: 'rollout', steps: ['keep'] },
    ],
  ])('%s', (_, app, owned, expected) => {
    expect(brief(decide(observed(app, owned)))).toEqual({ ...NOTHING, ...expected });
  });

  it('lists its warnings, those of the chart last', () => {
    const app = chartFrom('OCIRepository', { chart: 'web', version: '1.x' });
    const { finding } = decide({ ...observed(app), unwatched: 'not checked' });
    expect(finding.warnings).toEqual(['not checked', expect.stringMatching(/^chart.version ignored/)]);
    expect(decide(observed(application([eu]))).finding.warnings).toEqual([]);
  });

  it('does not change what was observed', () => {
    const seen = observed(application([eu]), [child]);
    const before = structuredClone([seen.application, seen.owned]);
    decide(seen);
    expect([seen.application, seen.owned]).toEqual(before);
  });
});
