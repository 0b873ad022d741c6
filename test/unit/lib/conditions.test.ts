import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Condition } from '#api/meta.js';
import {
  getCondition,
  isTrue,
  setCondition,
  parseTimestamp,
  timestamp,
  withoutConditions,
} from '#lib/kube/conditions.js';

const EARLY = '2026-01-01T00:00:00Z';
const LATE = '2026-01-02T00:00:00Z';
const ready: Condition = {
  type: 'Ready',
  status: 'False',
  reason: 'Wait',
  message: 'waits',
  lastTransitionTime: EARLY,
};

describe('setCondition', () => {
  it('adds a new type at the end with the time of now', () => {
    const next = setCondition([ready], { type: 'Stalled', status: 'True', reason: 'Bad', message: 'bad' }, LATE);
    expect(next.map(({ type, lastTransitionTime }) => [type, lastTransitionTime])).toEqual([
      ['Ready', EARLY],
      ['Stalled', LATE],
    ]);
  });

  it('keeps the transition time while the status stays, whatever the reason', () => {
    const [next] = setCondition([ready], { ...ready, reason: 'Other', message: 'other' }, LATE);
    expect(next).toMatchObject({ reason: 'Other', message: 'other', lastTransitionTime: EARLY });
  });

  it('moves the transition time when the status turns, and keeps the place in the list', () => {
    const stalled = { ...ready, type: 'Stalled' };
    const next = setCondition([ready, stalled], { ...ready, status: 'True' }, LATE);
    expect(next[0]).toMatchObject({ type: 'Ready', status: 'True', lastTransitionTime: LATE });
    expect(ready.status).toBe('False');
  });
});

const change = fc.record({
  type: fc.constantFrom('Ready', 'Reconciling', 'Stalled'),
  status: fc.constantFrom('True' as const, 'False' as const, 'Unknown' as const),
  reason: fc.constantFrom('A', 'B'),
  message: fc.string({ maxLength: 5 }),
});

describe('any sequence of changes', () => {
  /** Conditions after each change, and the time of each: a second later than the one before. */
  function history(changes: readonly Omit<Condition, 'lastTransitionTime'>[]): Condition[][] {
    let conditions: Condition[] = [];
    return changes.map((each, second) => {
      const next = setCondition(conditions, each, timestamp(second * 1_000));
      conditions = next;
      return next;
    });
  }

  it('leaves one condition of each type, the last one set, dated by the last change of its status', () => {
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 20 }), (changes) => {
        const final = history(changes).at(-1)!;
        expect(new Set(final.map(({ type }) => type)).size).toBe(final.length);
        for (const { lastTransitionTime, ...said } of final) {
          const own = changes.map((each, second) => ({ ...each, second })).filter(({ type }) => type === said.type);
          expect(own.at(-1)).toMatchObject(said);
          const turned = own.filter(({ status }, at) => status !== own[at - 1]?.status).at(-1)!;
          expect(lastTransitionTime).toBe(timestamp(turned.second * 1_000));
        }
      }),
    );
  });

  it('is the same when each change is made twice, and does not change its input', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 20 }), change, (changes, last) => {
        const before = history(changes).at(-1) ?? [];
        const copy = structuredClone(before);
        const once = setCondition(before, last, '2030-01-01T00:00:00Z');
        expect(setCondition(once, last, '2031-01-01T00:00:00Z')).toEqual(once);
        expect(before).toEqual(copy);
      }),
    );
  });
});

it('finds, tests and removes conditions', () => {
  expect(getCondition([ready], 'Ready')).toBe(ready);
  expect(getCondition(undefined, 'Ready')).toBeUndefined();
  expect(isTrue([ready], 'Ready')).toBe(false);
  expect(withoutConditions([ready], 'Ready', 'Stalled')).toEqual([]);
});

it('prints a time with seconds, as Kubernetes does', () => {
  expect(timestamp(Date.UTC(2026, 0, 2, 3, 4, 5, 678))).toBe('2026-01-02T03:04:05Z');
});

it('reads a time with any fraction and offset, and nothing else', () => {
  const noon = Date.UTC(2026, 0, 2, 12);
  const texts = ['2026-01-02T12:00:00Z', '2026-01-02T12:00:00.000000001Z', '2026-01-02T06:00:00-06:00', 'noon', ''];
  expect(texts.map(parseTimestamp)).toEqual([noon, noon, noon, undefined, undefined]);
});
