import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { RE2JS } from 're2js';
import { patternSize } from '#lib/text/pattern-size.js';

test.each([
  ['', 0],
  ['abc', 3],
  [String.raw`\d{4}-\d{2}`, 9],
  ['a{0,64}', 65],
  ['a{3,}', 5],
  ['(ab){10}', 31],
  ['((a{10}){10}){10}', 1221],
  ['(?<m>){0,90}', 181],
  [String.raw`a{90}\Q\E{4}`, 361],
  ['(?P<name>a{100}x:b)', 105],
  [String.raw`\p{Lu}{10}`, 91],
  [String.raw`(?i)\p{Lu}{10}`, 171],
  [String.raw`[]a{9}]`, 1],
  [String.raw`\Qa{9}\E`, 8],
  ['a{,9}', 5],
])('%s has %i parts, or rather more', (pattern, least) => {
  const size = patternSize(pattern);
  expect(size).toBeGreaterThanOrEqual(least);
  expect(size).toBeLessThanOrEqual(least + 10);
});

const piece = fc.constantFrom(
  ...['a', 'Z', '.', '^', '$', '|', '(', ')', '(?:', '(?i)', '(?P<n>', '[', ']', '[^', '[a-z]', '[[:alpha:]]'],
  ...['*', '+', '?', '{3}', '{2,7}', '{4,}', '{,5}', '{', '}', '{40}', '{0,90}', ',', ':', '>', '𝄞'],
  ...['\\', '\\d', '\\W', '\\pL', '(?s-i)', '(?<m>', '\\p{Greek}', '\\Q', '\\E', '\\x{10FFFF}', '\\123', '\\', '-'],
);

test('no program is larger than three times what its pattern is counted as', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const pattern = pieces.join('');
      let instructions: number;
      try {
        instructions = RE2JS.compile(pattern).programSize();
      } catch {
        return;
      }
      expect(instructions).toBeLessThanOrEqual(3 * patternSize(pattern) + 10);
    }),
    { numRuns: 2_000 },
  );
});
