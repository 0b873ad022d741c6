import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { stripVTControlCharacters } from 'node:util';
import { plainLine } from '#lib/text/text.js';
import { cpuMsOf } from '../../support/cpu-time.js';

test.each([
  ['colours', '\u001b[1;31mred\u001b[0m', 'red'],
  ['colours of eight bits', '\u009b38;5;1mred\u009b0m', 'red'],
  ['moves of the cursor', 'a\u001b[2Kb\u001b[1A\u001b[?25lc', 'abc'],
  ['a title', 'a\u001b]0;owned\u0007b', 'ab'],
  ['a link', '\u001b]8;;http://x\u001b\\here\u001b]8;;\u001b\\', 'here'],
  ['a reset', '\u001bcx', 'x'],
  ['a character set', '\u001b(0x', 'x'],
  ['control characters but tabs', 'a\tb\u0000\u0007\u0008\rc', 'a\tbc'],
  ['a turned direction', 'a\u202eb\u2066c', 'abc'],
])('takes %s away', (_, line, expected) => {
  expect(plainLine(line)).toBe(expected);
});

test('hides nothing behind a string without an end', () => {
  expect(plainLine('\u001b]0;the reason is here')).toBe('0;the reason is here');
});

test('knows what node takes away of colours, and leaves no control character', () => {
  const part = fc.oneof(fc.constantFrom('\u001b[31m', '\u001b[0m', '\u001b[2K', 'x', ' '), fc.string({ maxLength: 5 }));
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      expect(plainLine(parts.join(''))).not.toMatch(/[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/);
    }),
  );
  const colored = '\u001b[31mred\u001b[0m and \u001b[4;1mbold';
  expect(plainLine(colored)).toBe(stripVTControlCharacters(colored));
});

test.each(['\u001b[', '\u001b]', '\u001b[0;', '\u001bP0', '\u009b '])('reads a long line of %j in no time', (part) => {
  const line = part.repeat(200_000);
  expect(cpuMsOf(() => plainLine(line))).toBeLessThan(1_000);
});
