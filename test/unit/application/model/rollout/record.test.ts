import { describe, expect, it } from '@jest/globals';
import { tallyOf } from '#controllers/application/model/rollout/budgets.js';
import {
  advanced,
  failuresOf,
  previousRevision,
  progressOf,
  recordFor,
  written,
  type Course,
  type Stage,
} from '#controllers/application/model/rollout/record.js';
import type { RolloutRecord, RolloutSpec, StageSpec, Target } from '#controllers/application/model/rollout/types.js';
import { begun, MINUTE, NOW, record, rollout, stage, target } from './builders.js';

const READY = [target('a', 'ready')];

function stagesWith(...list: [StageSpec, Target[]][]): Stage[] {
  return list.map(([spec, members], index) => ({ spec, index, members, tally: tallyOf(members) }));
}

function course(stages: readonly Stage[], given: RolloutRecord, more: Partial<Course> = {}): Course {
  return {
    spec: {},
    stages,
    record: given,
    failures: new Set(),
    approved: undefined,
    blocked: undefined,
    nowMs: NOW,
    ...more,
  };
}

/** Why each stage did not begin; undefined for those that did. */
function gatesOf(given: Course): (string | undefined)[] {
  const { gates } = progressOf(given);
  return given.stages.map(({ index }) => gates.get(index)?.why);
}

describe('the revision to go back to', () => {
  it.each<[string, RolloutRecord | undefined, number | undefined]>([
    ['none without a record', undefined, undefined],
    ['the last good one', record({ lastGood: 1 }), 1],
    ['the last good one, during the rollout of another', record({ revision: 1, lastGood: 1 }), 1],
    ['none if that is the new one', record({ lastGood: 2 }), undefined],
    ['the one that was decided', record({ lastGood: 2, rolledBack: { stage: 'a', to: 1, why: '' } }), 1],
    ['none if none was decided', record({ lastGood: 1, rolledBack: { stage: 'a', why: '' } }), undefined],
  ])('%s', (_, given, revision) => expect(previousRevision(given, 2)).toBe(revision));
});

describe('a record', () => {
  it('stays for its revision', () => {
    const given = record();
    expect(recordFor(given, 2, NOW)).toBe(given);
  });

  it('of another revision keeps only the last good one', () => {
    const rolledBack = { stage: 'a', to: 1, why: '' };
    const given = record({ stages: [begun('a')], rolledBack, retried: '2', completedAt: written(NOW) });
    expect(recordFor(given, 3, NOW)).toEqual({ revision: 3, startedAt: written(NOW), stages: [], lastGood: 1 });
    expect(recordFor(undefined, 1, NOW)).toEqual({ revision: 1, startedAt: written(NOW), stages: [] });
  });

  it('rounds times up', () => expect(written(NOW + 1)).toBe('2026-01-01T12:00:01Z'));

  it('is complete once all is settled and baked', () => {
    const given = course(stagesWith([stage('a'), READY]), record());
    expect(advanced(given, progressOf(given))).toMatchObject({ completedAt: written(NOW), lastGood: 2 });
    const baking = course(stagesWith([stage('a', { bakeTime: '1m' }), READY]), record());
    expect(advanced(baking, progressOf(baking)).completedAt).toBeUndefined();
    const blocked = { ...given, blocked: { cause: 'Paused', why: '' } } as const;
    expect(advanced(blocked, progressOf(blocked)).completedAt).toBeUndefined();
  });

  it('of a revision that went on with failures is not the last good one', () => {
    const spec: RolloutSpec = { onFailure: 'Continue' };
    const given = course(stagesWith([stage('a'), [target('a', 'failed')]]), record(), { spec });
    expect(advanced(given, progressOf(given))).toMatchObject({ completedAt: written(NOW), lastGood: 1 });
  });

  it('counts failures in a text', () => {
    const [only] = stagesWith([stage('a'), [...READY, target('b', 'failed')]]);
    expect(failuresOf(only!).why).toBe('1 of 2 destinations of stage "a" failed, more than failureBudget allows');
  });
});

