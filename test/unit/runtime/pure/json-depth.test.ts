import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isDeeperThan } from '#controllers/runtime/pure/json-depth.js';

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

it('counts what a parser would nest, whatever stands in strings', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.boolean(), (value, isIndented) => {
      const text = JSON.stringify(value, null, isIndented ? 2 : undefined);
      const depth = depthOf(value);
      expect(isDeeperThan(text, depth)).toBe(false);
      expect(isDeeperThan(text, depth - 1)).toBe(depth > 0);
    }),
  );
});

it.each([
  ['["[[["]', 1, false],
  ['["\\"[[["]', 1, false],
  ['["\\\\",[[]]]', 2, true],
  ['{"a":[{"b":"}}"}]}', 3, false],
  ['"[[[[', 1, false],
  ['['.repeat(1_000_000), 1_000, true],
])('%.20s: deeper than %i is %p', (text, most, isDeeper) => {
  expect(isDeeperThan(text, most)).toBe(isDeeper);
});
