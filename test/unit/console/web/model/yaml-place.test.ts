import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { placeOf, type YamlPlace } from '#console/web/model/yaml-place.js';
import { cpuMsOf } from '../../../../support/cpu-time.js';

/** `^` is the cursor. */
function at(text: string): YamlPlace {
  return placeOf(text.replace('^', ''), text.indexOf('^'));
}

describe('the path and what is expected', () => {
  test.each<[string, string, string]>([
    ['an empty text', '^', 'key '],
    ['a key at the top', 'sp^', 'key '],
    ['a value', 'kind: fl^', 'value kind'],
    ['a value that is missing', 'kind: ^', 'value kind'],
    ['right behind the colon', 'kind:^', 'value kind'],
    ['an empty line in a map', 'spec:\n  a: 1\n  ^', 'key spec'],
    ['an empty line before the map', 'spec:\n  ^\n  a: 1', 'key spec'],
    ['an empty line left of the map', 'spec:\n  a: 1\n^', 'key '],
    ['below a key with an anchor', 'spec: &x # c\n  ^', 'key spec'],
    ['behind a dash', 'deploy:\n  - ^', 'key deploy,0'],
    ['behind a dash that is no more left', 'deploy:\n- a: 1\n- ^', 'key deploy,1'],
    ['in an item', 'deploy:\n  - a:\n      c: 1\n    b: 2\n  - x: 1\n    ^', 'key deploy,1'],
    ['deep in an item', 'deploy:\n- a:\n    b:\n    - c: 1\n    - d:\n        ^', 'key deploy,0,a,b,1,d'],
    ['in a list of lists', 'a:\n- - 1\n  - ^', 'key a,0,1'],
    ['a value in an item', 'deploy:\n  - a: x^', 'value deploy,0,a'],
    ['a key behind a dash', 'deploy:\n  - a^: x', 'key deploy,0'],
    ['in a list without a dash', 'deploy:\n  - a: 1\n  ^', 'key deploy'],
    ['quoted keys', "'it''s':\n  \"b c\":\n    ^", "key it's,b c"],
    ['the next document', 'a:\n  b: 1\n---\nc:\n  ^', 'key c'],
    ['a text', 'a: |\n  b: ^', 'nothing a,b'],
    ['a text of several lines', 'a: b\n  c^', 'nothing a'],
    ['quotes', 'a: "b^"', 'nothing a'],
    ['a flow map', 'a: {b: ^}', 'nothing a'],
    ['a comment', 'a: b # c^', 'nothing a'],
    ['words', 'a: b c^', 'nothing a'],
    ['indentation', '  ^  a: b', 'nothing '],
    ['a dash without a blank', 'a:\n  -^', 'nothing a,0'],
  ])('%s', (_, text, expected) => {
    const { expects, path } = at(text);
    expect(`${expects} ${path.join(',')}`).toBe(expected);
  });
});

test('what is replaced is the word of the cursor', () => {
  const text = 'spec:\n  kin^d: fluxcd # c\n';
  const { from, to, hasColon, key } = at(text);
  expect(text.replace('^', '').slice(from, to)).toBe('kind');
  expect({ hasColon, key }).toEqual({ hasColon: true, key: 'kind' });
  const value = at('spec:\n  kind: flu^xcd # c\n');
  expect([value.from, value.to]).toEqual([14, 20]);
});

test('keys above and below are known, and those of others are not', () => {
  const text =
    'a:\n  b: 1\nspec:\n  c:\n    d: 1\n  e: |\n    f: 1\n  ^\n# g: 1\n\n  h:\n  - i: 1\n  j: 2\nk:\n  l: 1\n';
  expect([...at(text).present].sort()).toEqual(['c', 'e', 'h', 'j']);
  expect([...at('- a: 1\n  b: 1\n- c: 1\n  ^\n  d: 1\n- e: 1').present].sort()).toEqual(['c', 'd']);
});

test('any text has a place, and what is replaced holds the cursor', () => {
  const text = fc.stringMatching(/^[ \n\-:#"'{}|ab]{0,60}$/);
  fc.assert(
    fc.property(text, fc.nat(60), (whole, cursor) => {
      const { from, to, expects } = placeOf(whole, Math.min(cursor, whole.length));
      expect(from).toBeLessThanOrEqual(to);
      expect(to).toBeLessThanOrEqual(whole.length);
      if (expects !== 'nothing') {
        expect(from).toBeLessThanOrEqual(Math.min(cursor, whole.length));
        expect(to).toBeGreaterThanOrEqual(Math.min(cursor, whole.length));
      }
    }),
  );
});

test.each([
  ['a map', Array.from({ length: 40_000 }, (_, index) => `  key${index}: value ${index}`).join('\n')],
  ['blanks', `a${' '.repeat(998)}b\n`.repeat(900)],
  ['nested lists', '- '.repeat(450_000)],
  ['quotes', `"${'\\"'.repeat(400)}\n`.repeat(1_100)],
])('900 KB of %s take no time', (_, text) => {
  expect(cpuMsOf(() => placeOf(`values:\n${text}\n  `, text.length + 11))).toBeLessThan(1_000);
});
