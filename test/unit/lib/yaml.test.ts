import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { printJson, RawNumber } from '#lib/json/lossless-json.js';
import { parseYaml, parseYamlDocuments, plainType, printYaml, readYaml } from '#lib/yaml/yaml.js';

describe('scalars are read as Go reads them', () => {
  test.each([
    ['yes', 'true'],
    ['On', 'true'],
    ['y', 'true'],
    ['n', 'false'],
    ['OFF', 'false'],
    ['yEs', '"yEs"'],
    ['"yes"', '"yes"'],
    ['~', 'null'],
    ['0644', '420'],
    ['0o644', '420'],
    ['-0o17', '-15'],
    ['0x1F', '31'],
    ['0b11', '3'],
    ['089', '89'],
    ['1_000', '1000'],
    ['1_000.5', '1000.5'],
    ['_1', '"_1"'],
    ['+1', '1'],
    ['1.', '1'],
    ['-.5', '-0.5'],
    ['1e3', '1000'],
    ['1e400', '"1e400"'],
    ['12:30:45', '"12:30:45"'],
    ['2001-01-01', '"2001-01-01"'],
    ['1.2.3', '"1.2.3"'],
    ['0x', '"0x"'],
    ['9007199254740993', '9007199254740993'],
    ['-9223372036854775808', '-9223372036854775808'],
    ['18446744073709551615', '18446744073709551615'],
    ['18446744073709551616', '18446744073709552000'],
  ])('%s', (text, json) => expect(printJson(parseYaml(text))).toBe(json));
});

test.each([
  ['', 'null'],
  ['~', 'null'],
  ['Off', 'boolean'],
  ['0x1F', 'integer'],
  ['1e3', 'integer'],
  ['18446744073709551616', 'integer'],
  ['1.5', 'number'],
  ['-.inf', 'number'],
  ['1.2.3', 'string'],
  ['nil', 'string'],
])('without quotes, %j is %s', (source, type) => expect(plainType(source)).toBe(type));

test('the type of a scalar is that of its value', () => {
  // Three dots end a document.
  const source = fc
    .stringMatching(/^[0-9a-zA-Z+.][0-9a-zA-Z_.+-]*$/)
    .filter((text) => text !== '...' && !/\.(inf|nan)$/i.test(text));
  fc.assert(
    fc.property(source, (text) => {
      const value = parseYaml(text);
      const isNumber = typeof value === 'number' || value instanceof RawNumber;
      const type = value === null ? 'null' : isNumber ? 'number' : typeof value;
      expect(plainType(text).replace('integer', 'number')).toBe(type);
    }),
  );
});

test('merge keys apply, own keys win', () => {
  const text = 'base: &base {name: a, 8080: 1, keep: k}\nweb: {<<: *base, name: b, 8080: 2}';
  expect(parseYaml(text)).toMatchObject({ web: { name: 'b', 8080: 2, keep: 'k' } });
});

test('a key that reads as a boolean or number is its text in JSON', () => {
  expect(parseYaml('on: 1\ny: 2\n0x10: 3')).toEqual({ true: 2, 16: 3 });
});

test('an integer of 64 bits may be a key', () => {
  expect(parseYaml('9007199254740993: 1')).toEqual({ '9007199254740993': 1 });
});

test.each(['~: 1', 'null: 1', ': 1', 'a: {~: 1}', '? [a]\n: 1', '18446744073709551615: 1'])(
  '%j has a key that JSON cannot have',
  (text) => {
    expect(() => parseYaml(text)).toThrow(/key/);
  },
);

test.each([
  ['.5_5', '0.55'],
  ['._5', '"._5"'],
  ['.5_', '".5_"'],
  ['.5__5', '".5__5"'],
  ['-.5_', '-0.5'],
])('underscores in %s: Go reads %s', (text, json) => expect(printJson(parseYaml(text))).toBe(json));

