import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseJson, canonicalJson } from '#lib/json/lossless-json.js';

describe('canonicalJson', () => {
  it('sorts keys at every level and leaves undefined fields out', () => {
    expect(canonicalJson({ b: [{ d: 1, c: undefined, a: null }], a: 'x' })).toBe('{"a":"x","b":[{"a":null,"d":1}]}');
  });

  it('keeps long numbers', () => {
    expect(canonicalJson(parseJson('{"b":9007199254740993,"a":1}'))).toBe('{"a":1,"b":9007199254740993}');
  });

  it('is the same for every order of keys', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const reversed = Object.fromEntries(Object.entries(value).reverse());
        expect(canonicalJson(reversed)).toBe(canonicalJson(value));
      }),
    );
  });
});
