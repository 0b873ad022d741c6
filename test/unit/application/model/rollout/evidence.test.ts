import { describe, expect, it } from '@jest/globals';
import type { Rollout, RolloutRecord, RolloutSpec, Target } from '#controllers/application/model/rollout/types.js';
import {
  MINUTE,
  NOW,
  begun,
  record,
  rollout,
  stage,
  startedIn,
  target,
  targets,
  textOf,
  type Given,
} from './builders.js';

const SPEC: RolloutSpec = { stages: [stage('canary')] };
const REST = targets('rest', ['outdated', 'outdated'], { stage: 1 });
const RETRY = { retry: '2' };
const APPROVED = { approved: 'rest@2@unproven' };

/** A pass over a canary stage with the destinations `first`; the remaining destinations wait for it. */
function pass(first: readonly Target[], given: RolloutRecord, more: Given = {}): Rollout {
  return rollout({ spec: SPEC, targets: [...first, ...REST], record: given, ...more });
}

const startedOf = (result: Rollout, first: readonly Target[] = []): string[] => startedIn(result, [...first, ...REST]);

/** The record after a pass in which the canary stage had already started. */
function after(first: readonly Target[], more: Given = {}): RolloutRecord {
  return pass(first, record({ stages: [begun('canary')] }), more).record;
}

const left = (id: string): Target => target(id, 'left');
const once = (id: string): Target => target(id, 'left', { isOnce: true, hasProven: true });
const onceBefore = (id: string): Target => target(id, 'left', { isOnce: true });
const rejected = (id: string, problem = 'values: no zone'): Target => target(id, 'rejected', { problem });
const lost = (id: string): Target => target(id, 'outdated', { isReachable: false });

