import { describe, expect, test } from '@jest/globals';
import { clipped, LiveRegion, replacing } from '#cli/output/standard-output.js';

const SIZE = { columns: 10, rows: 5 };
const up = (lines: number): string => `\r\u001b[${lines}A\u001b[J`;

describe('what replaces a text', () => {
  test.each([
    ['the first one is only written', '', 'one', 'one\n'],
    ['takes away as many lines as there are', 'one\ntwo', 'three', `${up(2)}three\n`],
    ['counts lines that the terminal has wrapped', 'x'.repeat(25), 'y', `${up(3)}y\n`],
    ['an empty line is a line', 'one\n\ntwo', 'y', `${up(3)}y\n`],
    ['nothing leaves nothing behind', 'one', '', up(1)],
  ])('%s', (_, shown, next, expected) => expect(replacing(shown, next, SIZE)).toBe(expected));
});

describe('clipped', () => {
  test.each([
    ['keeps what fits above the cursor', '1\n2\n3\n4', '1\n2\n3\n4'],
    ['counts what does not', '1\n2\n3\n4\n5\n6', '1\n2\n3\n… 3 more lines'],
  ])('%s', (_, text, expected) => expect(clipped(text, SIZE)).toBe(expected));
});

test('a region draws each text over the one before, after a change of the window, too', () => {
  const written: string[] = [];
  let columns = 10;
  const region = new LiveRegion(
    (text) => written.push(text),
    () => ({ columns, rows: 5 }),
  );
  region.show('1234567890');
  columns = 5;
  region.show('12345');
  region.show('');
  region.show('');
  expect(written).toEqual(['1234567890\n', `${up(2)}12345\n`, up(1)]);
});
