import { describe, expect, test } from '@jest/globals';
import { RawNumber } from '../../../../controllers/runtime/pure/lossless-json.js';
import { copyPlain, isMap } from '../../../../controllers/runtime/pure/plain.js';

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
