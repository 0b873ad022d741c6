import { describe, expect, it } from '@jest/globals';
import { CancelledError } from '#lib/errors.js';
import { until } from '#runtime/until.js';

const SOON = { timeoutMs: 30, intervalMs: 1 };

describe('until', () => {
  it('polls at once, and returns the first result', async () => {
    let looks = 0;
    const look = (): number | false => (looks += 1) === 3 && looks;
    expect(await until(look, { timeoutMs: Infinity, intervalMs: 1 })).toBe(3);
  });

  it.each([
    ['once more at the end of its time', SOON, [false, true]],
    ['once when there is no time', { ...SOON, timeoutMs: 0 }, [true]],
  ])('looks %s, and says that this is the last look', async (_name, options, last) => {
    const looks: boolean[] = [];
    expect(await until(({ isLast }) => looks.push(isLast) === 0, options)).toBeUndefined();
    expect(looks.slice(-2)).toEqual(last);
  });

  it('ends at once when it is cancelled', async () => {
    const cancelled = new AbortController();
    const waiting = until(() => false, { timeoutMs: Infinity, intervalMs: 60_000, signal: cancelled.signal });
    cancelled.abort();
    await expect(waiting).rejects.toThrow(CancelledError);
  });

  it('throws what a look throws', async () => {
    const fail = (): never => {
      throw new RangeError('no');
    };
    await expect(until(fail, SOON)).rejects.toThrow(RangeError);
  });
});
