import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RawNumber } from '#lib/json/lossless-json.js';
import { includes } from '#lib/json/subset.js';
import { INHERITED } from '../../support/inherited-names.js';

describe('includes', () => {
  it.each([
    ['fields that only the server has', { a: 1, defaulted: true }, { a: 1 }, true],
    ['another leaf', { a: 1 }, { a: 2 }, false],
    ['a missing leaf', {}, { a: 1 }, false],
    ['a list of another length', { a: [1, 2] }, { a: [1] }, false],
    ['defaults inside list items', { a: [{ b: 1, c: 2 }] }, { a: [{ b: 1 }] }, true],
    ['an empty object that the server dropped', {}, { a: {} }, true],
    ['an empty list that the server dropped', {}, { a: [] }, true],
    ['a null that the server dropped', {}, { a: null }, true],
    ['a null where the server has a value', { a: 1 }, { a: null }, false],
    ['an undefined field', { a: 1 }, { a: 1, b: undefined }, true],
    ['an object in the place of a scalar', { a: 1 }, { a: { b: 1 } }, false],
    [
      'a number that only text can hold',
      { a: new RawNumber('9007199254740993') },
      { a: new RawNumber('9007199254740993') },
      true,
    ],
    ['its neighbour', { a: new RawNumber('9007199254740993') }, { a: new RawNumber('9007199254740992') }, false],
  ])('%s', (_case, live, desired, expected) => {
    expect(includes(live, desired)).toBe(expected);
  });

  it.each(INHERITED)('a name that each object has is absent until it is there: %s', (name) => {
    const of = (value: unknown): object => Object.fromEntries([[name, value]]);
    expect([null, {}, []].map((value) => includes({}, of(value)))).toEqual([true, true, true]);
    expect([includes({}, of('a')), includes(of('a'), of('a')), includes(of('b'), of('a'))]).toEqual([
      false,
      true,
      false,
    ]);
  });

  it('holds for every value and itself, whatever else the server adds', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (desired) => {
        expect(includes({ ...desired, 'added by the server': 1 }, desired)).toBe(true);
      }),
    );
  });
});
