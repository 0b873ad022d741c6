import { expect, test } from '@jest/globals';
import { ignoredPaths, indexOfStep, pointerTo } from '#engine/drift/model/ignored-paths.js';

test.each<[string, string[], string[][]]>([
  ['no pointer is nothing', [], []],
  ['each is one', ['/a/b', '/d'], [['a', 'b'], ['d']]],
  ['steps are unescaped once', ['/a~1b/c~01'], [['a/b', 'c~1']]],
  ['what is below an ignored place adds nothing', ['/a', '/a/b'], [['a']]],
  ['what is above takes its place', ['/a/b', '/a'], [['a']]],
  ['the same twice is once', ['/a/b', '/a/b'], [['a', 'b']]],
  ['a text without a slash in front is no pointer', ['a', 'spec/replicas'], []],
  ['the pointer to the whole object ignores nothing', [''], []],
  ['a step may be empty', ['/', '/a/'], [[''], ['a', '']]],
])('%s', (_name, pointers, expected) => {
  expect([...ignoredPaths(pointers)].toSorted()).toEqual(expected);
});

test('a path of any depth is read', () => {
  const pointer = '/a'.repeat(100_000);
  expect(ignoredPaths([pointer, `${pointer}/b`]).map((path) => path.length)).toEqual([100_000]);
});

test('a pointer is told as it was written', () => {
  expect(ignoredPaths(['/a~1b/c~01']).map(pointerTo)).toEqual(['/a~1b/c~01']);
});

test.each<[string, number | undefined]>([
  ['0', 0],
  ['10', 10],
  ['01', undefined],
  ['-1', undefined],
  ['-', undefined],
  ['', undefined],
  [' 0', undefined],
  ['0x0', undefined],
  ['1e0', undefined],
  ['length', undefined],
])('the step %p is the index %p', (step, index) => {
  expect(indexOfStep(step)).toBe(index);
});
