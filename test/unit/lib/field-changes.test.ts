import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { fieldChanges } from '#lib/json/field-changes.js';
import { parseJson, canonicalJson } from '#lib/json/lossless-json.js';

function lines(old: object, next: object): string[] {
  const text = (value: unknown): string => (value === undefined ? '-' : canonicalJson(value));
  return [...fieldChanges(old, next)].map((change) => `${change.path}: ${text(change.old)} > ${text(change.new)}`);
}

const deep = (levels: number, leaf: string): object => (levels === 0 ? { leaf } : { below: deep(levels - 1, leaf) });

describe('the fields that differ', () => {
  test.each<[string, object, object, string[]]>([
    ['equal objects differ in nothing', { a: { b: [1] } }, { a: { b: [1] } }, []],
    ['a value', { a: { b: 1 } }, { a: { b: '1' } }, ['/a/b: 1 > "1"']],
    ['a new field as a whole', {}, { a: { b: 1 } }, ['/a: - > {"b":1}']],
    ['a removed field as a whole', { a: { b: 1 } }, {}, ['/a: {"b":1} > -']],
    ['null is as if it were not there', { a: null }, {}, []],
    ['keys in a fixed order', { b: 1, a: 1 }, { a: 2, b: 2 }, ['/a: 1 > 2', '/b: 1 > 2']],
    ['keys escaped as in a JSON pointer', { 'a/b~c': 1 }, {}, ['/a~1b~0c: 1 > -']],
    ['a list by its items', { a: [1, 2] }, { a: [1, 3, 4] }, ['/a/1: 2 > 3', '/a/2: - > 4']],
    ['a list that becomes a map', { a: [1] }, { a: { b: 1 } }, ['/a: [1] > {"b":1}']],
    [
      'named items by name, wherever they are',
      { a: [{ name: 'x', v: 1 }, { name: 'gone' }] },
      { a: [{ name: 'new' }, { name: 'x', v: 2 }] },
      ['/a/0: - > {"name":"new"}', '/a/1/v: 1 > 2', '/a/1: {"name":"gone"} > -'],
    ],
    [
      'items of one name by their place',
      {
        a: [
          { name: 'x', v: 1 },
          { name: 'x', v: 2 },
        ],
      },
      {
        a: [
          { name: 'x', v: 1 },
          { name: 'x', v: 3 },
        ],
      },
      ['/a/1/v: 2 > 3'],
    ],
    [
      'keys that mean something to JavaScript',
      JSON.parse('{"__proto__": 1, "constructor": 1}') as object, // as JSON has it
      { toString: 1 },
      ['/__proto__: 1 > -', '/constructor: 1 > -', '/toString: - > 1'],
    ],
    [
      'numbers beyond 2^53',
      parseJson('{"a": 12345678901234567890}') as object, // as JSON has it
      parseJson('{"a": 12345678901234567891}') as object, // as JSON has it
      ['/a: 12345678901234567890 > 12345678901234567891'],
    ],
  ])('%s', (_title, old, next, expected) => {
    expect(lines(old, next)).toEqual(expected);
  });

  test('lie at most 32 levels deep', () => {
    const [only, ...others] = fieldChanges(deep(1_000, 'a'), deep(1_000, 'b'));
    expect(others).toEqual([]);
    expect(only?.path).toBe('/below'.repeat(32));
  });

  test('do not repeat a long path each: what is below it is compared as a whole', () => {
    const key = 'k'.repeat(5_000);
    const leaves = (value: number): object =>
      Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`leaf${index}`, value]));
    const [only, ...others] = fieldChanges({ [key]: leaves(1) }, { [key]: leaves(2) });
    expect(others).toEqual([]);
    expect(only).toEqual({ path: `/${key}`, old: leaves(1), new: leaves(2) });
  });

  test('exist exactly if the objects differ', () => {
    const json = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }));
    fc.assert(
      fc.property(json, json, (old, next) => {
        const isSame = lines(old, next).length === 0;
        expect(lines(old, old)).toEqual([]);
        expect(isSame).toBe(lines(next, old).length === 0);
        if (canonicalJson(old) === canonicalJson(next)) expect(isSame).toBe(true);
      }),
    );
  });
});
