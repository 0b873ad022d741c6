import { expect, test } from '@jest/globals';
import { defined } from '#lib/plain.js';

test('what is undefined is absent, everything else stays', () => {
  const fields = { a: undefined, b: null, c: 0, d: '', e: false, f: { g: undefined } };
  expect(Object.keys(defined(fields))).toEqual(['b', 'c', 'd', 'e', 'f']);
});

test('a field that may be undefined becomes optional', () => {
  const of = (name?: string): { name?: string; kind: string } => defined({ name, kind: 'Pod' });
  expect([of('a'), of()]).toEqual([{ name: 'a', kind: 'Pod' }, { kind: 'Pod' }]);
});
