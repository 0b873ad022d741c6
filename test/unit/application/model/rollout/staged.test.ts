import { describe, expect, it } from '@jest/globals';
import omit from 'lodash/omit.js';
import type { Application, ApplicationStatus } from '#api/v1alpha1/application.js';
import { readPins } from '#controllers/application/model/spec/pins.js';
import type { Child } from '#controllers/application/model/child/types.js';
import type { Step } from '#controllers/application/model/child/verdicts.js';
import { defined } from '#lib/plain.js';
import {
  application,
  applied,
  CHART,
  deploy,
  observed,
  ops,
  reporting,
  type Deploy,
  decide,
  type Seen,
} from '../builders.js';
import { earlierOf } from '../revisions/builders.js';

const CLUSTERS = ['asia', 'eu', 'us'];
const ROLLOUT = { stages: [{ name: 'canary', clusters: { names: ['eu'] } }] };
const NOW = Date.parse('2026-01-01T00:00:00Z');

function app(image: string, more: Partial<Deploy> = {}, annotations: Record<string, string> = {}): Application {
  const base = application(CLUSTERS.map((cluster) => deploy('prod', cluster, { values: { image }, ...more })));
  return { ...base, metadata: { ...base.metadata, annotations }, spec: { ...base.spec, rollout: ROLLOUT } };
}

interface Situation {
  readonly current: number;
  readonly owned: readonly Child[];
  readonly old?: Application;
  readonly status?: ApplicationStatus | undefined;
  readonly chartOf?: Seen['chartOf'];
}

function pass(now: Application, { current, owned, old, status = {}, chartOf = () => undefined }: Situation) {
  const seen = observed({ ...now, status }, owned);
  const earlier = new Map(old === undefined ? [] : [[1, earlierOf(now, old)] as const]);
  const revisions = { history: { current, isKept: true, remove: [] }, pins: readPins(now), earlier };
  const plan = decide({ ...seen, revisions, chartOf, nowMs: NOW });
  const { rollout } = plan.finding;
  return { plan, status: rollout === undefined ? {} : { rollout } };
}

const done = (children: readonly Child[]): Child[] =>
  children.map((child) => reporting(child, 'True', 'UpgradeSucceeded'));

const imageOf = ({ spec }: Child): unknown => (spec['values'] as { image: string }).image; // the test's own values

function images(children: readonly Child[]): Record<string, unknown> {
  const pairs = children.map((child): [string, unknown] => [
    child.spec.kubeConfig?.secretRef?.name ?? '',
    imageOf(child),
  ]);
  return Object.fromEntries(pairs);
}

/** All destinations with revision 1, and the status that says so. */
function running(): { owned: Child[]; status: ApplicationStatus } {
  let owned: Child[] = [];
  let status: ApplicationStatus = {};
  for (let count = 0; count < 4; count += 1) {
    const { plan, status: next } = pass(app('a'), { current: 1, owned, status });
    owned = done(applied(owned, plan.steps));
    status = next;
  }
  return { owned, status };
}

/** What each child becomes later, by its image; empty: nothing else. */
const laterImages = (steps: readonly Step[]): unknown[] =>
  steps.map((step) => ('later' in step ? imageOf(step.later) : ''));

const whys = (steps: readonly Step[]): string[] => steps.map(({ op, why }) => `${op}: ${why}`);

