import { describe, expect, it } from '@jest/globals';
import { countOf, isCountOrPercentage, type CountOrPercentage } from '#lib/kube/count-or-percentage.js';

describe('a number or percentage', () => {
  it.each<[CountOrPercentage, boolean]>([
    [0, true],
    [7, true],
    ['0%', true],
    ['100%', true],
    [-1, false],
    [1.5, false],
    [Number.NaN, false],
    ['', false],
    ['10', false],
    ['101%', false],
    ['-5%', false],
    ['5 %', false],
    ['05%', false],
    ['all', false],
  ])('may be %p: %p', (value, isValid) => {
    expect(isCountOrPercentage(value)).toBe(isValid);
  });

  it.each<[CountOrPercentage, number, number]>([
    [3, 1, 3],
    ['0%', 1_000, 0],
    ['33%', 10, 3],
    ['1%', 99, 0],
    ['100%', 7, 7],
    ['many', 7, 0],
    [-1, 7, 0],
    [Number.NaN, 7, 0],
  ])('%s of %d comes to %d', (value, total, count) => {
    expect(countOf(value, total)).toBe(count);
  });
});
