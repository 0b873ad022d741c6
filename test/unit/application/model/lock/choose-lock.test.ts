import { describe, expect, it } from '@jest/globals';
import { chooseLock, lockOf, type Found } from '#controllers/application/model/lock/choose-lock.js';
import { floatingText } from '#controllers/application/model/lock/floating.js';
import { range } from './builders.js';

const SIX = range('6.x');
const LOST: Found = { problem: 'it is gone' };

function now(revision: string): Found {
  return { meaning: { revision } };
}

function chosen(before: string | undefined, isRollingOut: boolean, found: Found) {
  const lock = new Map(before === undefined ? [] : [[floatingText(SIX), { revision: before }] as const]);
  const [choice] = chooseLock({ floating: [SIX], before: lock, isRollingOut, find: () => found });
  const { meaning, available, problem } = choice ?? {};
  return [meaning?.revision, available?.revision, problem];
}

describe('what a range is to mean', () => {
  it.each<[string, [string | undefined, boolean, Found], (string | undefined)[]]>([
    ['is what it means now, at first', [undefined, false, now('6.8.0')], ['6.8.0', undefined, undefined]],
    [
      'is what it means now after an edit of the range',
      [undefined, true, now('6.8.0')],
      ['6.8.0', undefined, undefined],
    ],
    ['is a newer version once a rollout is over', ['6.7.1', false, now('6.8.0')], ['6.8.0', undefined, undefined]],
    ['is an older version too', ['6.8.0', false, now('6.7.1')], ['6.7.1', undefined, undefined]],
    ['is held while a rollout goes on', ['6.7.1', true, now('6.8.0')], ['6.7.1', '6.8.0', undefined]],
    ['is as before if nothing is new', ['6.7.1', true, now('6.7.1')], ['6.7.1', undefined, undefined]],
    ['stays when nobody knows it any more', ['6.7.1', false, LOST], ['6.7.1', undefined, 'it is gone']],
    ['stays during a rollout, too', ['6.7.1', true, LOST], ['6.7.1', undefined, 'it is gone']],
    ['is unknown as long as nobody ever knew it', [undefined, false, LOST], [undefined, undefined, 'it is gone']],
  ])('%s', (_name, situation, expected) => {
    expect(chosen(...situation)).toEqual(expected);
  });

  it('is a lock once all that floats has a meaning', () => {
    const find = (known: Found) => [SIX, range('7.x')].map((each) => (each === SIX ? now('6.8.0') : known));
    const locks = [now('7.0.0'), LOST].map((known) => {
      const found = find(known);
      const floating = [SIX, range('7.x')];
      const input = { floating, before: new Map(), isRollingOut: false };
      return lockOf(chooseLock({ ...input, find: (each) => found[floating.indexOf(each)] ?? LOST }));
    });
    expect(locks[0]?.size).toBe(2);
    expect(locks[1]).toBeUndefined();
    expect(lockOf([])?.size).toBe(0);
  });
});
