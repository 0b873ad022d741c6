import { describe, expect, it } from '@jest/globals';
import { budgetOf, byUrgency, isSettled, Places, tallyOf } from '#controllers/application/model/rollout/budgets.js';
import type { RolloutSpec, Target } from '#controllers/application/model/rollout/types.js';
import { stage, target, targets } from './builders.js';

describe('a budget', () => {
  // Of Fleet's, 0% is 1.
  it.each<[number | string, number, number]>([
    ['0%', 1_000, 0],
    [0, 10, 0],
    ['1%', 10, 1],
    ['10%', 1, 1],
    ['34%', 10, 3],
    ['100%', 7, 7],
    [50, 7, 50],
    ['junk', 7, 0],
  ])('of %s of %d is %d', (value, total, count) => expect(budgetOf(value, total)).toBe(count));
});

describe('destinations', () => {
  it('are counted once, and what is at the target a second time', () => {
    const lost = { isReachable: false };
    const list = [
      ...targets('a', ['absent', 'outdated', 'updating', 'ready', 'failed', 'left']),
      target('b', 'failed', lost),
      target('c', 'outdated', lost),
      target('d', 'left', lost),
    ];
    const tally = {
      total: 9,
      ready: 1,
      updating: 1,
      failed: 1,
      unreachable: 2,
      waiting: 2,
      left: 2,
      updated: 4,
      failures: 1,
    };
    expect(tallyOf(list)).toEqual(tally);
  });

  const lost = { isReachable: false };
  it.each<[string, RolloutSpec, Target[], boolean]>([
    ['all Ready', {}, targets('a', ['ready', 'left']), true],
    ['none', {}, [], true],
    ['one to start', {}, targets('a', ['ready', 'absent']), false],
    ['one in flight', {}, targets('a', ['ready', 'updating']), false],
    ['one failed', {}, targets('a', ['ready', 'failed']), false],
    ['one failed of one', { failureBudget: 1 }, targets('a', ['ready', 'failed']), true],
    ['one failed of all', { failureBudget: 1 }, targets('a', ['failed']), false],
    ['all failed that take part', { failureBudget: '100%' }, targets('a', ['failed', 'left']), false],
    ['all failed that are reachable', { failureBudget: 9 }, [target('a', 'ready', lost), target('b', 'failed')], false],
    ['one failed, and that is no matter', { onFailure: 'Continue' }, targets('a', ['failed']), true],
    ['all unreachable', {}, targets('a', ['absent', 'outdated'], lost), false],
    ['all that take part unreachable', {}, [target('a', 'absent', lost), target('b', 'left')], false],
    ['all unreachable but one', {}, [target('a', 'absent', lost), target('b', 'ready')], true],
    ['all unreachable, and that is allowed', { unreachableBudget: '100%' }, targets('a', ['absent'], lost), true],
    ['none that takes part', {}, targets('a', ['left'], lost), false],
    ['all installed once with the revision', {}, targets('a', ['left'], { isOnce: true, hasProven: true }), true],
    ['all installed once before', {}, targets('a', ['left'], { isOnce: true }), false],
    ['all rejected', {}, targets('a', ['rejected']), false],
    ['one rejected', {}, targets('a', ['rejected', 'ready']), true],
    [
      'all left or unreachable, which is allowed',
      { unreachableBudget: 1 },
      [target('a', 'absent', lost), target('b', 'left')],
      false,
    ],
    ['one unreachable of none', { unreachableBudget: '0%' }, targets('a', ['outdated'], lost), false],
    ['one unreachable of one', { unreachableBudget: 1 }, targets('a', ['failed'], lost), true],
  ])('are settled or not: %s', (_, spec, list, settled) => expect(isSettled(tallyOf(list), spec)).toBe(settled));

  it('start by urgency: failed, unavailable, then by id', () => {
    const list = [
      target('a', 'absent'),
      target('b', 'outdated'),
      target('d', 'outdated', { isAvailable: false }),
      target('c', 'outdated', { isAvailable: false }),
      target('e', 'outdated', { isAvailable: false, isFailed: true }),
    ];
    expect(list.sort(byUrgency).map(({ id }) => id)).toEqual(['e', 'c', 'd', 'a', 'b']);
  });
});

describe('places', () => {
  const taken = (places: Places, list: readonly Target[]): (string | undefined)[] =>
    list.map((each) => places.take(each));
  const full = { concurrent: 'maxConcurrent allows 2 at a time', down: 'maxUnavailable allows 1 to be unavailable' };

  it('are not limited by default', () => {
    const list = targets('a', ['absent', 'outdated', 'absent']);
    expect(taken(new Places(stage('a'), list), list)).toEqual([undefined, undefined, undefined]);
  });

  // Fleet's budgets do not hold for new clusters, only maxNew does.
  it('hold at the first install as well', () => {
    const list = targets('a', ['absent', 'absent', 'absent']);
    expect(taken(new Places(stage('a', { maxConcurrent: 2 }), list), list)).toEqual([
      undefined,
      undefined,
      full.concurrent,
    ]);
    expect(taken(new Places(stage('a', { maxUnavailable: 1 }), list), list)).toEqual([undefined, full.down, full.down]);
  });

  it('are taken by what is in flight, and freed by a failure', () => {
    const next = target('z', 'outdated');
    const places = (state: Target['state']) => new Places(stage('a', { maxConcurrent: 1 }), [target('a', state), next]);
    expect(places('updating').take(next)).toBe('maxConcurrent allows 1 at a time');
    expect(places('failed').take(next)).toBeUndefined();
  });

  it('of unavailable ones are taken by a failure', () => {
    const next = target('z', 'outdated');
    const failed = [target('a', 'failed'), next];
    expect(new Places(stage('a', { maxUnavailable: 1 }), failed).take(next)).toBe(full.down);
  });

  it('are not needed by one that is unavailable already', () => {
    const list = [target('a', 'failed'), target('b', 'outdated', { isAvailable: false })];
    expect(new Places(stage('a', { maxUnavailable: 1 }), list).take(list[1]!)).toBeUndefined();
  });

  // rancher/fleet#594
  it('are not taken by an offline cluster', () => {
    const next = target('z', 'outdated');
    const list = [target('a', 'updating', { isReachable: false }), next];
    expect(new Places(stage('a', { maxConcurrent: 1, maxUnavailable: 1 }), list).take(next)).toBeUndefined();
  });

  it('of 0% let nothing start', () => {
    const list = targets('a', ['absent']);
    expect(taken(new Places(stage('a', { maxConcurrent: '0%' }), list), list)).toEqual([
      'maxConcurrent allows 0 at a time',
    ]);
  });
});
