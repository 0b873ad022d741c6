import { describe, expect, it } from '@jest/globals';
import type { Application } from '#api/v1alpha1/application.js';
import { planChildren } from '#controllers/application/model/decide.js';
import { contentOf, validAt } from '#controllers/application/model/revisions/content.js';
import type { Earlier } from '#controllers/application/model/revisions/at-revision.js';
import type { Revisions } from '#controllers/application/model/revisions/pinned.js';
import type { Child } from '#controllers/application/model/types.js';
import { readPins } from '#controllers/application/model/revisions/pins.js';
import { application, applied, deploy, observed, ops, type Deploy } from '../builders.js';

const PIN = 'gitops.kubesphere.io/pin-revision';
const CLUSTERS = 'gitops.kubesphere.io/pin-cluster-revisions';

function pinnedTo(app: Application, annotations: Record<string, string>, earlier: Record<number, Earlier>): Revisions {
  const pins = readPins({ ...app, metadata: { ...app.metadata, annotations } });
  const known = new Map(Object.entries(earlier).map(([number, each]) => [Number(number), each]));
  return { history: { current: 2, isKept: true, remove: [] }, pins, earlier: known };
}

function validOf(app: Application) {
  const seen = observed(app);
  if ('violation' in seen.validation) throw new Error(seen.validation.violation.message);
  return { seen, valid: seen.validation };
}

function plan(app: Application, owned: readonly Child[], revisions?: Revisions) {
  const { seen, valid } = validOf(app);
  return planChildren({ ...seen, owned, revisions }, valid);
}

/** What revision 1 wanted, seen from the Application as it is now. */
function before(app: Application, entries: Deploy[]): Earlier {
  const { seen, valid } = validOf(application(entries));
  const content = contentOf(valid.resolved);
  if (content === undefined) throw new Error('it has no content');
  const earlier = validAt(app, content, seen.clusters);
  if ('violation' in earlier) throw new Error(earlier.violation.message);
  return earlier;
}

const eu = (values: Record<string, unknown>, more: Partial<Deploy> = {}): Deploy =>
  deploy('prod', 'eu', { values, ...more });
const us = (values: Record<string, unknown>): Deploy => deploy('prod', 'us', { values });

const valuesOf = (children: readonly Child[]): unknown[] => children.map(({ spec }) => spec['values']);

describe('a pinned Application', () => {
  const old = [eu({ image: 'a' }), us({ image: 'a' })];
  const app = application([eu({ image: 'b' }), us({ image: 'b' })]);
  const running = applied([], plan(application(old), []).steps);
  const earlier = { 1: before(app, old) };

  it('stays at its revision: nothing is written', () => {
    expect(ops(plan(app, running, pinnedTo(app, { [PIN]: '1' }, earlier)).steps)).toEqual(['keep', 'keep']);
    expect(ops(plan(app, running, pinnedTo(app, {}, {})).steps)).toEqual(['update', 'update']);
  });

  it('goes back to it', () => {
    const next = applied(running, plan(app, running, pinnedTo(app, {}, {})).steps);
    expect(valuesOf(next)).toEqual([{ image: 'b' }, { image: 'b' }]);
    const back = applied(next, plan(app, next, pinnedTo(app, { [PIN]: '1' }, earlier)).steps);
    expect(valuesOf(back)).toEqual([{ image: 'a' }, { image: 'a' }]);
  });

  it('is healed to it', () => {
    const [first, ...others] = running;
    const edited = [{ ...first!, spec: { ...first!.spec, values: { image: 'edited' } } }, ...others];
    const { steps } = plan(app, edited, pinnedTo(app, { [PIN]: '1' }, earlier));
    expect(ops(steps)).toEqual(['update', 'keep']);
    expect(valuesOf(applied(edited, steps))).toContainEqual({ image: 'a' });
  });

  it('may be so on one cluster', () => {
    const { steps } = plan(app, running, pinnedTo(app, { [CLUSTERS]: 'us=1' }, earlier));
    const images = applied(running, steps).map(({ spec }) => [spec.kubeConfig?.secretRef?.name, spec['values']]);
    expect(Object.fromEntries(images)).toEqual({ eu: { image: 'b' }, us: { image: 'a' } });
    expect(ops(steps).sort()).toEqual(['keep', 'update']);
  });

  it('is left unchanged while the revision is not known, or the pin is junk', () => {
    for (const revisions of [
      pinnedTo(app, { [PIN]: '7' }, {}),
      pinnedTo(app, { [PIN]: '7' }, { 7: { problem: 'revision 7 is not kept' } }),
      pinnedTo(app, { [PIN]: 'seven' }, {}),
      pinnedTo(app, { [CLUSTERS]: 'eu' }, {}),
    ]) {
      expect(ops(plan(app, running, revisions).steps)).toEqual(['keep', 'keep']);
      expect(ops(plan(app, [], revisions).steps)).toEqual(['wait', 'wait']);
    }
  });
});
