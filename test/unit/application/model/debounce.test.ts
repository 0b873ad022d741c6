import { describe, expect, it } from '@jest/globals';
import { debounceMs } from '#controllers/application/mappings.js';

describe('the change of a child', () => {
  it.each([
    [0, 0],
    [1, 2],
    [10, 20],
    [100, 200],
    [1_000, 2_000],
    [2_000, 2_000],
  ])('of an Application with %d children waits %d ms for others', (children, expected) => {
    expect(debounceMs(children)).toBe(expected);
  });
});
