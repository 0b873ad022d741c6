import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { editsBetween, mergeThree, pathText } from '#console/web/model/three-way.js';
import { withValueAt } from '#console/web/model/yaml-edit.js';
import { canonicalJson } from '#controllers/runtime/pure/canonical-json.js';

const BASE = { a: 1, b: { c: 2, d: 3 }, list: [{ x: 1 }, { x: 2 }] };

test.each<[string, object, object, unknown, string[]]>([
  ['different fields', { ...BASE, a: 2 }, { ...BASE, b: { c: 9, d: 3 } }, { ...BASE, a: 2, b: { c: 9, d: 3 } }, []],
  ['the same field alike', { ...BASE, a: 2 }, { ...BASE, a: 2 }, { ...BASE, a: 2 }, []],
  ['the same field', { ...BASE, a: 2 }, { ...BASE, a: 3 }, { ...BASE, a: 2 }, ['a']],
  ['a field that they removed', { ...BASE, a: 2 }, { b: BASE.b, list: BASE.list }, { ...BASE, a: 2 }, ['a']],
  ['a field that we removed', { a: 1, list: BASE.list }, { ...BASE, a: 5 }, { a: 5, list: BASE.list }, []],
  [
    'items of a list',
    { ...BASE, list: [{ x: 9 }, { x: 2 }] },
    { ...BASE, list: [{ x: 1 }, { x: 8 }] },
    { ...BASE, list: [{ x: 9 }, { x: 8 }] },
    [],
  ],
  ['the length of a list', { ...BASE, list: [] }, { ...BASE, list: [{ x: 1 }] }, { ...BASE, list: [] }, ['list']],
  ['a map and a text', { ...BASE, b: 'x' }, { ...BASE, b: { c: 2 } }, { ...BASE, b: 'x' }, ['b']],
])('both changed %s', (...[, mine, theirs, value, both]) => {
  const merged = mergeThree({ base: BASE, mine, theirs });
  expect(merged.value).toEqual(value);
  expect(merged.both.map(pathText)).toEqual(both);
});

const value = fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), fc.jsonValue({ maxDepth: 2 }), {
  noNullPrototype: true,
});

describe('of any values', () => {
  it('who changed nothing loses nothing of the other', () => {
    fc.assert(
      fc.property(value, value, (base, changed) => {
        expect(canonicalJson(mergeThree({ base, mine: base, theirs: changed }).value)).toBe(canonicalJson(changed));
        expect(canonicalJson(mergeThree({ base, mine: changed, theirs: base }).value)).toBe(canonicalJson(changed));
      }),
    );
  });

  it('the edits between them turn one into the other', () => {
    fc.assert(
      fc.property(value, value, (from, to) => {
        const made = editsBetween(from, to).reduce<unknown>(
          (before, edit) => withValueAt(before, edit.path, 'value' in edit ? edit.value : edit.yaml),
          from,
        );
        expect(canonicalJson(made)).toBe(canonicalJson(to));
      }),
    );
  });
});

it('writes paths as the API server does', () => {
  expect(pathText(['spec', 'list', 0, 'name'])).toBe('spec.list[0].name');
});
