import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FairQueue } from '#runtime/queue/fair-queue.js';

function queueByFirstLetter(keys: readonly string[]): FairQueue {
  const groups = new FairQueue((key) => key.charAt(0));
  for (const key of keys) groups.add(key);
  return groups;
}

function drain(groups: FairQueue): string[] {
  const keys: string[] = [];
  for (let key = groups.next(); key !== undefined; key = groups.next()) keys.push(key);
  return keys;
}

describe('FairQueue', () => {
  it('keeps the order of one group', () => {
    expect(drain(queueByFirstLetter(['a2', 'a1', 'a3']))).toEqual(['a2', 'a1', 'a3']);
  });

  it('lets groups take turns, so that a long one delays the others by one key', () => {
    expect(drain(queueByFirstLetter(['a1', 'a2', 'a3', 'b1', 'c1', 'c2']))).toEqual([
      'a1',
      'b1',
      'c1',
      'a2',
      'c2',
      'a3',
    ]);
  });

  it('holds a key only once, and returns whether it was added', () => {
    const groups = queueByFirstLetter(['a1']);
    expect(groups.add('a1')).toBe(false);
    expect(groups.add('a2')).toBe(true);
    expect(groups.size).toBe(2);
  });

  it('passes over a group that is closed, which keeps its turn', () => {
    const groups = queueByFirstLetter(['a1', 'a2', 'b1']);
    expect(groups.next((group) => group !== 'a')).toBe('b1');
    expect(groups.next((group) => group !== 'a')).toBeUndefined();
    expect(drain(groups)).toEqual(['a1', 'a2']);
  });

  it('is empty after clear', () => {
    const groups = queueByFirstLetter(['a1', 'b1']);
    groups.clear();
    expect([groups.size, groups.next()]).toEqual([0, undefined]);
  });

  it('hands out every key exactly once, and no group twice while another has waited since', () => {
    const keys = fc.uniqueArray(fc.stringMatching(/^[a-d][0-9]{1,2}$/), { maxLength: 40 });
    fc.assert(
      fc.property(keys, (added) => {
        const order = drain(queueByFirstLetter(added));
        expect([...order].sort()).toEqual([...added].sort());
        order.forEach((key, place) => {
          const again = order.findIndex((other, at) => at > place && other.charAt(0) === key.charAt(0));
          if (again < 0) return;
          const stillThere = new Set(order.slice(again).map((other) => other.charAt(0)));
          const between = new Set(order.slice(place + 1, again).map((other) => other.charAt(0)));
          for (const group of stillThere) expect(group === key.charAt(0) || between.has(group)).toBe(true);
        });
      }),
    );
  });
});
