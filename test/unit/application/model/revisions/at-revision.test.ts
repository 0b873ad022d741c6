import set from 'lodash/set.js';
import { describe, expect, it } from '@jest/globals';
import type { Application } from '#api/v1alpha1/application.js';
import { targetValues } from '#controllers/application/model/children/same-target.js';
import { application, applied, deploy, files, filesApplication, ops, planChildren } from '../builders.js';
import { before, earlierOf, eu, PIN, pinnedTo, plan, us, validOf, valuesOf } from './builders.js';

describe('a destination at an earlier revision', () => {
  const old = [eu({ image: 'a' }), us({ image: 'a' })];
  const running = applied([], plan(application(old), []).steps);

  it('has the destinations of its spec: none comes back, and none goes', () => {
    const more = application([eu({ image: 'b' }), deploy('prod', 'asia', { values: { image: 'b' } })]);
    const wanted = { 1: before(more, old) };
    const { steps } = plan(more, running, pinnedTo(more, { [PIN]: '1' }, wanted));
    const asia = steps.find((step) => 'entry' in step && step.entry.clusterName === 'asia');
    expect(asia).toMatchObject({ op: 'wait', why: 'revision 1 does not have this destination' });
    expect(steps.filter(({ op }) => op === 'delete')).toHaveLength(1);
    expect(steps.filter(({ op }) => op === 'create')).toEqual([]);
  });

  it('keeps its child when the entry was renamed since', () => {
    const named = application([eu({ image: 'b' }, { name: 'europe' }), us({ image: 'b' })]);
    const { steps } = plan(named, running, pinnedTo(named, { [PIN]: '1' }, { 1: before(named, old) }));
    expect(steps.filter(({ op }) => op === 'create' || op === 'delete')).toEqual([]);
    expect(valuesOf(applied(running, steps))).toEqual([{ image: 'a' }, { image: 'a' }]);
  });

  it('is not installed in a namespace that only its revision has', () => {
    const now = application([eu({ image: 'b' }, { storageNamespace: 'store' })]);
    const elsewhere = deploy('other', 'eu', { values: { image: 'a' }, storageNamespace: 'store' });
    const { steps } = plan(now, [], pinnedTo(now, { [PIN]: '1' }, { 1: before(now, [elsewhere]) }));
    expect(steps).toMatchObject([{ op: 'wait', why: 'revision 1 has it in another namespace' }]);
  });

  const ofChart = (chart: string): Application => {
    const made = structuredClone(application([eu({ image: chart })]));
    set(made, 'spec.fluxApp.spec.source.sourceRef.kind', 'GitRepository');
    return set(made, 'spec.fluxApp.spec.config.helmRelease.chart.chart', chart);
  };

  /** The steps for a new destination that is pinned to a revision with another path of the chart. */
  const stepsFor = (before: string, wanted: string) => {
    const now = ofChart(wanted);
    return plan(now, [], pinnedTo(now, { [PIN]: '1' }, { 1: earlierOf(now, ofChart(before)) })).steps;
  };

  it.each([
    ['charts/other', 'charts/podinfo'],
    ['charts/01-base', 'charts/02-db'],
    ['charts/7zip', 'charts/3scale'],
    ['charts/v2ray', 'charts/1password'],
  ])('is not installed with a chart of another name: %s instead of %s', (before, wanted) => {
    expect(stepsFor(before, wanted)).toMatchObject([{ op: 'wait', why: 'revision 1 has it with another chart' }]);
  });

  it.each([
    ['charts/web/1.0', 'charts/web/v1.1.0-rc.1'],
    ['charts/web/v1', 'charts/web/v2'],
    ['charts/web/1', 'charts/web/2'],
  ])('is installed with another version of its chart: %s instead of %s', (before, wanted) => {
    expect(stepsFor(before, wanted)).toMatchObject([{ op: 'create' }]);
  });

  it('is not installed while ready of its revision is false or not valid', () => {
    const now = application([eu({ image: 'b' })]);
    const earlier = before(now, [eu({ image: 'a' })]);
    if ('problem' in earlier) throw new Error(earlier.problem);
    const violation = { reason: 'ReadyInvalid', message: 'ready: no' } as const;
    const gates = [
      [{ waits: 'ready is false' }, 'ready is false'],
      [{ violation }, 'revision 1: ready: no'],
    ] as const;
    for (const [gate, why] of gates) {
      const gated = { ...earlier, entries: earlier.entries.map((entry) => ({ ...entry, gate })) };
      expect(plan(now, [], pinnedTo(now, { [PIN]: '1' }, { 1: gated })).steps).toMatchObject([{ op: 'wait', why }]);
    }
  });

  it('never takes what another Application holds by now', () => {
    const released = application([eu({ image: 'b' }, { releaseName: 'other' })]);
    const { seen, valid } = validOf(released);
    const revisions = pinnedTo(
      released,
      { [PIN]: '1' },
      { 1: before(released, [eu({ image: 'a' }, { releaseName: 'taken' })]) },
    );
    const otherOwnerOf = ({ release }: { release: { releaseName: string } }) =>
      release.releaseName === 'taken' ? 'Application shop/other' : undefined;
    const { steps } = planChildren({ ...seen, otherOwnerOf, revisions }, valid);
    expect(ops(steps)).toEqual(['wait']);
  });

  it('never applies what somebody else applies by now, also from the source that it had', () => {
    const from = (name: string) => {
      const config = { kustomization: [files('prod', 'eu', { path: './a' })] };
      const source = { sourceRef: { kind: 'GitRepository', name } } as const;
      return filesApplication([], { spec: { kind: 'fluxcd', fluxApp: { spec: { source, config } } } });
    };
    const now = from('new');
    const owned = applied([], plan(now, []).steps);
    const [other] = applied([], plan(from('old'), []).steps);
    const foreign = { ...other!, metadata: { name: 'plain', namespace: 'shop' } };
    const { seen, valid } = validOf(now);
    const targets = {
      childrenAt: (value: string) => [...owned, foreign].filter((child) => targetValues(child).includes(value)),
      claimantOf: () => undefined,
    };
    const revisions = pinnedTo(now, { [PIN]: '1' }, { 1: earlierOf(now, from('old')) });
    const { steps } = planChildren({ ...seen, owned, targets, revisions }, valid);
    expect(ops(steps)).toEqual(['keep']);
    expect(steps).toMatchObject([
      { why: expect.stringContaining('Kustomization shop/plain already applies the files') },
    ]);
  });

  it('is never moved to another namespace, nor renamed', () => {
    const there = application([deploy('prod-2', 'eu', { name: 'main', values: { image: 'b' } })]);
    const here = [deploy('prod', 'eu', { name: 'main', values: { image: 'a' } })];
    const moved = applied([], plan(there, []).steps);
    const { steps } = plan(there, moved, pinnedTo(there, { [PIN]: '1' }, { 1: before(there, here) }));
    expect(ops(steps)).toEqual(['keep']);
  });
});
