import { describe, expect, it } from '@jest/globals';
import { durationOr, parseDuration } from '../../../../controllers/runtime/pure/duration.js';

describe('parseDuration', () => {
  it.each([
    ['10m', 600_000],
    ['1h30m', 5_400_000],
    ['1.5s', 1_500],
    ['250ms', 250],
    ['0s', 0],
  ])('reads %s as %d ms', (text, expected) => {
    expect(parseDuration(text)).toBe(expected);
  });

  it.each(['', '10', 'm', '-1m', '1d', '1m ', '1,5s'])('refuses %j', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });

  it('falls back when a field is absent', () => {
    expect(durationOr(undefined, 7)).toBe(7);
    expect(durationOr('2s', 7)).toBe(2_000);
  });
});
