import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { FIRST_LINE, lineTokens, type LineState } from '#console/web/model/yaml-tokens.js';

/** All but plain text, as `kind text`, line by line. */
function colours(text: string): string[] {
  let state: LineState = FIRST_LINE;
  return text.split('\n').map((line) => {
    const { tokens, next } = lineTokens(line, state);
    state = next;
    return tokens
      .filter(({ kind, text: own }) => kind !== 'plain' && own.trim() !== '')
      .map(({ kind, text: own }) => `${kind} ${own}`)
      .join(', ');
  });
}

test.each<[string, string, string[]]>([
  ['a key and a text', 'name: web front', ['key name, mark :']],
  ['a colon within a text', 'url: http://a:80/x', ['key url, mark :']],
  [
    'numbers',
    'a: 0x1F\nb: -1.5\nc: 1.2.3',
    ['key a, mark :, number 0x1F', 'key b, mark :, number -1.5', 'key c, mark :'],
  ],
  ['words of Go', 'a: off\nb: ~', ['key a, mark :, word off', 'key b, mark :, word ~']],
  ['comments', 'a: b # c\n#d\ne: f#g', ['key a, mark :, comment # c', 'comment #d', 'key e, mark :']],
  [
    'quotes',
    `a: "b # \\" c" # d\n'e: f': 'it''s'`,
    ['key a, mark :, string "b # \\" c", comment # d', "key 'e: f', mark :, string 'it''s'"],
  ],
  ['quotes over lines', 'a: "b\n  c: d"\ne: f', ['key a, mark :, string "b', 'string   c: d"', 'key e, mark :']],
  ['lists', '- a: 1\n- - 2', ['mark -, key a, mark :, number 1', 'mark -, mark -, number 2']],
  [
    'anchors, aliases and tags',
    'a: &x !!str 1\n<<: *x',
    ['key a, mark :, anchor &x, anchor !!str, number 1', 'key <<, mark :, anchor *x'],
  ],
  [
    'flow over lines',
    'a: {b: [1,\n  x: z], c: true}\nd: 1',
    [
      'key a, mark :, mark {, key b, mark :, mark [, number 1, mark ,',
      'key x, mark :, mark ], mark ,, key c, mark :, word true, mark }',
      'key d, mark :, number 1',
    ],
  ],
  ['documents', '--- # a\n...', ['mark ---, comment # a', 'mark ...']],
  [
    'a block of text',
    'a: |-\n  b: 1\n\n  # c\nd: >2 # e\n    f\ng: |x',
    [
      'key a, mark :, mark |-',
      'string   b: 1',
      '',
      'string   # c',
      'key d, mark :, mark >2, comment # e',
      'string     f',
      'key g, mark :',
    ],
  ],
  [
    'a block in a list',
    '- a: |\n    b: 1\n  c: 2\n- |\n  d: e\n-',
    [
      'mark -, key a, mark :, mark |',
      'string     b: 1',
      'key c, mark :, number 2',
      'mark -, mark |',
      'string   d: e',
      'mark -',
    ],
  ],
])('colours %s', (_, text, expected) => expect(colours(text)).toEqual(expected));

test('a line that nobody reads has no colours, and costs nothing', () => {
  const line = `a: ${'"'.repeat(900_000)}`;
  expect(lineTokens(line, FIRST_LINE)).toEqual({ tokens: [{ kind: 'plain', text: line }], next: FIRST_LINE });
});

test('the tokens of a line are the line, whatever it is', () => {
  const odd = fc.stringMatching(/^[ \t\-?:"'#&*!|>[\]{},\\a1~%\u00a0\u2028😀]{0,40}$/);
  const line = fc.oneof(
    odd,
    fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\n', ' ')),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 8 }), (lines) => {
      let state: LineState = FIRST_LINE;
      for (const each of lines) {
        const { tokens, next } = lineTokens(each, state);
        expect(tokens.map(({ text }) => text).join('')).toBe(each);
        state = next;
      }
    }),
  );
});
