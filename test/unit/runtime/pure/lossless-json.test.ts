import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseJson, printJson, RawNumber } from '../../../../controllers/runtime/pure/lossless-json.js';

describe('lossless JSON', () => {
  it.each([
    '{"a":9007199254740993}',
    '{"a":[-123456789012345678901234567890,"9007199254740993"]}',
    '{"a":0.1234567890123456789,"b":"x\\"12345678901234567890"}',
    '{"replicas":3}',
    '[12345678901234567e10]',
  ])('writes %s as it was read', (text) => {
    expect(printJson(parseJson(text))).toBe(text);
  });

  it('reads ordinary numbers as numbers and long ones as RawNumber', () => {
    expect(parseJson('{"a":1,"b":9007199254740993}')).toEqual({ a: 1, b: new RawNumber('9007199254740993') });
  });

  it('keeps the text of every integer, however long', () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.string(), (number, text) => {
        const json = `{"n":${String(number)},"s":${JSON.stringify(text)}}`;
        expect(printJson(parseJson(json))).toBe(json);
      }),
    );
  });

  it('equals JSON.parse on every document without long numbers', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(JSON.parse(printJson(parseJson(text)))).toEqual(JSON.parse(text));
      }),
    );
  });

  it('refuses what is not JSON', () => {
    expect(() => parseJson('{"a":12345678901234567890,}')).toThrow(SyntaxError);
  });
});
