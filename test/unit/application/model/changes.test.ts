import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { changedPaths, listPaths } from '#controllers/application/model/child/messages.js';

describe('changedPaths', () => {
  it.each([
    ['nothing', { values: { a: 1 } }, { values: { a: 1 } }, []],
    ['another order of keys', { a: 1, b: 2 }, { b: 2, a: 1 }, []],
    [
      'a value deep inside',
      { values: { light: { color: 'red' } } },
      { values: { light: { color: 'white' } } },
      ['values.light.color'],
    ],
    ['a value that is new', { values: {} }, { values: { replicas: 2 } }, ['values.replicas']],
    ['a field that is gone', { interval: '1m', suspend: true }, { interval: '1m' }, ['suspend']],
    [
      'a default of the server',
      { install: { crds: 'Create', createNamespace: true } },
      { install: { createNamespace: true } },
      [],
    ],
    ['a null that deletes', { values: { a: 1 } }, { values: { a: null } }, ['values.a']],
    ['a key with a slash', { values: {} }, { values: { 'app/port': 1 } }, ['values.app/port']],
    ['a list item', { dependsOn: [{ name: 'a' }] }, { dependsOn: [{ name: 'b' }] }, ['dependsOn.0.name']],
  ])('%s', (_case, live, desired, expected) => {
    expect(changedPaths(live, desired)).toEqual(expected);
  });

  it('is empty for equal specs, whatever they hold', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (spec) => {
        expect(changedPaths(spec, structuredClone(spec))).toEqual([]);
      }),
    );
  });
});

it('counts what would be too long to read', () => {
  expect(listPaths(['a', 'b'])).toBe('a, b');
  expect(listPaths(['a', 'b', 'c', 'd', 'e', 'f'])).toBe('a, b, c, d and 2 more');
});
