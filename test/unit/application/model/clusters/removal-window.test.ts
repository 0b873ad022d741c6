import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Counted, RemovalWindow } from '#controllers/application/model/clusters/removals.js';

const NOON = Date.parse('2026-01-01T12:00:00Z');
const MINUTE = 60_000;

function removing(counted: readonly Counted[], running: number, atMs: number, removed: number): Counted[] {
  return new RemovalWindow(counted, running, atMs).after(removed);
}

describe('the removals that count', () => {
  it('do so for an hour, and those of five minutes at once', () => {
    const first = removing([], 100, NOON + 1_000, 3);
    expect(first).toEqual([{ until: '2026-01-01T13:05:00Z', ran: 100, removed: 3 }]);
    const second = removing(first, 97, NOON + 299_999, 2);
    expect(second).toEqual([{ until: '2026-01-01T13:05:00Z', ran: 100, removed: 5 }]);
    const third = removing(second, 95, NOON + 50 * MINUTE, 1);
    expect(third).toEqual([...second, { until: '2026-01-01T13:55:00Z', ran: 95, removed: 1 }]);
    const seen = (atMs: number) => {
      const { removed, ran, ranBefore, fewerAfterMs } = new RemovalWindow(third, 94, atMs);
      return [removed, ran, ranBefore, fewerAfterMs];
    };
    expect(seen(NOON + 51 * MINUTE)).toEqual([6, 100, 100, 14 * MINUTE]);
    expect(seen(NOON + 65 * MINUTE)).toEqual([1, 95, 100, 50 * MINUTE]);
    expect(seen(NOON + 120 * MINUTE)).toEqual([0, 94, 100, undefined]);
  });

  it('are not those that were approved, which are no base of percentages either', () => {
    const before = removing([], 100, NOON, 10);
    expect(new RemovalWindow(before, 90, NOON + 1).afterApproved(60)).toEqual([{ ...before[0], ran: 30 }]);
    expect(new RemovalWindow([], 90, NOON).afterApproved(60)).toMatchObject([{ ran: 30, removed: 0 }]);
  });

  it('are a bounded list, whatever the clock does, and none is forgotten', () => {
    const times = fc.array(fc.integer({ min: 0, max: 100 * 60 }), { maxLength: 60 });
    fc.assert(
      fc.property(times, (minutes) => {
        let counted: Counted[] = [];
        for (const minute of minutes) {
          const before = new RemovalWindow(counted, 100, NOON + minute * MINUTE).removed;
          counted = removing(counted, 100, NOON + minute * MINUTE, 1);
          expect(new RemovalWindow(counted, 100, NOON + minute * MINUTE).removed).toBe(before + 1);
          expect(counted.length).toBeLessThanOrEqual(20);
        }
      }),
    );
  });

  it('of texts that are no time are none', () => {
    expect(new RemovalWindow([{ until: 'soon', ran: 5, removed: 5 }], 3, NOON)).toMatchObject({ removed: 0, ran: 3 });
  });
});
