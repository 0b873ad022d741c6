import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Colours } from '#console/web/model/yaml-colours.js';
import { cpuMsOf } from '../../../../support/cpu-time.js';

function read(...texts: string[]): Colours {
  const colours = new Colours();
  for (const text of texts) {
    colours.read(text);
    colours.between(0, colours.count);
  }
  return colours;
}

test('lines that can be seen know what those before them leave open', () => {
  const colours = new Colours();
  colours.read('a: |\n  b\n  c: 1\nd: 1');
  expect(colours.count).toBe(4);
  expect(colours.between(2, 4).map((tokens) => tokens.map(({ kind }) => kind).join(' '))).toEqual([
    'string',
    'key mark plain number',
  ]);
});

test.each(['\u2028', '\u0085', '\v', '\r'])('a text with %j, which may break a line, has none', (odd) => {
  expect(read(`a: b${odd}c\nd: 1`).between(0, 2)).toEqual([]);
});

test('after any change, the colours are those of the new text', () => {
  const text = fc.array(fc.constantFrom('a: |', '  b', '"', 'c: [', ']', "d: '", 'e: 1', ''), { maxLength: 12 });
  fc.assert(
    fc.property(text, text, (one, other) => {
      const [before, after] = [one.join('\n'), other.join('\n')];
      const colours = read(before, after);
      expect(colours.between(0, colours.count)).toEqual(read(after).between(0, other.length || 1));
    }),
  );
});

test('the last lines of 900 KB are there within moments, and a key later at once', () => {
  const text = Array.from({ length: 36_000 }, (_, index) => `  key${index}: value ${index}`).join('\n');
  const colours = new Colours();
  const costOf = (now: string): number =>
    cpuMsOf(() => {
      colours.read(now);
      expect(colours.between(35_990, 36_000)).toHaveLength(10);
    });
  expect(costOf(text)).toBeLessThan(2_000);
  expect(costOf(`${text}x`)).toBeLessThan(500);
});
