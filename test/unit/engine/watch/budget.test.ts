import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { spend, type Budget } from '#engine/watch/managed-watches.js';

/** When each of the changes at `times` (ms, ascending) is told; a change while one waits is told with it. */
function told(times: readonly number[]): number[] {
  const due: number[] = [];
  let budget: Budget | undefined;
  for (const at of times) {
    if ((due.at(-1) ?? -1) > at) continue;
    const next = spend(budget, at);
    ({ budget } = next);
    due.push(next.dueAt);
  }
  return due;
}

describe('changes', () => {
  test('the first is reported at once, closely following ones together', () => {
    expect(told([0, 1, 50, 120])).toEqual([0, 200]);
  });

  test('that never end are reported once per half minute', () => {
    const everySecond = Array.from({ length: 3_600 }, (_, second) => second * 1_000);
    const lastHalf = told(everySecond).filter((at) => at >= 1_800_000);
    expect(lastHalf.length).toBeLessThanOrEqual(61);
    expect(lastHalf.length).toBeGreaterThanOrEqual(55);
  });

  test('are reported at once again after a long pause', () => {
    const storm = Array.from({ length: 600 }, (_, second) => second * 1_000);
    const later = 3_600_000;
    expect(told([...storm, later]).at(-1)).toBe(later);
  });

  test('are reported in order, and never in the past', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 5_000 }), { maxLength: 200 }), (gaps) => {
        let now = 0;
        const times = gaps.map((gap) => (now += gap));
        const due = told(times);
        expect(due).toEqual([...due].sort((a, b) => a - b));
        expect(due.every((at) => at >= (times[0] ?? 0))).toBe(true);
      }),
    );
  });
});
