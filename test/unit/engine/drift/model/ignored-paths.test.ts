import { expect, test } from '@jest/globals';
import { ignoredPaths, indexOfStep, type IgnoredPaths } from '#controllers/engine/drift/model/ignored-paths.js';

function shown({ isIgnored, below }: IgnoredPaths): unknown {
  return isIgnored ? true : Object.fromEntries([...below].map(([step, paths]) => [step, shown(paths)]));
}

test.each<[string, string[], unknown]>([
  ['no pointer is nothing', [], {}],
  ['pointers share their steps', ['/a/b', '/a/c', '/d'], { a: { b: true, c: true }, d: true }],
  ['steps are unescaped once', ['/a~1b/c~01'], { 'a/b': { 'c~1': true } }],
  ['what is below an ignored place adds nothing', ['/a', '/a/b'], { a: true }],
  ['what is above takes its place', ['/a/b', '/a'], { a: true }],
  ['the same twice is once', ['/a/b', '/a/b'], { a: { b: true } }],
  ['a text without a slash in front is no pointer', ['a', 'spec/replicas'], {}],
  ['the pointer to the whole object ignores nothing', [''], {}],
  ['a step may be empty', ['/', '/a/'], { '': true, a: { '': true } }],
])('%s', (_name, pointers, expected) => {
  expect(shown(ignoredPaths(pointers))).toEqual(expected);
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
