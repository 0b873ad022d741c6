import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { differences, useOracle } from './oracle.js';
import { ours, theirs } from './yaml-readers.js';

const lineBreak = fc.constantFrom('\u0085', '\u2028', '\u2029', '\n', '\r\n', '\r', '\r\u0085');
const gap = fc.tuple(fc.constantFrom('', ' ', '  ', '\t'), lineBreak, fc.constantFrom('  ', '   ', '  \t')).map(join);
const bare = fc.tuple(fc.constantFrom('', ' ', '  '), fc.constantFrom('\u0085', '\u2028', '\u2029')).map(join);
const word = fc.constantFrom('x', 'y z', 'ä', '漢', '🚢', '0644', 'a b  c', '#', 'x:', '-', "''", 'é\u00a0');
const escape = fc.constantFrom(
  '\\n',
  '\\\\',
  '\\"',
  '\\ ',
  '\\L',
  '\\u0085',
  '\\x41',
  '\\\u0085  ',
  '\\\n  a',
  '\\\\\u2028',
);
const plainWord = word.filter((text) => /^[a-zä漢🚢0]/.test(text) && !text.endsWith(':'));

function join(parts: readonly string[]): string {
  return parts.join('');
}

function sequence(...units: readonly fc.Arbitrary<string>[]): fc.Arbitrary<string> {
  return fc.array(fc.oneof(...units), { maxLength: 6 }).map(join);
}

const single = sequence(word, gap, bare).map((text) => `'${text}'`);
const double = sequence(word, gap, bare, escape).map((text) => `"${text}"`);
const plain = fc
  .tuple(
    plainWord,
    fc.array(
      fc
        .tuple(
          fc.oneof(
            gap,
            bare.map((text) => `${text}  `),
          ),
          plainWord,
        )
        .map(join),
      { maxLength: 4 },
    ),
  )
  .map(([first, rest]) => first + rest.join(''));
const line = fc.oneof(plainWord, fc.constantFrom('', ' x', '  y', 'z ', '\tt'));
const block = fc
  .tuple(
    fc.constantFrom('|', '>', '|-', '>-', '|+', '>+', '|2', '>2'),
    plainWord,
    fc.array(
      fc.tuple(lineBreak, line).map(([end, text]) => `${end}${text === '' ? '' : `  ${text}`}`),
      { maxLength: 5 },
    ),
  )
  .map(([style, first, rest]) => `${style}\n  ${first}${rest.join('')}`);
const comment = fc.tuple(plainWord, bare).map(([text, end]) => `x # ${text}${end}`);
const json = fc.string({ unit: 'binary' }).map((text) => JSON.stringify(Buffer.from(text).toString()));
const value = fc.oneof(single, double, plain, block, comment, json);

const cases = fc
  .array(fc.tuple(fc.constantFrom('a', 'b', 'c', '"k\\u2028"'), value), { minLength: 1, maxLength: 3 })
  .map((pairs) => ({ text: pairs.map(([name, text]) => `${name}: ${text}\n`).join('') }));

const ask = useOracle('yaml');

test('line breaks of YAML 1.1 and control characters are read as Go reads them', async () => {
  expect(await differences({ ask, cases, theirs, ours })).toEqual([]);
});
