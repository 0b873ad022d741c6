import { describe, expect, it } from '@jest/globals';
import { backwardMoves, forwardMoves } from '#controllers/application/model/rollout/advance.js';
import { isRollingBack } from '#controllers/application/model/rollout/status.js';
import { isSettled, tallyOf } from '#controllers/application/model/rollout/budgets.js';
import type { Stage } from '#controllers/application/model/rollout/record.js';
import type { Hold, Move, StageSpec, Target } from '#controllers/application/model/rollout/types.js';
import { stage, target, targets, textOf } from './builders.js';

const BACK: Hold = { cause: 'RolledBack', why: 'rolled back' };
const PAUSED: Hold = { cause: 'Paused', why: 'paused' };

function of(members: readonly Target[], more: Partial<StageSpec> = {}): Stage {
  return { spec: stage('a', more), index: 0, members, tally: tallyOf(members) };
}

function texts(moves: ReadonlyMap<string, Move>): Record<string, string> {
  return Object.fromEntries([...moves].map(([id, move]) => [id, textOf(move)]));
}

describe('forward', () => {
  it('what is at the target stays, what takes no part is not held, and the others start', () => {
    const list = targets('a', ['ready', 'updating', 'failed', 'left', 'absent', 'outdated']);
    expect(new Set(Object.values(texts(forwardMoves(of(list), undefined))))).toEqual(new Set(['target']));
  });

  it('a hold is for those only that are to start', () => {
    const list = targets('a', ['ready', 'updating', 'failed', 'left', 'absent', 'outdated']);
    const held = { 'a-5': 'Paused', 'a-6': 'Paused' };
    expect(texts(forwardMoves(of(list), PAUSED))).toMatchObject({
      'a-1': 'target',
      'a-3': 'target',
      'a-4': 'target',
      ...held,
    });
  });

  it.each(['absent', 'outdated'] as const)('one that is refused is %s, retried, and settles no stage', (state) => {
    const list = [target('accepted', 'ready'), target('refused', state), target('waits', state)];
    const limited = of(list, { maxConcurrent: 1 });
    const tried = { accepted: 'target', refused: 'target', waits: 'Budget' };
    expect(texts(forwardMoves(limited, undefined))).toEqual(tried);
    expect(limited.tally).toMatchObject({ waiting: 2, failures: 0 });
    const others = of([target('accepted', 'ready'), target('refused', state)]);
    expect(isSettled(others.tally, { failureBudget: '100%' })).toBe(false);
  });

  it('an unreachable one is not started', () => {
    const list = targets('a', ['absent', 'outdated', 'ready'], { isReachable: false });
    const moves = { 'a-1': 'Unreachable', 'a-2': 'Unreachable', 'a-3': 'target' };
    expect(texts(forwardMoves(of(list), undefined))).toEqual(moves);
  });
});

describe('back', () => {
  const list = [
    target('failed', 'failed'),
    target('lost', 'ready', { isReachable: false }),
    target('new', 'ready', { hasPrevious: false }),
    target('old', 'outdated'),
    target('older', 'outdated', { isAtPrevious: false }),
    target('ready', 'ready'),
    target('same', 'ready', { isAtPrevious: true }),
    target('updating', 'updating'),
    target('left', 'left'),
    target('absent', 'absent'),
  ];

  it('go all that are at the target and were at something else', () => {
    expect(texts(backwardMoves(of(list), BACK, undefined))).toEqual({
      failed: 'previous',
      lost: 'Unreachable',
      new: 'RolledBack',
      old: 'previous',
      older: 'RolledBack',
      ready: 'previous',
      same: 'previous',
      updating: 'previous',
      left: 'target',
      absent: 'RolledBack',
    });
  });

  it('they go within the budgets, the broken ones first', () => {
    const moves = texts(backwardMoves(of(list, { maxUnavailable: 2 }), BACK, undefined));
    expect(moves).toMatchObject({ failed: 'previous', updating: 'previous', ready: 'Budget' });
    expect(texts(backwardMoves(of(list, { maxConcurrent: '0%' }), BACK, undefined))).toMatchObject({
      failed: 'Budget',
      updating: 'previous',
      ready: 'Budget',
    });
  });

  it('none goes that is held', () => {
    expect(texts(backwardMoves(of(list), BACK, PAUSED))).toMatchObject({
      failed: 'Paused',
      ready: 'Paused',
      old: 'previous',
    });
  });

  it.each<[string, Target[], boolean]>([
    ['one at the target', [target('a', 'failed')], true],
    ['one on its way', [target('a', 'outdated', { isAvailable: false })], true],
    ['all there', targets('a', ['outdated', 'left', 'absent']), false],
    ['one failed at the previous revision', [target('a', 'outdated', { isAvailable: false, isFailed: true })], false],
    ['one has no previous revision', [target('a', 'failed', { hasPrevious: false })], false],
    ['one is unreachable', [target('a', 'failed', { isReachable: false })], false],
  ])('it takes a while: %s', (_, members, isOpen) => expect(isRollingBack(of(members))).toBe(isOpen));
});