describe('the children of an Application with stages', () => {
  const first = running();

  it('are all installed in the end, one stage after the other', () => {
    expect(images(first.owned)).toEqual({ asia: 'a', eu: 'a', us: 'a' });
    expect(first.status.rollout).toMatchObject({ phase: 'Complete', revision: 1, lastGood: 1 });
    const { plan } = pass(app('a'), { current: 1, owned: [] });
    expect(whys(plan.steps)).toEqual([
      'wait: rollout: waits for stage "canary"',
      'create: new destination',
      'wait: rollout: waits for stage "canary"',
    ]);
  });

  it('are updated in the first stage only, and the others are healed to what they have', () => {
    const situation = { current: 2, owned: first.owned, old: app('a'), status: first.status };
    const { steps } = pass(app('b'), situation).plan;
    expect(ops(steps)).toEqual(['keep', 'update', 'keep']);
    const waits = { op: 'keep', why: 'rollout: waits for stage "canary"', hold: 'Release' };
    expect([steps[0], steps[2]]).toEqual([expect.objectContaining(waits), expect.objectContaining(waits)]);
    // What they become then is known already.
    expect(laterImages(steps)).toEqual(['b', '', 'b']);
    const edited = first.owned.map((child) => ({ ...child, spec: { ...child.spec, values: { image: 'edited' } } }));
    const { plan } = pass(app('b'), { ...situation, owned: edited });
    expect(laterImages(plan.steps)).toEqual(['b', '', 'b']);
    expect(images(applied(edited, plan.steps))).toEqual({ asia: 'a', eu: 'b', us: 'a' });
  });

  it('are left unchanged where the earlier revision is lost', () => {
    const edited = first.owned.map((child) => ({ ...child, spec: { ...child.spec, values: { image: 'edited' } } }));
    const { plan } = pass(app('b'), { current: 2, owned: edited, status: first.status });
    expect(images(applied(edited, plan.steps))).toEqual({ asia: 'edited', eu: 'b', us: 'edited' });
  });

  it('stay on a cluster that is not updated yet when their release gets another name', () => {
    const renamed = app('b', { releaseName: 'other' });
    const { plan } = pass(renamed, { current: 2, owned: first.owned, old: app('a'), status: first.status });
    expect(plan.steps.filter(({ op }) => op === 'delete' || op === 'suspend').length).toBeLessThanOrEqual(1);
    const kept = images(applied(first.owned, plan.steps));
    expect(kept).toMatchObject({ asia: 'a', us: 'a' });
  });

  it('are not staged without a rollout, nor while all are pinned', () => {
    const plain = { ...app('b'), spec: omit(app('b').spec, 'rollout') };
    expect(ops(pass(plain, { current: 2, owned: first.owned }).plan.steps)).toEqual(['update', 'update', 'update']);
    const pinned = app('b', {}, { 'gitops.kubesphere.io/pin-revision': '1' });
    const { plan } = pass(pinned, { current: 2, owned: first.owned, old: app('a'), status: first.status });
    expect(ops(plan.steps)).toEqual(['keep', 'keep', 'keep']);
    expect(plan.finding.rollout).toMatchObject({ lastGood: 1, phase: 'Paused' });
  });

  it('make the revision that all are pinned to a good one when they are Ready at it', () => {
    const pinned = app('b', {}, { 'gitops.kubesphere.io/pin-revision': '1' });
    const rollout = { ...first.status.rollout!, revision: 3, lastGood: 3 };
    const after = (owned: readonly Child[], lastGood?: number) => {
      const status = { ...first.status, rollout: { ...omit(rollout, 'lastGood'), ...defined({ lastGood }) } };
      return pass(pinned, { current: 3, owned, old: app('a'), status }).plan.finding.rollout?.lastGood;
    };
    const failed = first.owned.map((child) => reporting(child, 'False', 'UpgradeFailed'));
    // The user went back from revision 3, and revision 1 may never have worked.
    expect(after(failed, 3)).toBeUndefined();
    expect(after([failed[0]!, ...first.owned.slice(1)], 3)).toBeUndefined();
    expect(after(first.owned, 3)).toBe(1);
    expect(after(first.owned)).toBe(1);
    expect(after(failed, 1)).toBe(1);
  });

  describe('are never removed without what replaces them', () => {
    const renamed = (annotations: Record<string, string> = {}) => app('b', { releaseName: 'other' }, annotations);
    const situation = { current: 2, owned: first.owned, old: app('a'), status: first.status };

    it.each([
      ['by a pin', { 'gitops.kubesphere.io/pin-revision': '1' }],
      ['by a pin that means nothing', { 'gitops.kubesphere.io/pin-revision': 'x1' }],
      ['by pins of all clusters', { 'gitops.kubesphere.io/pin-cluster-revisions': 'asia=1,eu=1,us=1' }],
    ])('%s', (_, annotations: Record<string, string>) => {
      const { plan } = pass(renamed(annotations), situation);
      expect(plan.steps.filter(({ op }) => op === 'delete' || op === 'suspend')).toEqual([]);
    });
  });

  it('are staged as well if they are pinned to the new revision', () => {
    const pinned = app('b', {}, { 'gitops.kubesphere.io/pin-revision': '2' });
    const { plan } = pass(pinned, { current: 2, owned: first.owned, old: app('a'), status: first.status });
    expect(ops(plan.steps)).toEqual(['keep', 'update', 'keep']);
  });

  it('go back if there is no such version of the chart', () => {
    const onFailure = 'Rollback' as const;
    const base = app('b');
    const misspelt = { ...base, spec: { ...base.spec, rollout: { ...ROLLOUT, onFailure, failureBudget: 1 } } };
    const situation = { current: 2, old: app('a') };
    const begun = pass(misspelt, { ...situation, owned: first.owned, status: first.status });
    const owned = applied(first.owned, begun.plan.steps).map((child) =>
      imageOf(child) === 'b' ? reporting(child, 'False', 'SourceNotReady', 'no version 9.9.9') : child,
    );
    const stalled = { type: 'Stalled', status: 'True', reason: 'R', message: '', lastTransitionTime: '' } as const;
    const chart = { ...first.owned[0]!, spec: CHART, status: { conditions: [stalled] } };
    const chartOf = (): Child => chart;
    const decided = pass(misspelt, { ...situation, owned, status: begun.status, chartOf });
    const gone = pass(misspelt, { ...situation, owned, status: decided.status, chartOf });
    expect(images(applied(owned, gone.plan.steps))).toEqual({ asia: 'a', eu: 'a', us: 'a' });
    expect(gone.plan.finding.rolledOut).toMatchObject({
      reason: 'RolledBack',
      message: expect.stringContaining('shows that the revision works; eu: no version 9.9.9'),
    });
  });

  it('go back when the rollout is aborted, and forward again when it is retried', () => {
    const situation = { current: 2, old: app('a') };
    const asking = (annotations: Record<string, string>) =>
      Object.fromEntries(Object.entries(annotations).map(([name, text]) => [`gitops.kubesphere.io/${name}`, text]));
    const begun = pass(app('b'), { ...situation, owned: first.owned, status: first.status });
    const owned = applied(first.owned, begun.plan.steps);
    const aborted = app('b', {}, asking({ 'abort-rollout': '2' }));
    const decided = pass(aborted, { ...situation, owned, status: begun.status });
    expect(images(applied(owned, decided.plan.steps))).toEqual({ asia: 'a', eu: 'b', us: 'a' });
    // Nothing goes to the new revision any more, and what has it goes back.
    expect(laterImages(decided.plan.steps)).toEqual(['', 'a', '']);
    const gone = pass(aborted, { ...situation, owned, status: decided.status });
    const back = applied(owned, gone.plan.steps);
    expect(images(back)).toEqual({ asia: 'a', eu: 'a', us: 'a' });
    expect(gone.plan.finding.rolledOut).toMatchObject({ reason: 'RolledBack' });
    expect(gone.plan.finding.rolledOut?.message).toContain('; retry: kubectl annotate --overwrite gapp web -n ');
    const retried = app('b', {}, asking({ 'abort-rollout': '2', 'retry-rollout': '2' }));
    const { plan } = pass(retried, { ...situation, owned: back, status: gone.status });
    expect(images(applied(back, plan.steps))).toEqual({ asia: 'a', eu: 'b', us: 'a' });
  });

  it('are not updated while the annotation pauses the rollout', () => {
    const paused = app('b', {}, { 'gitops.kubesphere.io/pause-rollout': 'true' });
    const { plan } = pass(paused, { current: 2, owned: first.owned, old: app('a'), status: first.status });
    expect(ops(plan.steps)).toEqual(['keep', 'keep', 'keep']);
    expect(plan.finding.rolledOut).toMatchObject({ reason: 'RolloutPaused' });
  });

  it('begin no stage while one that leaves is not Ready with the revision', () => {
    const situation = { current: 2, old: app('a'), status: first.status };
    const began = pass(app('b'), { ...situation, owned: first.owned });
    const owned = done(applied(first.owned, began.plan.steps));
    const [other] = pass(app('b'), { current: 2, owned: [] }).plan.steps.flatMap((step) =>
      'object' in step ? [step.object] : [],
    );
    const name = `${other!.metadata.name}-slow`;
    const mark = { 'gitops.kubesphere.io/application-revision': '2' };
    const slow = {
      ...other!,
      metadata: { ...other!.metadata, name, uid: name, annotations: { ...other!.metadata.annotations, ...mark } },
    };
    const kubeConfig = { secretRef: { name: 'africa' } };
    const leaving = { ...slow, spec: { ...slow.spec, kubeConfig } };
    const held = pass(app('b'), { ...situation, owned: [...owned, leaving], status: began.status });
    expect(held.plan.finding.rolledOut?.message).toContain(`${name}, which no entry is for any more, is not Ready`);
    expect(
      images(
        applied(
          owned,
          held.plan.steps.filter(({ op }) => op === 'update'),
        ),
      ),
    ).toMatchObject({ asia: 'a', us: 'a' });
    const ended = pass(app('b'), { ...situation, owned: [...owned, ...done([leaving])], status: held.status });
    expect(ops(ended.plan.steps)).toContain('update');
  });

  it('wait for no child that waits for them: another entry of its cluster is not updated yet', () => {
    const situation = { current: 2, old: app('a'), status: first.status };
    const began = pass(app('b'), { ...situation, owned: first.owned });
    const owned = applied(first.owned, began.plan.steps);
    const eu = owned.find(({ spec }) => spec.kubeConfig?.secretRef?.name === 'eu')!;
    const failed = reporting(
      { ...eu, metadata: { ...eu.metadata, name: 'gone', uid: 'gone' } },
      'False',
      'UpgradeFailed',
    );
    const leaving = { ...failed, spec: { ...failed.spec, releaseName: 'gone', targetNamespace: 'gone' } };
    const { plan } = pass(app('b'), { ...situation, owned: [...owned, leaving], status: began.status });
    expect(plan.finding.rolledOut?.message).not.toContain('which no entry is for any more');
  });

  it('go back to what the user went back to, not to what they went back from', () => {
    const pinned = app('b', {}, { 'gitops.kubesphere.io/pin-revision': '1' });
    const status = { rollout: { ...first.status.rollout!, revision: 3, lastGood: 3 } };
    const situation = { current: 3, owned: first.owned, old: app('a'), status };
    expect(pass(pinned, situation).status.rollout).toMatchObject({ phase: 'Paused', lastGood: 1 });
    const unkept = app('b', {}, { 'gitops.kubesphere.io/pin-revision': '2' });
    expect(pass(unkept, situation).status.rollout).toMatchObject({ lastGood: 3 });
  });

  it('are resumed in stages, with what was edited while they were suspended', () => {
    const asleep = app('b', { suspend: true });
    const situation = { current: 2, owned: first.owned, old: app('a'), status: first.status };
    const suspended = pass(asleep, situation);
    const owned = applied(first.owned, suspended.plan.steps);
    expect(owned.map(({ spec }) => [spec.suspend, imageOf({ spec } as Child)])).toEqual(Array(3).fill([true, 'b']));
    const again = pass(asleep, { ...situation, owned, status: suspended.status });
    expect(again.plan.finding.rolledOut).toMatchObject({ status: 'False', reason: 'RolloutProgressing' });
    const { plan } = pass(app('b'), { current: 3, owned, old: app('a'), status: again.status });
    const after = applied(owned, plan.steps).map(({ spec }) => [spec.kubeConfig?.secretRef?.name, spec.suspend]);
    expect(Object.fromEntries(after)).toEqual({ asia: true, eu: undefined, us: true });
  });

  describe('a canary that failed', () => {
    const situation = { current: 2, old: app('a') };
    const begun = pass(app('b'), { ...situation, owned: first.owned, status: first.status });
    const failed = applied(first.owned, begun.plan.steps).map((child) =>
      imageOf(child) === 'b' ? reporting(child, 'False', 'UpgradeFailed', 'no room') : child,
    );
    const halted = pass(app('b'), { ...situation, owned: failed, status: begun.status });
    const gitops = (name: string) => `gitops.kubesphere.io/${name}`;
    const suspended = (): Application => {
      const now = app('b');
      const entries = CLUSTERS.map((cluster) =>
        deploy('prod', cluster, { values: { image: 'b' }, ...(cluster === 'eu' ? { suspend: true } : {}) }),
      );
      return { ...now, spec: { ...application(entries).spec, rollout: ROLLOUT } };
    };

    const pinned = app('b', {}, { [gitops('pin-cluster-revisions')]: 'eu=1' });
    it.each([
      ['pinned', { now: pinned, current: 2, reason: 'RolloutHalted', command: 'retry' }],
      ['suspended', { now: suspended(), current: 3, reason: 'RolloutAwaitingApproval', command: 'approve' }],
    ])('lets nothing else begin when it is %s', (_, { now, current, reason, command }) => {
      expect(halted.plan.finding.rolledOut).toMatchObject({ reason: 'RolloutHalted' });
      const next = pass(now, { ...situation, current, owned: failed, status: halted.status });
      expect(images(applied(failed, next.plan.steps))).toMatchObject({ asia: 'a', us: 'a' });
      const message = expect.stringContaining(`; ${command}: kubectl annotate --overwrite gapp web `);
      expect(next.plan.finding.rolledOut).toMatchObject({ reason, message });
      const owned = applied(failed, next.plan.steps);
      const later = pass(now, { ...situation, current, owned, status: next.status });
      expect(images(applied(owned, later.plan.steps))).toMatchObject({ asia: 'a', us: 'a' });
    });

    it('and is pinned needs a retry, and an approval', () => {
      const retried = app('b', {}, { ...pinned.metadata.annotations, [gitops('retry-rollout')]: '2' });
      const asks = pass(retried, { ...situation, owned: failed, status: halted.status });
      expect(images(applied(failed, asks.plan.steps))).toEqual({ asia: 'a', eu: 'a', us: 'a' });
      expect(asks.plan.finding.rolledOut).toMatchObject({
        reason: 'RolloutAwaitingApproval',
        message: expect.stringMatching(/takes no part .*; approve: kubectl annotate .*approve-stage=rest@2@unproven$/),
      });
      const approved = app('b', {}, { ...retried.metadata.annotations, [gitops('approve-stage')]: 'rest@2@unproven' });
      const owned = applied(failed, asks.plan.steps);
      const goesOn = pass(approved, { ...situation, owned, status: asks.status });
      expect(images(applied(owned, goesOn.plan.steps))).toEqual({ asia: 'b', eu: 'a', us: 'b' });
    });
  });

  it('begin at the first stage after a pin', () => {
    const situation = { current: 2, owned: first.owned, old: app('a') };
    const complete = { rollout: { ...first.status.rollout!, revision: 2 } };
    const pinned = app('b', {}, { 'gitops.kubesphere.io/pin-revision': '1' });
    const { status } = pass(pinned, { ...situation, status: complete });
    expect(status.rollout).toMatchObject({ revision: 2, phase: 'Paused', stages: [], lastGood: 1 });
    expect(ops(pass(app('b'), { ...situation, status }).plan.steps)).toEqual(['keep', 'update', 'keep']);
  });

  it('wait for a stage that no cluster is in', () => {
    const wanted = app('b');
    const stages = [{ name: 'canary', clusters: { names: ['misspelt'] } }];
    const spec = { ...wanted.spec, rollout: { stages } };
    const { plan } = pass({ ...wanted, spec }, { current: 2, owned: first.owned, old: app('a'), status: first.status });
    expect(ops(plan.steps)).toEqual(['keep', 'keep', 'keep']);
    expect(plan.finding.rolledOut?.message).toContain('no destination is in stage "canary"');
  });

  it('of an older Application are healed to the last good revision', () => {
    const [asia, ...others] = first.owned;
    const annotations = { ...asia!.metadata.annotations, 'gitops.kubesphere.io/application-revision': '' };
    const edited = {
      ...asia!,
      metadata: { ...asia!.metadata, annotations },
      spec: { ...asia!.spec, values: { image: 'x' } },
    };
    const owned = [edited, ...others];
    const { plan } = pass(app('b'), { current: 2, owned, old: app('a'), status: first.status });
    expect(images(applied(owned, plan.steps))).toEqual({ asia: 'a', eu: 'b', us: 'a' });
  });

  describe('with windows', () => {
    const situation = { current: 2, owned: first.owned, old: app('a'), status: first.status };
    /** From ten to twelve on Sundays; the time of these tests is a Thursday. */
    const sundays = [{ schedule: '0 10 * * 0', duration: '2h', timeZone: 'Europe/Berlin' }];
    const within = (rollout: object, annotations = {}) => {
      const wanted = app('b', {}, annotations);
      return pass({ ...wanted, spec: { ...wanted.spec, rollout: { ...ROLLOUT, ...rollout } } }, situation).plan;
    };

    it('wait until one opens, and are asked again then', () => {
      const plan = within({ windows: sundays });
      expect(ops(plan.steps)).toEqual(['keep', 'keep', 'keep']);
      expect(plan.finding.rollout).toMatchObject({ phase: 'AwaitingWindow' });
      expect(plan.retryAfterMs).toBe(Date.parse('2026-01-04T09:00:00Z') - NOW);
    });

    it('are updated in those of their stage', () => {
      const always = [{ schedule: '0 0 * * *', duration: '24h' }];
      const stages = [{ ...ROLLOUT.stages[0], windows: always }];
      expect(ops(within({ windows: sundays, stages }).steps)).toEqual(['keep', 'update', 'keep']);
    });

    it('do not wait with a revision that may ignore them', () => {
      const ignoring = (revision: string) => ({ 'gitops.kubesphere.io/ignore-windows': revision });
      expect(ops(within({ windows: sundays }, ignoring('2')).steps)).toEqual(['keep', 'update', 'keep']);
      expect(ops(within({ windows: sundays }, ignoring('1')).steps)).toEqual(['keep', 'keep', 'keep']);
    });

    it('that mean nothing are rejected with their field', () => {
      const bad = [{ schedule: '0 0 30 2 *', duration: '2h' }];
      expect(within({ windows: bad }).finding.violation?.message).toMatch(/^spec\.rollout\.windows\[0\]\.schedule/);
      const stages = [{ ...ROLLOUT.stages[0], windows: [{ schedule: '0 0 * * *', duration: '0s' }] }];
      expect(within({ stages }).finding.violation?.message).toMatch(
        /^spec\.rollout\.stages\[0\] \("canary"\)\.windows\[0\]\.duration/,
      );
    });
  });

  it('are left unchanged where they were installed once, and installed in stages elsewhere', () => {
    const once = { mode: 'Once' } as const;
    const fresh = pass(app('a', once), { current: 1, owned: [] });
    expect(ops(fresh.plan.steps)).toEqual(['wait', 'create', 'wait']);
    const [eu] = done(applied([], fresh.plan.steps));
    const next = pass(app('b', once), { current: 2, owned: [eu!], old: app('a', once), status: fresh.status });
    expect(ops(next.plan.steps)).toEqual(['wait', 'unmanage', 'wait']);
    const approved = app('b', once, { 'gitops.kubesphere.io/approve-stage': 'rest@2@unproven' });
    const { plan } = pass(approved, { current: 2, owned: [eu!], old: app('a', once), status: next.status });
    expect(plan.steps).toMatchObject([
      { op: 'create', object: { spec: { values: { image: 'b' } } } },
      { op: 'unmanage', live: eu },
      { op: 'create', object: { spec: { values: { image: 'b' } } } },
    ]);
  });

  it.each(['Pause', 'Rollback'] as const)(
    'are kept by their mode Once, whatever stops the rollout: %s',
    (onFailure) => {
      const once = (image: string): Application => {
        const base = app(image, { mode: 'Once' });
        return { ...base, spec: { ...base.spec, rollout: { ...ROLLOUT, paused: onFailure === 'Pause', onFailure } } };
      };
      const onCluster = (name: string): Child | undefined =>
        first.owned.find(({ spec }) => spec.kubeConfig?.secretRef?.name === name);
      const [asia, eu, us] = CLUSTERS.flatMap((name) => onCluster(name) ?? []).map((child) => ({
        ...child,
        metadata: {
          ...child.metadata,
          annotations: { ...child.metadata.annotations, 'gitops.kubesphere.io/installed-once': '6.5.0' },
        },
        spec: { ...child.spec, suspend: true },
      }));
      const failing = reporting(onCluster('eu')!, 'False', 'InstallFailed');
      const situation = { current: 2, old: once('a'), status: first.status };
      const kept = { op: 'keep', why: 'installed once' };
      const { plan } = pass(once('b'), { ...situation, owned: [asia!, eu!, us!] });
      expect(plan.steps).toMatchObject([kept, kept, kept]);
      const { plan: other } = pass(once('b'), { ...situation, owned: [asia!, failing, us!] });
      expect([other.steps[0], other.steps[2]]).toMatchObject([kept, kept]);
    },
  );

  describe('that were installed once, and are managed from now on', () => {
    const rollout = { ...ROLLOUT, onFailure: 'Rollback' as const };
    const staged = (image: string, more: Partial<Deploy> = {}): Application => {
      const base = app(image, more);
      return { ...base, spec: { ...base.spec, rollout } };
    };
    const once = staged('a', { mode: 'Once' });
    const unmanaged = first.owned.map((child) => ({
      ...child,
      metadata: {
        ...child.metadata,
        annotations: {
          ...child.metadata.annotations,
          'gitops.kubesphere.io/mode': 'Once',
          'gitops.kubesphere.io/installed-once': '6.7.1',
        },
      },
      spec: { ...child.spec, suspend: true },
    }));
    const failed = (children: readonly Child[]): Child[] =>
      children.map((child) => (child.spec.suspend === true ? child : reporting(child, 'False', 'UpgradeFailed')));
    const removals = (steps: readonly Step[]) => steps.filter(({ op }) => op === 'delete' || op === 'suspend');
    /** By cluster: what it runs, and whether an engine may touch it. */
    const runs = (children: readonly Child[]): Record<string, unknown> =>
      Object.fromEntries(
        children.map((child): [string, string] => [
          child.spec.kubeConfig?.secretRef?.name ?? '',
          `${String(imageOf(child))}${child.spec.suspend === true ? ', left alone' : ''}`,
        ]),
      );
    const rest = { asia: 'a, left alone', us: 'a, left alone' };

    it.each([
      ['after a revision that went on', first.status],
      [
        'while an earlier revision is rolled back',
        {
          rollout: { ...omit(first.status.rollout, 'completedAt'), rolledBack: { stage: 'canary', to: 1, why: 'x' } },
        },
      ],
    ])('are updated in the first stage only, and come back to what they had: %s', (_, status: ApplicationStatus) => {
      const situation = { current: 3, old: once };
      const begun = pass(staged('b'), { ...situation, owned: unmanaged, status });
      expect(removals(begun.plan.steps)).toEqual([]);
      const updated = applied(unmanaged, begun.plan.steps);
      expect(runs(updated)).toEqual({ ...rest, eu: 'b' });

      let owned = failed(updated);
      let memory = begun.status;
      // It decides, goes back, and stays there.
      for (let count = 0; count < 3; count += 1) {
        const next = pass(staged('b'), { ...situation, owned, status: memory });
        expect(removals(next.plan.steps)).toEqual([]);
        owned = applied(owned, next.plan.steps);
        memory = next.status;
        expect(runs(owned)).toMatchObject(rest);
      }
      expect(runs(owned)).toEqual({ ...rest, eu: 'a' });
      expect(memory.rollout).toMatchObject({ revision: 3, rolledBack: { stage: 'canary', to: 1 } });

      const settled = pass(staged('b'), { ...situation, owned: done(owned), status: memory });
      expect(removals(settled.plan.steps)).toEqual([]);
      expect(ops(settled.plan.steps)).toEqual(['keep', 'unmanage', 'keep']);
    });
  });

  it('wait for their clusters to be ready before they are installed, whatever the stage', () => {
    const seen = observed(app('a'));
    if ('violation' in seen.validation) throw new Error(seen.validation.violation.message);
    const gate = { waits: 'waiting for cluster eu: ready is false' };
    const entries = seen.validation.entries.map((entry) => (entry.clusterName === 'eu' ? { ...entry, gate } : entry));
    const revisions = {
      history: { current: 1, isKept: true, remove: [] },
      pins: readPins(app('a')),
      earlier: new Map(),
    };
    const stepsWith = (rollout: object): string[] => {
      const spec = { ...seen.application.spec, rollout: { ...ROLLOUT, ...rollout } };
      const now = { ...seen.application, spec };
      return whys(decide({ ...seen, application: now, validation: at(now), revisions, nowMs: NOW }).steps);
    };
    const { validation } = seen;
    const at = (now: Application) => ({
      ...validation,
      entries,
      resolved: { ...validation.resolved, application: now },
    });
    const created = 'create: new destination';
    expect(stepsWith({ unreachableBudget: 1 })).toEqual([created, `wait: ${gate.waits}`, created]);
    const waits = 'wait: rollout: waits for stage "canary"';
    expect(stepsWith({})).toEqual([waits, `wait: ${gate.waits}`, waits]);
  });

  it('are not staged further while something may be missing', () => {
    const seen = observed({ ...app('b'), status: first.status }, first.owned);
    const revisions = {
      history: { current: 2, isKept: true, remove: [] },
      pins: readPins(app('b')),
      earlier: new Map(),
    };
    const plan = decide({ ...seen, revisions, nowMs: NOW, complete: false });
    expect(plan.steps.filter(({ op }) => op === 'update')).toHaveLength(0);
  });
});