describe('a canary that failed', () => {
  const failed = [target('a', 'failed')];
  const halted = after(failed);

  it.each<[string, Target[]]>([
    ['is pinned, paused or suspended', [left('a')]],
    ['is rejected', [rejected('a')]],
    ['is unreachable', [target('a', 'updating', { isReachable: false })]],
    ['is sent to the old revision by hand', [target('a', 'outdated', { isReachable: false })]],
    ['is removed from the rollout', []],
  ])('holds all others when it %s', (_, now) => {
    const result = pass(now, halted);
    expect(startedOf(result)).toEqual([]);
    expect(result.phase).toBe('Halted');
    expect(pass(now, result.record).record).toEqual(result.record);
    expect(startedOf(pass(now, result.record, { requests: APPROVED }))).toEqual([]);
  });

  it.each([5, 0])('holds all others when it leaves for a moment, beside one that is Ready (budget %d)', (budget) => {
    const both = [target('a', 'failed'), target('b', 'ready')];
    const spec = { ...SPEC, failureBudget: budget };
    const stopped = after(both, { spec });
    const alone = [target('b', 'ready')];
    const without = pass(alone, stopped, { spec });
    expect(startedOf(without).length).toBe(budget === 0 ? 0 : 2);
    expect(startedOf(pass(both, without.record, { spec })).length).toBe(budget === 0 ? 0 : 2);
    expect(without.record.failing).toEqual(stopped.failing);
  });

  it('holds all others when it loses the label of its stage, whatever the budget of the next one, until it is Ready', () => {
    const spec = { ...SPEC, failureBudget: '50%' };
    const both = [target('a', 'failed'), target('b', 'failed')];
    const stopped = after(both, { spec });
    expect(stopped.failing).toHaveLength(2);
    const moved = (state: Target['state']): Target[] => [target('a', state, { stage: 1 }), target('b', 'ready')];
    const first = pass([{ ...both[0]!, stage: 1 }, both[1]!], stopped, { spec });
    expect(first.stages.map(({ total }) => total)).toEqual([2, 2]);
    expect(startedOf(first)).toEqual([]);
    expect(first.why).toContain('2 of 2 destinations of stage "canary" failed');
    expect(first.record.failing).toEqual(stopped.failing);
    const back = pass(both, first.record, { spec });
    expect(back.record.failing).toEqual(stopped.failing);
    expect(startedOf(pass(moved('updating'), first.record, { spec }))).toEqual([]);
    const ready = pass(moved('ready'), first.record, { spec });
    expect(startedOf(ready)).toEqual(['rest-1', 'rest-2']);
    expect(ready.record.failing).toBeUndefined();
  });

  it('goes back with its stage, whatever its label says by then', () => {
    const spec: RolloutSpec = { ...SPEC, onFailure: 'Rollback' };
    const back = { hasPrevious: true };
    const paused = pass([target('a', 'failed', back)], halted, { spec, requests: { paused: 'true' }, previous: 1 });
    const moved = [target('a', 'failed', { ...back, stage: 1 })];
    const decided = pass(moved, paused.record, { spec, previous: 1 });
    expect(decided.record.rolledBack).toMatchObject({ stage: 'canary', to: 1 });
    const next = pass(moved, decided.record, { spec, previous: 1 });
    expect(textOf(next.moves.get('a'))).toBe('previous');
    const there = [target('a', 'outdated', { ...back, stage: 1, isAtPrevious: true })];
    expect(startedOf(pass(there, next.record, { spec, previous: 1 }), there)).toEqual([]);
  });

  it('counts in its own stage when it left, so that it stops no stage that may lose it', () => {
    const spec = { stages: [stage('canary'), stage('prod')], failureBudget: 1 };
    const canary = target('a', 'ready');
    const prod = [target('b', 'failed', { stage: 1 }), target('c', 'ready', { stage: 1 })];
    const rest = targets('rest', ['outdated'], { stage: 2 });
    const given = record({ stages: [begun('canary'), begun('prod')] });
    const first = rollout({ spec, targets: [canary, ...prod, ...rest], record: given });
    const all = [target('a', 'updating'), prod[1]!, ...rest];
    const next = rollout({ spec, targets: all, record: { ...first.record, stages: given.stages } });
    expect(next.phase).toBe('Progressing');
    expect(next.record.failing).toEqual(first.record.failing);
  });

  it('is tried again once it is resumed, before anything else, and lets the others begin when it is Ready', () => {
    const pinned = pass([left('a')], halted);
    const resumed = [target('a', 'outdated')];
    const again = pass(resumed, pinned.record);
    expect(startedOf(again, resumed)).toEqual(['a']);
    const ready = pass([target('a', 'ready')], again.record);
    expect(startedOf(ready)).toEqual(['rest-1', 'rest-2']);
    expect(ready.record.failing).toBeUndefined();
  });

  it('is tried again after all were pinned', () => {
    const resumed = [target('a', 'outdated')];
    expect(startedOf(pass(resumed, { ...halted, stages: [] }), resumed)).toEqual(['a']);
  });

  it('is forgotten by a retry, but proves nothing then', () => {
    const pinned = pass([left('a')], halted);
    expect(pinned.why).toContain('1 of 1 destinations of stage "canary" failed');
    const retried = pass([left('a')], pinned.record, { requests: RETRY });
    expect(startedOf(retried)).toEqual([]);
    expect(retried).toMatchObject({ phase: 'AwaitingApproval', record: { retried: '2' }, warnings: [] });
    const approved = pass([left('a')], retried.record, { requests: { ...RETRY, ...APPROVED } });
    expect(startedOf(approved)).toEqual(['rest-1', 'rest-2']);
  });

  it('that left for good is forgotten by a retry', () => {
    const gone = pass([target('b', 'ready')], after([target('a', 'failed'), target('b', 'ready')]));
    expect(startedOf(gone)).toEqual([]);
    expect(startedOf(pass([target('b', 'ready')], gone.record, { requests: RETRY }))).toHaveLength(2);
  });

  it('is forgotten with its stage, and with its revision', () => {
    const alone = [target('b', 'ready')];
    const gone = pass(alone, after([target('a', 'failed'), ...alone]));
    const renamed = { stages: [stage('first')] };
    expect(startedOf(pass(alone, gone.record, { spec: renamed }))).toHaveLength(2);
    const next = [target('b', 'outdated')];
    expect(startedOf(pass(next, gone.record, { revision: 3 }), next)).toEqual(['b']);
  });

  it('is forgotten once the rollout is complete: new clusters wait for none that left', () => {
    const done = {
      ...halted,
      completedAt: '2026-01-01T11:30:00Z',
      lastGood: 2,
      stages: [begun('canary'), begun('rest')],
    };
    const all = [target('new', 'absent')];
    const result = rollout({ spec: SPEC, targets: all, record: done });
    expect(startedIn(result, all)).toEqual(['new']);
    expect(result.record.failing).toBeUndefined();
  });

  it('does not hold what goes on with failures', () => {
    const spec = { ...SPEC, onFailure: 'Continue' as const };
    const given = { ...halted, stages: [begun('canary')] };
    expect(startedOf(pass([left('a')], given, { spec }))).toHaveLength(2);
  });

  it('is in no stage, and counts, if an older controller remembered it', () => {
    const [text = ''] = halted.failing ?? [];
    const old = { ...halted, failing: [text.slice(0, 10)] };
    expect(startedOf(pass([target('b', 'ready')], old))).toEqual([]);
  });
});

