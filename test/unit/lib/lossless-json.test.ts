import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseJson, printJson, printJsonForYaml, RawNumber } from '#lib/json/lossless-json.js';
import { cpuMsOf } from '../../support/cpu-time.js';

const DIGITS = fc.stringMatching(/^(0|[1-9][0-9]{0,39})$/);
/** Numbers as people and other languages write them: long, negative, with fractions and exponents. */
const NUMBER_TEXT = fc
  .tuple(
    fc.constantFrom('', '-'),
    DIGITS,
    fc.option(fc.stringMatching(/^[0-9]{1,30}$/), { nil: undefined }),
    fc.option(fc.stringMatching(/^[eE][+-]?[0-9]{1,3}$/), { nil: undefined }),
  )
  .map(([sign, whole, fraction, exponent]) => {
    return `${sign}${whole}${fraction === undefined ? '' : `.${fraction}`}${exponent ?? ''}`;
  });

/**
 * Numbers as Go's encoding/json writes them, and so the API server: integers of any size, floats in their shortest form
 * (ECMAScript's, by its own words). But for -0, which is 0.
 */
const GO_NUMBER_TEXT = fc.oneof(
  fc.bigInt().map(String),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }).map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => String(number)),
  fc.integer({ min: -1_000_000, max: 1_000_000 }).map((thousandths) => String(thousandths / 1_000)),
);

/** Compact JSON text with these numbers; strings look like numbers, too. */
function documentsWith(numbers: fc.Arbitrary<string>, keys: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.letrec<{ value: string; list: string; map: string }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      numbers,
      fc.oneof(fc.string(), numbers).map((text) => JSON.stringify(text)),
      fc.constantFrom('true', 'false', 'null'),
      tie('list'),
      tie('map'),
    ),
    list: fc.array(tie('value'), { maxLength: 5 }).map((items) => `[${items.join(',')}]`),
    map: fc
      .uniqueArray(fc.tuple(keys, tie('value')), { maxLength: 5, selector: ([key]) => key })
      .map((pairs) => `{${pairs.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`),
  })).value;
}

/** More digits than a double is sure to hold. */
const LONG = /[0-9.]{16}/;

/** Numbers in the text; what stands in quotes is no number. A reader may bring keys into another order. */
function numbersOf(json: string): string[] {
  const tokens = json.match(/"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*/g) ?? [];
  return tokens.filter((token) => !token.startsWith('"'));
}

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

  it('keeps every number of 10,000 documents: byte for byte, but for a short one that has a shorter form', () => {
    fc.assert(
      fc.property(documentsWith(NUMBER_TEXT, fc.oneof(fc.string(), NUMBER_TEXT)), (json) => {
        const kept = (text: string): string => (LONG.test(text) ? text : JSON.stringify(Number(text)));
        const after = numbersOf(printJson(parseJson(json)));
        expect(after.map(kept).sort()).toEqual(numbersOf(json).map(kept).sort());
      }),
      { numRuns: 10_000 },
    );
  });

  it('writes 10,000 documents with numbers as the API server spells them byte for byte', () => {
    // A key that is an integer would be put first: JavaScript orders keys so.
    const keys = fc.string().map((text) => `k${text}`);
    fc.assert(
      fc.property(documentsWith(GO_NUMBER_TEXT, keys), (json) => {
        expect(printJson(parseJson(json))).toBe(json);
      }),
      { numRuns: 10_000 },
    );
  });

  it('keeps numbers that are too large or too small for a double', () => {
    const text = '{"large":1e400,"small":[-1E-400]}';
    expect(printJson(parseJson(text))).toBe(text);
  });

  it('equals JSON.parse on every document without long numbers', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(JSON.parse(printJson(parseJson(text)))).toEqual(JSON.parse(text));
      }),
    );
  });

  it.each([
    ['quotes that are escaped outside of a string', '1111111111111111' + '\\"'.repeat(100_000)],
    ['a string that does not end', '[1111111111111111,"' + '\\"'.repeat(100_000)],
    ['a string that ends with half an escape', '[1111111111111111,"' + '\\"'.repeat(100_000) + '\\'],
    ['escaped line breaks', '[1111111111111111,"' + '\\\n"'.repeat(100_000)],
  ])('refuses in the time that it takes to read it: %s', (_, text) => {
    expect(cpuMsOf(() => expect(() => parseJson(text)).toThrow(SyntaxError))).toBeLessThan(2_000);
  });

  it.each([
    ['quotes', '\\"'],
    ['backslashes', '\\\\'],
  ])('reads a string of 20 MB of escaped %s beside a long number, in the time that it takes', (_what, escape) => {
    const text = `{"n":1234567890123456789,"a":"${escape.repeat(10_000_000)}"}`;
    let read: unknown;
    expect(cpuMsOf(() => (read = parseJson(text)))).toBeLessThan(3_000);
    expect(printJson(read) === text).toBe(true);
  });

  it('refuses what is not JSON', () => {
    expect(() => parseJson('{"a":12345678901234567890,}')).toThrow(SyntaxError);
  });
});

describe('JSON for a reader of YAML', () => {
  it.each([
    ['a next line', 'a\u0085b', '"a\\u0085b"'],
    ['line and paragraph separators', 'x \u2028 y \u2029', '"x \\u2028 y \\u2029"'],
    ['control characters beyond ASCII', '\u007f\u0081', '"\\u007f\\u0081"'],
    ['what is no character', '\ufffe\uffff', '"\\ufffe\\uffff"'],
    ['halves of pairs, as Go reads them', 'a\ud800\udc00b\ud800\ud800', '"a\ud800\udc00b\\ufffd\\ufffd"'],
    ['a backslash before such a name', '\\ud800', '"\\\\ud800"'],
    ['everything else', 'ä 漢 🚢 "\n', '"ä 漢 🚢 \\"\\n"'],
  ])('has %s in a form that YAML keeps', (_what, text, printed) => {
    expect(printJsonForYaml(text)).toBe(printed);
    expect(printJsonForYaml({ [text]: 1 })).toBe(`{${printed}:1}`);
  });

  it('marks a key that is too long for YAML, and nothing else that is long', () => {
    const long = 'k'.repeat(1_500);
    expect(printJsonForYaml({ [long]: long, b: `:${long}":` })).toBe(`{? "${long}":"${long}","b":":${long}\\":"}`);
    expect(printJsonForYaml({ a: Array(600).fill(12), b: ':' })).toBe(
      `{"a":[${Array(600).fill(12).join(',')}],"b":":"}`,
    );
  });

  it('is printed in the time that it takes to read it, however many backslashes it has', () => {
    const cost = cpuMsOf(() => printJsonForYaml({ text: `${'\\'.repeat(200_000)}ud8`, half: '\ud800' }));
    expect(cost).toBeLessThan(2_000);
  });

  it('means the same to a reader of JSON', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), (texts) => {
        // Half of a surrogate pair has no UTF-8: U+FFFD stands for it.
        expect(JSON.parse(printJsonForYaml(texts))).toEqual(texts.map((text) => Buffer.from(text).toString()));
      }),
    );
  });
});