describe('an entry that lost its cluster during a rollout', () => {
  const rollout = { stages: [{ name: 'one', clusters: { names: ['host'] } }] };
  const of = (prod: string | undefined, image: string, annotations = {}): Application => {
    const base = application([deploy('base'), deploy('prod', prod), deploy('api', 'eu', { values: { image } })]);
    return { ...base, metadata: { ...base.metadata, annotations }, spec: { ...base.spec, rollout } };
  };
  const old = of('eu', 'a');
  const first = pass(old, { current: 1, owned: [] });
  const second = pass(old, { current: 1, owned: done(applied([], first.plan.steps)), status: first.status });
  const owned = done(applied(done(applied([], first.plan.steps)), second.plan.steps));
  const namesOf = (steps: readonly Step[], op: string): (string | undefined)[] =>
    steps.flatMap((step) => (step.op === op ? [('object' in step ? step.object : step.live)?.metadata.namespace] : []));

  it('is not installed on the host before its removal is approved, whatever the stages are', () => {
    const lost = of(undefined, 'b');
    expect(owned).toHaveLength(3);
    const held = pass(lost, { current: 2, owned, old, status: second.status });
    expect(namesOf(held.plan.steps, 'create')).toEqual([]);
    expect(namesOf(held.plan.steps, 'delete')).toEqual([]);
    expect(held.plan.finding.held?.reason).toBe('ApprovalRequired');
    const removals = held.plan.finding.removals ?? {};
    const annotations = { 'gitops.kubesphere.io/approve-removals': removals.approval ?? '' };
    const status = { ...held.status, removals };
    const goes = pass(of(undefined, 'b', annotations), { current: 2, owned, old, status });
    expect(namesOf(goes.plan.steps, 'create')).toHaveLength(1);
  });
});