describe('a stage that nothing was seen of', () => {
  it.each<[string, Target[], boolean]>([
    ['pinned, paused or suspended', [left('a')], false],
    ['rejected', [rejected('a'), rejected('b')], false],
    ['rejected and paused', [rejected('a'), left('b')], false],
    ['unreachable and pinned', [lost('a'), left('b')], false],
    ['unreachable and rejected', [lost('a'), rejected('b')], false],
    ['installed once and pinned', [once('a'), left('b')], false],
    ['installed once with it', [once('a'), once('b')], true],
    ['installed once before', [onceBefore('a')], false],
    ['pinned beside one that is Ready', [left('a'), target('b', 'ready')], true],
    ['rejected beside one that is Ready', [rejected('a'), target('b', 'ready')], true],
  ])('is passed or not: %s', (_, first, isPassed) => {
    const result = pass(first, record({ stages: [begun('canary')] }));
    expect(startedOf(result)).toHaveLength(isPassed ? 2 : 0);
    expect(result.record.rolledBack).toBeUndefined();
    const back = pass(first, record({ stages: [begun('canary')] }), { spec: { ...SPEC, onFailure: 'Rollback' } });
    expect(back.record.rolledBack).toBeUndefined();
  });

  it('says so, with the cause, and what opens the next one', () => {
    const result = pass([rejected('a', 'deploy[0].values: no zone')], record());
    expect(result.phase).toBe('AwaitingApproval');
    expect(result.why).toBe(
      'stage "rest": waits for the approval "rest@2@unproven", as stage "canary" proves nothing: of 1 destinations, 1 is rejected; a: deploy[0].values: no zone',
    );
    const unread = pass([left('a'), rejected('b')], record());
    expect(unread.why).toContain('of 2 destinations, 1 is rejected, 1 takes no part');
  });

  it('is not passed by an approval that was given before it was asked for that, and bakes to its end', () => {
    const spec = { stages: [stage('canary', { bakeTime: '1h' }), { name: 'rest', approval: true }] };
    const early = { spec, requests: { approved: 'rest@2' } };
    const baking = record({ stages: [begun('canary', '2026-01-01T11:55:00Z')] });
    const ready = pass([target('a', 'ready')], baking, early);
    expect(ready).toMatchObject({ phase: 'Baking', retryAfterMs: 55 * MINUTE });
    for (const now of [left('a'), rejected('a')]) {
      const held = pass([now], ready.record, early);
      expect(held).toMatchObject({ phase: 'Baking', retryAfterMs: 55 * MINUTE, record: ready.record });
      expect(pass([now], ready.record, { spec, requests: APPROVED })).toMatchObject({ phase: 'Baking' });
      expect(pass([target('a', 'ready')], held.record, early)).toMatchObject({ phase: 'Baking' });
      const later = { ...early, nowMs: NOW + 55 * MINUTE };
      const asks = pass([now], held.record, later);
      expect(startedOf(asks)).toEqual([]);
      expect(asks).toMatchObject({ phase: 'AwaitingApproval', stages: [{}, { approval: 'rest@2@unproven' }] });
      expect(asks.warnings).toEqual(['approve-stage "rest@2": the stage waits for "rest@2@unproven"']);
      expect(startedOf(pass([now], asks.record, { ...later, requests: APPROVED }))).toHaveLength(2);
      expect(startedOf(pass([target('a', 'ready')], asks.record, later))).toHaveLength(2);
    }
  });

  it('holds what follows the next one as well, and is passed with it', () => {
    const spec = { stages: [stage('canary'), stage('prod')] };
    const prod = (state: Target['state']) => target('p', state, { stage: 1 });
    const rest = target('r', 'outdated', { stage: 2 });
    const at = (all: Target[], given: RolloutRecord, approved = 'prod@2@unproven') =>
      rollout({ spec, targets: all, record: given, requests: { approved } });
    const first = [left('c'), prod('outdated'), rest];
    expect(startedIn(at(first, record(), 'rest@2@unproven'), first)).toEqual([]);
    const begins = at(first, record());
    expect(startedIn(begins, first)).toEqual(['p']);
    const second = [left('c'), prod('ready'), rest];
    const goesOn = at(second, begins.record);
    expect(startedIn(goesOn, second)).toEqual(['r']);
    const done = at([left('c'), prod('ready'), target('r', 'ready', { stage: 2 })], goesOn.record);
    expect(done).toMatchObject({ phase: 'Complete', record: { lastGood: 2 } });
  });

  it('does not stop what began, nor its end, if it was Ready before', () => {
    const given = record({ stages: [begun('canary'), begun('rest')] });
    const all = targets('rest', ['ready', 'ready'], { stage: 1 });
    expect(rollout({ spec: SPEC, targets: [left('a'), ...all], record: given }).phase).toBe('Complete');
  });

  it('and is the last one does not keep a rollout from its end, unless it is rejected', () => {
    const given = record({ stages: [begun('canary'), begun('rest')] });
    const at = (last: Target) => rollout({ spec: SPEC, targets: [target('a', 'ready'), last], record: given });
    expect(at({ ...left('b'), stage: 1 })).toMatchObject({ phase: 'Complete', record: { lastGood: 2 } });
    expect(at({ ...rejected('b'), stage: 1 }).record.completedAt).toBeUndefined();
    const only = rollout({ spec: SPEC, targets: [rejected('a')], record: record() });
    expect(only.record.completedAt).toBeUndefined();
    expect(only.why).toContain('of 1 destinations, 1 is rejected');
  });

  it('is not complete because nothing changes for the others', () => {
    const all = [left('a'), ...targets('rest', ['ready', 'ready'], { stage: 1 })];
    const result = rollout({ spec: SPEC, targets: all, record: record({ revision: 1 }) });
    expect(result.record.completedAt).toBeUndefined();
  });

  it('lets a completed rollout be', () => {
    const given = record({
      stages: [begun('canary'), begun('rest')],
      completedAt: '2026-01-01T11:30:00Z',
      lastGood: 2,
    });
    const all = [left('a'), ...targets('rest', ['ready', 'ready'], { stage: 1 })];
    const result = rollout({ spec: SPEC, targets: all, record: given });
    expect(result).toMatchObject({ phase: 'Complete', record: given });
  });
});

