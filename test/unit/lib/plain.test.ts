import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { RawNumber } from '#lib/json/lossless-json.js';
import { copyPlain, isMap, mergeMaps, ownField, ownFields } from '#lib/plain.js';
import { INHERITED } from '../../support/inherited-names.js';

describe('isMap', () => {
  test.each<[name: string, value: unknown, expected: boolean]>([
    ['a map', { a: 1 }, true],
    ['an empty map', {}, true],
    ['a map with a key __proto__', JSON.parse('{"__proto__": 1}'), true],
    ['a list', [1], false],
    ['null', null, false],
    ['nothing', undefined, false],
    ['a string', 'a', false],
    ['a number that a double cannot hold', new RawNumber('9007199254740993'), false],
    ['a date', new Date(0), false],
  ])('%s', (_name, value, expected) => expect(isMap(value)).toBe(expected));
});

describe('the own fields of a map', () => {
  test.each(INHERITED)('have no %s unless it is there', (name) => {
    const map = Object.fromEntries([[name, 1]]);
    expect([ownField({}, name), ownField(map, name)]).toEqual([undefined, 1]);
    expect([ownFields({}, [name]), ownFields(map, [name])].map((each) => JSON.stringify(each))).toEqual([
      '{}',
      JSON.stringify(map),
    ]);
  });

  test('are those that are named, in this order', () => {
    const map = { a: { b: 1 }, c: 2, d: undefined, e: 3 };
    expect(Object.entries(ownFields(map, ['d', 'c', 'a.b', 'x']))).toEqual([
      ['d', undefined],
      ['c', 2],
    ]);
  });
});

describe('copyPlain', () => {
  const big = new RawNumber('9007199254740993');

  test.each<[name: string, value: unknown]>([
    ['a scalar', 'a'],
    ['null', null],
    ['maps in lists in maps', { a: [{ b: [1, null] }] }],
    ['a key __proto__', JSON.parse('{"__proto__": {"a": 1}}')],
  ])('%s is copied as it is', (_name, value) => {
    expect(JSON.stringify(copyPlain(value))).toBe(JSON.stringify(value));
  });

  test('maps and lists are new, the rest is shared', () => {
    const inner = { a: 1 };
    const value = { inner, list: [inner], big };
    const copy = copyPlain(value);
    expect(copy).toEqual(value);
    expect(copy).not.toBe(value);
    expect(copy.inner).not.toBe(inner);
    expect(copy.list).not.toBe(value.list);
    expect(copy.list[0]).not.toBe(inner);
    expect(copy.big).toBe(big);
  });
});

describe('mergeMaps', () => {
  test.each([
    [{ a: 1 }, { b: 2 }, { a: 1, b: 2 }],
    [{ a: { b: 1, c: 2 } }, { a: { c: 3 } }, { a: { b: 1, c: 3 } }],
    [{ a: [1, 2] }, { a: [3] }, { a: [3] }],
    [{ a: { b: 1 } }, { a: null }, { a: null }],
    [{ a: 1 }, { a: { b: 1 } }, { a: { b: 1 } }],
    [{ a: 1 }, { a: undefined }, { a: 1 }],
  ])('%j under %j', (under, over, merged) => expect(mergeMaps(under, over)).toEqual(merged));

  test('every key stays, whatever it means to JavaScript', () => {
    const over = JSON.parse('{"__proto__": {"polluted": true}, "constructor": {"b": 2}}') as Record<string, unknown>;
    expect(Object.keys(mergeMaps({ c: 3 }, over)).sort()).toEqual(['__proto__', 'c', 'constructor']);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  test('what is not touched is shared', () => {
    const base = { a: { b: 1 }, c: { d: 2 } };
    const merged = mergeMaps(base, { a: { e: 3 } });
    expect(merged['c']).toBe(base.c);
    expect(base).toEqual({ a: { b: 1 }, c: { d: 2 } });
  });

  test('laws: nothing changes nothing, twice is once, inputs stay', () => {
    const values = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.jsonValue({ maxDepth: 2 }), {
      noNullPrototype: true,
    });
    fc.assert(
      fc.property(values, values, (under, over) => {
        const [before, merged] = [JSON.stringify([under, over]), mergeMaps(under, over)];
        expect(mergeMaps(under, {})).toEqual(under);
        expect(mergeMaps(merged, over)).toEqual(merged);
        expect(JSON.stringify([under, over])).toBe(before);
      }),
    );
  });
});
