import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { cutDeeper, isDeeperThan, keptBytes, MAX_DEPTH, nestsDeeper, parseServed } from '#lib/json/nesting.js';
import { heldBytes } from '../../support/heap.js';

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

function cutValue(value: unknown, most: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (most === 0) return null;
  if (Array.isArray(value)) return value.map((each) => cutValue(each, most - 1));
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, cutValue(each, most - 1)]));
}

// Its own `__proto__` is one that JSON.parse makes, and Object.fromEntries too.
const anything = fc.jsonValue({ maxDepth: 6 }).map((value) => ({ value, text: JSON.stringify(value) }));

it('counts what a parser would nest, whatever stands in strings', () => {
  fc.assert(
    fc.property(anything, fc.integer({ min: 0, max: 8 }), ({ value, text }, most) => {
      expect(isDeeperThan(text, most)).toBe(depthOf(value) > most);
      expect(nestsDeeper(value, most)).toBe(depthOf(value) > most);
    }),
    { numRuns: 500 },
  );
});

it('has null in place of what is deeper, and leaves the rest unchanged', () => {
  fc.assert(
    fc.property(anything, fc.integer({ min: 0, max: 6 }), ({ value, text }, most) => {
      expect(JSON.parse(cutDeeper(text, most))).toEqual(cutValue(JSON.parse(JSON.stringify(value)), most));
    }),
    { numRuns: 500 },
  );
});

it.each([
  ['["[[["]', 1, false],
  ['["\\"[[["]', 1, false],
  ['["\\\\",[[]]]', 2, true],
  ['{"a":[{"b":"}}"}]}', 3, false],
  ['"[[[[', 1, false],
  ['['.repeat(1_000_000), 1_000, true],
  [`"${'\\'.repeat(1_000_000)}`, 1_000, false],
])('%.20s: deeper than %i is %p', (text, most, isDeeper) => {
  expect(isDeeperThan(text, most)).toBe(isDeeper);
});

it('reads the other objects of a list in which one exhausts the stack', () => {
  const deep = `${'{"a":['.repeat(5_000)}12345678901234567890${']}'.repeat(5_000)}`;
  const list = parseServed(`{"items":[{"a":1},${deep},{"b":2}]}`) as { items: unknown[] };
  expect([list.items[0], list.items[2]]).toEqual([{ a: 1 }, { b: 2 }]);
  expect(nestsDeeper(list, MAX_DEPTH - 1)).toBe(true);
  expect(nestsDeeper(list, MAX_DEPTH)).toBe(false);
  expect(() => JSON.stringify(list)).not.toThrow();
});

const SERVICE = {
  name: 'service',
  image: 'registry.example.com/team/service:1.2.3',
  port: 8080,
  env: { LEVEL: 'info' },
};

it.each([
  ['empty objects', `[${'{},'.repeat(200_000)}{}]`],
  ['empty lists', `[${'[],'.repeat(200_000)}[]]`],
  ['numbers', `[${'1,'.repeat(300_000)}1]`],
  ['fields', `{${Array.from({ length: 50_000 }, (_, index) => `"k${index}":{}`).join(',')}}`],
  ['usual values', JSON.stringify(Array.from({ length: 4_000 }, () => SERVICE))],
])('estimates the memory of %s', (_what, text) => {
  const before = heldBytes();
  const parsed = [parseServed(text), parseServed(text)];
  const bytes = (heldBytes() - before) / parsed.length;
  expect(keptBytes(text)).toBeGreaterThan(bytes * 0.7);
  expect(keptBytes(text)).toBeLessThan(bytes * 5);
});
