import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Lanes } from '#controllers/runtime/lanes.js';

function lanesByFirstLetter(keys: readonly string[]): Lanes {
  const lanes = new Lanes((key) => key.charAt(0));
  for (const key of keys) lanes.add(key);
  return lanes;
}

function drain(lanes: Lanes): string[] {
  const keys: string[] = [];
  for (let key = lanes.next(); key !== undefined; key = lanes.next()) keys.push(key);
  return keys;
}

describe('Lanes', () => {
  it('keeps the order of one lane', () => {
    expect(drain(lanesByFirstLetter(['a2', 'a1', 'a3']))).toEqual(['a2', 'a1', 'a3']);
  });

  it('lets lanes take turns, so that a long one delays the others by one key', () => {
    expect(drain(lanesByFirstLetter(['a1', 'a2', 'a3', 'b1', 'c1', 'c2']))).toEqual([
      'a1',
      'b1',
      'c1',
      'a2',
      'c2',
      'a3',
    ]);
  });

  it('holds a key once, and says so', () => {
    const lanes = lanesByFirstLetter(['a1']);
    expect(lanes.add('a1')).toBe(false);
    expect(lanes.add('a2')).toBe(true);
    expect(lanes.size).toBe(2);
  });

  it('passes over a lane that is closed, which keeps its turn', () => {
    const lanes = lanesByFirstLetter(['a1', 'a2', 'b1']);
    expect(lanes.next((lane) => lane !== 'a')).toBe('b1');
    expect(lanes.next((lane) => lane !== 'a')).toBeUndefined();
    expect(drain(lanes)).toEqual(['a1', 'a2']);
  });

  it('is empty after clear', () => {
    const lanes = lanesByFirstLetter(['a1', 'b1']);
    lanes.clear();
    expect([lanes.size, lanes.next()]).toEqual([0, undefined]);
  });

  it('hands out every key exactly once, and no lane twice while another has waited since', () => {
    const keys = fc.uniqueArray(fc.stringMatching(/^[a-d][0-9]{1,2}$/), { maxLength: 40 });
    fc.assert(
      fc.property(keys, (added) => {
        const order = drain(lanesByFirstLetter(added));
        expect([...order].sort()).toEqual([...added].sort());
        order.forEach((key, place) => {
          const again = order.findIndex((other, at) => at > place && other.charAt(0) === key.charAt(0));
          if (again < 0) return;
          const stillThere = new Set(order.slice(again).map((other) => other.charAt(0)));
          const between = new Set(order.slice(place + 1, again).map((other) => other.charAt(0)));
          for (const lane of stillThere) expect(lane === key.charAt(0) || between.has(lane)).toBe(true);
        });
      }),
    );
  });
});