describe('a stage begins', () => {
  const two = (first: Target[], more: Partial<StageSpec> = {}, next: Partial<StageSpec> = {}): Stage[] =>
    stagesWith([stage('a', more), first], [stage('b', next), [target('b', 'outdated', { stage: 1 })]]);

  it('after all those above are settled', () => {
    expect(gatesOf(course(two(READY), record()))).toEqual([undefined, undefined]);
    expect(gatesOf(course(two([target('a', 'updating')]), record()))).toEqual([undefined, 'waits for stage "a"']);
  });

  it('after the one above baked', () => {
    const stages = two(READY, { bakeTime: '10m' });
    const settled = (ms: number) => record({ stages: [begun('a', written(NOW - ms))] });
    expect(gatesOf(course(stages, record()))).toEqual([undefined, 'waits for the bakeTime of stage "a"']);
    expect(gatesOf(course(stages, settled(10 * MINUTE - 1_000)))[1]).toBe('waits for the bakeTime of stage "a"');
    expect(progressOf(course(stages, settled(4 * MINUTE))).gates.get(1)?.ms).toBe(6 * MINUTE);
    expect(gatesOf(course(stages, settled(10 * MINUTE)))).toEqual([undefined, undefined]);
  });

  it('after it is approved for this revision', () => {
    const stages = two(READY, {}, { approval: true });
    expect(gatesOf(course(stages, record()))[1]).toBe('waits for the approval "b@2"');
    expect(gatesOf(course(stages, record(), { approved: 'b@1' }))[1]).toBe('waits for the approval "b@2"');
    expect(gatesOf(course(stages, record(), { approved: 'b@2' }))[1]).toBeUndefined();
  });

  it('without an approval if nothing would follow', () => {
    const stages = stagesWith([stage('a'), READY], [stage('b', { approval: true }), []]);
    expect(gatesOf(course(stages, record()))).toEqual([undefined, undefined]);
  });

  it('and stays so, whatever becomes of those above and of the approval', () => {
    const given = record({ stages: [begun('a', written(NOW)), begun('b')] });
    const stages = two([target('a', 'absent')], { bakeTime: '1h' }, { approval: true });
    expect(gatesOf(course(stages, given))).toEqual([undefined, undefined]);
  });

  describe('without an approval, and needs one later', () => {
    const unasked = { ...begun('b'), unasked: true };
    const asks = two(READY, {}, { approval: true });
    const recorded = (stages: Stage[], given: RolloutRecord, more: Partial<Course> = {}) => {
      const now = course(stages, given, more);
      return [...progressOf(now).records.values()];
    };

    it.each<[string, Partial<RolloutRecord>]>([
      ['in the middle of a rollout', {}],
      ['after its end', { completedAt: written(NOW) }],
    ])('%s: the others of its destinations wait', (_name, more) => {
      const given = record({ stages: [begun('a', written(NOW)), unasked], ...more });
      expect(gatesOf(course(asks, given))).toEqual([undefined, 'waits for the approval "b@2"']);
      expect(gatesOf(course(asks, given, { approved: 'b@2' }))).toEqual([undefined, undefined]);
      expect(recorded(asks, given)[1]).toEqual(unasked);
      expect(recorded(asks, given, { approved: 'b@2' })[1]).toEqual(begun('b'));
      const approved = record({ stages: recorded(asks, given, { approved: 'b@2' }), ...more });
      expect(gatesOf(course(asks, approved))).toEqual([undefined, undefined]);
    });

    it('remembers the approval once all of them have the revision', () => {
      const stages = stagesWith([stage('a'), READY], [stage('b', { approval: true }), [target('b', 'updating')]]);
      const given = record({ stages: [begun('a', written(NOW)), unasked] });
      expect(recorded(stages, given, { approved: 'b@2' })[1]).toEqual(begun('b'));
    });

    it('nobody waits who has the revision', () => {
      const stages = stagesWith([stage('a'), READY], [stage('b', { approval: true }), [target('b', 'updating')]]);
      const given = record({ stages: [begun('a', written(NOW)), unasked] });
      expect(gatesOf(course(stages, given))).toEqual([undefined, undefined]);
      expect(recorded(stages, given)[1]).toEqual(unasked);
    });

    it('nobody approved a revision that changed nothing', () => {
      const spec: RolloutSpec = { stages: [stage('a'), stage('b', { approval: true })] };
      const resting = [...READY, target('b', 'left', { stage: 1 })];
      const done = rollout({
        spec,
        targets: [...READY, target('b', 'ready', { stage: 1 })],
        record: record({ revision: 1 }),
      });
      expect(done).toMatchObject({ phase: 'Complete', record: { stages: [{}, { name: 'b', unasked: true }, {}] } });
      const resumed = [...READY, target('b', 'outdated', { stage: 1 })];
      expect(rollout({ spec, targets: resumed, record: done.record }).phase).toBe('AwaitingApproval');
      const paused = rollout({ spec, targets: resting, record: record({ revision: 1 }) });
      expect(rollout({ spec, targets: resumed, record: paused.record }).phase).toBe('AwaitingApproval');
    });

    it('is remembered of a stage that was new at the end', () => {
      const stages = stagesWith([stage('a'), READY], [stage('new', { approval: true }), [target('b', 'ready')]]);
      const given = record({ stages: [begun('a', written(NOW))], completedAt: written(NOW) });
      expect(recorded(stages, given)[1]).toMatchObject({ name: 'new', unasked: true });
    });

    it('is remembered only of stages that nobody approved', () => {
      expect(recorded(two(READY), record()).map((each) => each.unasked)).toEqual([true, true]);
      const given = recorded(asks, record(), { approved: 'b@2' });
      expect(given.map((each) => each.unasked)).toEqual([true, undefined]);
    });
  });

  it('not while something stops the rollout', () => {
    const blocked = { cause: 'Paused', why: 'paused' } as const;
    expect(gatesOf(course(two(READY), record(), { blocked }))).toEqual(['paused', 'waits for stage "a"']);
  });

  it('again before those that follow if it was added', () => {
    const given = record({ stages: [begun('b')] });
    expect(gatesOf(course(two([target('a', 'outdated')]), given))).toEqual([undefined, undefined]);
  });
});

