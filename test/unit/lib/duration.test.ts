import { describe, expect, it } from '@jest/globals';
import { durationOr, normalDuration, parseDuration, printDuration } from '#lib/duration.js';

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

  it.each(['', '10', 'm', '-1m', '1d', '1m ', '1,5s', 'x1m', '1mx2m'])('refuses %j', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });

  it('falls back when a field is absent', () => {
    expect(durationOr(undefined, 7)).toBe(7);
    expect(durationOr('2s', 7)).toBe(2_000);
  });
});

describe('printDuration', () => {
  it.each([
    [0, '0s'],
    [0.4, '0s'],
    [-5, '0s'],
    [1, '1ms'],
    [691.9, '691ms'],
    [1_000, '1s'],
    [1_500, '1.5s'],
    [32_702, '32.702s'],
    [60_000, '1m0s'],
    [90_500, '1m30.5s'],
    [3_600_000, '1h0m0s'],
    [5_400_001, '1h30m0.001s'],
  ])('prints %d ms as Go does: %s', (ms, expected) => {
    expect(printDuration(ms)).toBe(expected);
  });
});

describe('normalDuration', () => {
  it.each([
    ['1m', '1m0s'],
    ['1m0s', '1m0s'],
    ['90s', '1m30s'],
    ['1h', '1h0m0s'],
    ['0.5h30m', '1h0m0s'],
    ['4.035s', '4.035s'],
    ['0s', '0s'],
    ['0.5ms', '0.5ms'],
    ['often', 'often'],
  ])('%s is %s', (text, expected) => {
    expect(normalDuration(text)).toBe(expected);
    expect(normalDuration(expected)).toBe(expected);
  });
});