test.each([
  ['twice', 'a: 1\na: 2', { a: 2 }],
  ['twice with another between', 'a: 1\nb: 3\na: 2', { a: 2, b: 3 }],
  ['as a number and as a string', '1: a\n"1": b', { 1: 'b' }],
  ['as a map and as a scalar: nothing is merged', 'a: {b: 1}\na: {c: 2}', { a: { c: 2 } }],
  ['deep inside', 'a: [{b: 1, b: 2}]', { a: [{ b: 2 }] }],
])('of a key that is there %s the last one counts', (_name, text, value) => expect(parseYaml(text)).toEqual(value));

test.each(['a: .inf', 'a: .nan', 'a: [', 'a: b: c'])('%j is an error', (text) => {
  expect(() => parseYaml(text)).toThrow();
});

test('an error names the position and does not quote the text, which may be a Secret', () => {
  expect(() => parseYaml('user: admin\npassword: "hunter2\n')).toThrow(
    new SyntaxError('line 3, column 1: deficient indentation'),
  );
});

describe('line breaks of YAML 1.1', () => {
  test.each([
    ['"a\u0085b"', 'a b'],
    ['"x \u2028 y"', 'x\u2028y'],
    ["'x\u2029  y''s'", "x\u2029y's"],
    ['x\u2028  y', 'x\u2028y'],
    ['|\n  x\u2028  y', 'x\u2028y\n'],
    ['|-\n  x\u0085  y', 'x\ny'],
    ['x # comment\u0085b: 2', 'x'],
  ])('in %j', (text, value) => {
    expect(parseYaml(`a: ${text}\n`)).toMatchObject({ a: value });
  });

  test('a control character is refused where it stands', () => {
    expect(() => parseYaml('a: 1\nb: "\u0081"')).toThrow('line 2 contains the control character U+0081');
  });
});

test('a document that ends before it begins is refused, as by Go', () => {
  for (const text of ['...', '# a\n \r\n...\n', '\ufeff...\na: 1']) expect(() => parseYaml(text)).toThrow('remove it');
  expect([parseYaml('---\n...\n'), parseYaml('...a'), parseYaml('a: 1\n...\n...\n')]).toEqual([null, '...a', { a: 1 }]);
});

test('an empty text is null and has no documents; of several documents the first counts', () => {
  expect([parseYaml(''), parseYaml('# only this'), parseYaml('a: 1\n---\nb: 2')]).toEqual([null, null, { a: 1 }]);
  expect(parseYamlDocuments('a: 1\n---\nb: 2\n')).toEqual([{ a: 1 }, { b: 2 }]);
});

test('a key called __proto__ is a key', () => {
  expect(Object.keys(parseYaml('__proto__: 1') as object)).toEqual(['__proto__']);
});

describe('what is printed', () => {
  const tricky = fc.string({ unit: fc.constantFrom(...'0123456789_+-.:xobeEyYnNoOfFtTrRuUsS~<=# \n"\''.split('')) });
  const scalar = fc.oneof(
    tricky,
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
  );
  const value = fc.object({ key: fc.oneof(tricky, fc.string()), values: [scalar], maxDepth: 3 });

  test('is read back as it was', () => {
    fc.assert(fc.property(value, (object) => expect(parseYaml(printYaml(object))).toEqual(object)));
  });

  test('keeps integers beyond 2^53', () => {
    expect(printYaml(parseYaml('a: 9007199254740993'))).toBe('a: 9007199254740993\n');
  });

  test('quotes what another reader would take for something else', () => {
    expect(printYaml({ a: 'yes', b: '0644', c: '2001-01-01', d: '12:30:45' })).toMatch(
      /^a: ['"]yes['"]\nb: ['"]0644['"]\nc: ['"]2001-01-01['"]\nd: ['"]12:30:45['"]\n$/,
    );
  });
});

test('a document begins behind any number of comments', () => {
  const comments = '#\n'.repeat(3_000_000);
  expect(readYaml(`${comments}a: 1\n`)).toEqual({ value: { a: 1 } });
  expect(readYaml(`${comments}...\n`)).toEqual({ problem: expect.stringMatching(/has not begun/) });
});