describe('a bakeTime', () => {
  const spec: RolloutSpec = { stages: [stage('a', { bakeTime: '10m' }), stage('b')] };
  const old = target('b', 'outdated', { stage: 1 });
  const at = (nowMs: number, given: RolloutRecord, first = READY) =>
    rollout({ spec, targets: [...first, old], record: given, nowMs });

  it('starts again after a relapse', () => {
    const settled = at(NOW, record()).record;
    const relapsed = at(NOW + 5 * MINUTE, settled, [target('a', 'updating')]).record;
    expect(relapsed.stages[0]?.settledAt).toBeUndefined();
    expect(at(NOW + 9 * MINUTE, relapsed).retryAfterMs).toBe(10 * MINUTE);
  });

  it('is at most once more its length if the clock is set back', () => {
    const settled = at(NOW, record()).record;
    const back = at(NOW - 60 * MINUTE, settled);
    expect(back.retryAfterMs).toBe(10 * MINUTE);
    expect(at(NOW - 50 * MINUTE, back.record).record.stages.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(at(NOW - MINUTE, settled).retryAfterMs).toBe(10 * MINUTE);
  });

  it('is over if the clock is set forward, and never negative', () => {
    const forward = at(NOW + 10_000 * MINUTE, at(NOW, record()).record);
    expect(forward.retryAfterMs).toBeUndefined();
    expect(forward.record.stages).toHaveLength(2);
  });

  it('is not lengthened by a record that somebody edited', () => {
    const junk = record({ stages: [begun('a', 'soon')] });
    expect(at(NOW, junk).retryAfterMs).toBe(10 * MINUTE);
    expect(at(NOW, junk).record.stages[0]?.settledAt).toBe(written(NOW));
  });

  it('writes nothing while it passes', () => {
    const settled = at(NOW, record()).record;
    expect(at(NOW + MINUTE, settled).record).toEqual(settled);
  });
});
