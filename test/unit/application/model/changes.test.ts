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
    ['a value that is gone', { values: { a: 1, b: { c: 2 } } }, { values: { a: 1, b: {} } }, ['values.b.c']],
    [
      'a reference to values that is gone',
      {
        valuesFrom: [
          { kind: 'Secret', name: 'a', optional: true },
          { kind: 'Secret', name: 'b' },
        ],
      },
      { valuesFrom: [{ kind: 'Secret', name: 'a' }] },
      ['valuesFrom[0].optional', 'valuesFrom[1]'],
    ],
    [
      'a patch and a variable that are gone',
      { patches: [{ patch: 'a', target: { kind: 'Service' } }], postBuild: { substitute: { a: '1', b: '2' } } },
      { patches: [{ patch: 'a' }], postBuild: { substitute: { a: '1' } } },
      ['patches[0].target', 'postBuild.substitute.b'],
    ],
    [
      'an item of a list that is gone, and a default in another one',
      {
        postBuild: {
          substituteFrom: [
            { name: 'a', optional: false },
            { name: 'b', optional: false },
          ],
        },
      },
      { postBuild: { substituteFrom: [{ name: 'a' }] } },
      ['postBuild.substituteFrom[1]'],
    ],
    ['a null that deletes', { values: { a: 1 } }, { values: { a: null } }, ['values.a']],
    ['a key with a slash', { values: {} }, { values: { 'app/port': 1 } }, ['values["app/port"]']],
    ['a list item', { dependsOn: [{ name: 'a' }] }, { dependsOn: [{ name: 'b' }] }, ['dependsOn[0].name']],
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
