import { describe, expect, it } from '@jest/globals';
import { listed } from '#lib/text/text.js';

describe('listed', () => {
  it.each([
    [[], 2, ''],
    [['a'], 2, 'a'],
    [['a', 'b'], 2, 'a, b'],
    [['a', 'b', 'c'], 2, 'a, b and 1 more'],
    [['a', 'b', 'c', 'd', 'e'], 2, 'a, b and 3 more'],
  ])('%j, at most %d: %s', (words, most, expected) => {
    expect(listed(words, most)).toBe(expected);
  });
});