describe('a rejected destination', () => {
  const two = { stages: [stage('canary'), stage('prod')], onFailure: 'Rollback' as const };
  const given = record({ stages: [begun('canary')] });

  it('of a later stage stops nothing, and rolls nothing back', () => {
    const all = [target('c', 'outdated'), { ...rejected('p'), stage: 1 }, target('q', 'outdated', { stage: 1 })];
    const first = rollout({ spec: two, targets: all, record: given });
    expect(startedIn(first, all)).toEqual(['c']);
    const next = [target('c', 'ready'), ...all.slice(1)];
    const second = rollout({ spec: two, targets: next, record: first.record });
    expect(startedIn(second, next)).toEqual(['q']);
    expect(second.stages[1]).toMatchObject({ rejected: 1, failed: 0, waiting: 1 });
    const done = rollout({
      spec: two,
      targets: [next[0]!, next[1]!, { ...next[2]!, state: 'ready' }],
      record: second.record,
    });
    expect(done).toMatchObject({ phase: 'Complete', why: 'it is rolled out, but 1 destination is rejected' });
  });

  it('takes no place of the others', () => {
    const spec = { stages: [stage('canary', { maxConcurrent: 1, maxUnavailable: 1 })] };
    const all = [rejected('a'), target('b', 'outdated')];
    expect(textOf(rollout({ spec, targets: all, record: given }).moves.get('b'))).toBe('target');
  });
});

