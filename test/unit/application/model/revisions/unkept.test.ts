import { describe, expect, it } from '@jest/globals';
import { planHistory } from '#controllers/application/model/spec/history.js';
import { readPins } from '#controllers/application/model/spec/pins.js';
import { contentOf } from '#controllers/application/model/destinations/validate.js';
import type { Child } from '#controllers/application/model/child/types.js';
import type { Application } from '#api/v1alpha1/application.js';
import { application, applied, deploy, observed, ops, work, type Deploy, decide } from '../builders.js';
import { validOf } from './builders.js';

const QUOTA = 'exceeded quota: few';
const STATUS = {
  history: { revision: 1 },
  rollout: { revision: 1, phase: 'Complete', startedAt: 'then', stages: [] },
} as const;

function planFor(entries: Deploy[], owned: readonly Child[], unkept?: string) {
  const base = application(entries);
  const app: Application = {
    ...base,
    spec: { ...base.spec, revisionHistoryLimit: 3 },
    status: { ...STATUS, rollout: { ...STATUS.rollout, stages: [] } },
  };
  const content = contentOf(validOf(app).valid.resolved);
  if (content === undefined) throw new Error('it has no content');
  const history = planHistory(app, content, [], { used: new Set([1]), pinned: new Set() });
  return decide({ ...observed(app, owned), revisions: { history, pins: readPins(app), earlier: new Map(), unkept } });
}

describe('a revision that cannot be kept', () => {
  const entries = (image: string): Deploy[] =>
    ['eu', 'us'].map((cluster) => deploy('prod', cluster, { values: { image } }));
  const owned = applied([], work(application(entries('a'))).steps);

  it('is not written to any child', () => {
    const { steps } = planFor([...entries('b'), deploy('prod', 'asia')], owned, QUOTA);
    expect(ops(steps)).toEqual(['wait', 'wait', 'wait']);
    expect(steps[0]).toMatchObject({ live: owned[0], why: 'revision 2 cannot be kept' });
  });

  it('is named with its object, the error and the way out, and remembered by nothing', () => {
    const { finding } = planFor(entries('b'), owned, QUOTA);
    expect(finding).toMatchObject({ ...STATUS, missing: { reason: 'RevisionNotKept' } });
    expect(finding.missing?.message).toMatch(
      /^revision 2 cannot be kept, so nothing is updated to it: cannot create ControllerRevision .+\/web-[a-z2-7]{10}: exceeded quota: few; make room for it/,
    );
  });

  it('does not keep a destination that nobody wants any more, unless something is to replace it', () => {
    const removed = planFor(entries('b').slice(0, 1), owned, QUOTA);
    expect(ops(removed.steps)).toEqual(['wait', 'delete']);
    const renamed = planFor([deploy('prod', 'eu', { releaseName: 'other' })], owned, QUOTA);
    expect(ops(renamed.steps)).toEqual(['wait', 'spare', 'delete']);
  });
});