describe('a destination that is being updated', () => {
  const two = [target('a', 'ready'), target('b', 'updating')];
  const given = after(two);
  const moved = (state: Target['state']): Target[] => [target('a', 'ready'), target('b', state, { stage: 1 })];

  it('is waited for in the stage in which that began, also if it loses the label of that', () => {
    expect(startedOf(pass(moved('updating'), given))).toEqual([]);
    expect(pass(moved('updating'), given).record).toEqual(given);
    expect(startedOf(pass(moved('ready'), given))).toEqual(['rest-1', 'rest-2']);
    expect(pass(moved('failed'), given)).toMatchObject({ phase: 'Halted', stages: [{ failed: 1 }, { failed: 0 }] });
  });

  it('counts in its new stage if that is an earlier one, or if it has what it had before', () => {
    const old = { stage: 1, isAtPrevious: true };
    expect(startedOf(pass([target('a', 'ready'), target('b', 'updating', old)], given))).toEqual(['rest-1', 'rest-2']);
    const back = rollout({ spec: SPEC, targets: [target('r', 'updating')], record: given });
    expect(back.stages[0]).toMatchObject({ total: 1, updating: 1 });
  });
});

describe('after the end, what is outdated', () => {
  const AT = '2026-01-01T11:30:00Z';
  const done = record({ completedAt: AT, lastGood: 2, stages: [begun('canary', AT), begun('rest', AT)] });
  const bakes: RolloutSpec = { stages: [stage('canary', { bakeTime: '10m' })] };
  const later = (minutes: number, more: Given): Given => ({ ...more, nowMs: NOW + minutes * MINUTE });

  it('is updated in the order of the stages', () => {
    expect(startedOf(pass([target('a', 'outdated')], done), [target('a', 'outdated')])).toEqual(['a']);
    expect(startedOf(pass([target('a', 'updating')], done))).toEqual([]);
    expect(startedOf(pass([target('a', 'failed')], done))).toEqual([]);
    expect(startedOf(pass([target('a', 'ready')], done))).toEqual(['rest-1', 'rest-2']);
    expect(pass([target('a', 'outdated')], done).stages[1]).toMatchObject({
      phase: 'Pending',
      why: 'waits for stage "canary"',
    });
  });

  it('bakes again if its stage was updated again', () => {
    const first = pass([target('a', 'outdated')], done, { spec: bakes });
    const ready = pass([target('a', 'ready')], first.record, { spec: bakes });
    expect(startedOf(ready)).toEqual([]);
    expect(ready.retryAfterMs).toBe(10 * MINUTE);
    expect(startedOf(pass([target('a', 'ready')], ready.record, later(9, { spec: bakes })))).toEqual([]);
    expect(startedOf(pass([target('a', 'ready')], ready.record, later(10, { spec: bakes })))).toEqual([
      'rest-1',
      'rest-2',
    ]);
    expect(startedOf(pass([target('a', 'ready')], done, { spec: bakes }))).toEqual(['rest-1', 'rest-2']);
    expect(ready.record.completedAt).toBe(AT);
  });

  it('waits for an approval if the earlier stage proves nothing now', () => {
    const result = pass([left('a')], done);
    expect(startedOf(result)).toEqual([]);
    expect(result.stages[1]).toMatchObject({ phase: 'AwaitingApproval', approval: 'rest@2@unproven' });
    expect(startedOf(pass([left('a')], done, { requests: APPROVED }))).toEqual(['rest-1', 'rest-2']);
    expect(startedOf(pass([once('a')], done))).toEqual(['rest-1', 'rest-2']);
  });

  it('is a new cluster in a stage that nobody approved, as it was empty', () => {
    const spec: RolloutSpec = { stages: [stage('canary'), stage('prod', { approval: true })] };
    const only = [target('a', 'ready')];
    for (const given of [record({ revision: 1 }), record({ stages: [begun('canary')] })]) {
      const ended = rollout({ spec, targets: only, record: given });
      expect(ended).toMatchObject({ phase: 'Complete', record: { stages: [{ name: 'canary' }] } });
      const added = target('p', 'absent', { stage: 1 });
      const asks = rollout({ spec, targets: [...only, added], record: ended.record });
      expect(asks).toMatchObject({ phase: 'AwaitingApproval', stages: [{}, { approval: 'prod@2' }] });
      expect(startedIn(asks, [added])).toEqual([]);
      const approved = { requests: { approved: 'prod@2' } };
      const goes = rollout({ spec, targets: [...only, added], record: asks.record, ...approved });
      expect(startedIn(goes, [added])).toEqual(['p']);
    }
  });

  it.each<[string, Partial<Target>]>([
    ['unreachable', { isReachable: false }],
    ['paused', { state: 'left' }],
    ['rejected', { state: 'rejected' }],
  ])('is a cluster that was %s when it joined such a stage', (_, more) => {
    const spec: RolloutSpec = { stages: [stage('canary'), stage('prod', { approval: true })] };
    const given = record({ completedAt: AT, lastGood: 2, stages: [begun('canary', AT)] });
    const joins = { ...target('p', 'absent', { stage: 1 }), ...more };
    const first = rollout({ spec, targets: [target('a', 'ready'), joins], record: given });
    expect(first.record.stages.map(({ name }) => name)).not.toContain('prod');
    const usable = target('p', 'absent', { stage: 1 });
    const asks = rollout({ spec, targets: [target('a', 'ready'), usable], record: first.record });
    expect(startedIn(asks, [usable])).toEqual([]);
    expect(asks.phase).toBe('AwaitingApproval');
  });

  it('may be approved where an earlier stage failed or was lost since', () => {
    for (const now of [target('a', 'failed'), target('a', 'ready', { isReachable: false })]) {
      const asks = pass([now], done);
      expect(startedOf(asks)).toEqual([]);
      expect(asks.stages[1]).toMatchObject({ phase: 'AwaitingApproval', approval: 'rest@2@unproven' });
      expect(startedOf(pass([now], done, { requests: APPROVED }))).toEqual(['rest-1', 'rest-2']);
    }
  });

  it('holds no new cluster, and needs no second approval of its stage', () => {
    const added = target('new', 'absent', { stage: 1 });
    const result = rollout({ spec: SPEC, targets: [target('a', 'updating'), added], record: done });
    expect(startedIn(result, [added])).toEqual(['new']);
    const approval: RolloutSpec = { stages: [stage('canary'), { name: 'rest', approval: true }] };
    expect(startedOf(pass([target('a', 'ready')], done, { spec: approval }))).toEqual(['rest-1', 'rest-2']);
  });
});
