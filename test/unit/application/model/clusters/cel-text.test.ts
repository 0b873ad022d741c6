import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  mayHoldExpression,
  type ParsedText,
  parseText,
} from '#controllers/application/model/destinations/cel-values.js';

test.each<[text: string, parts: Extract<ParsedText, { parts: unknown }>['parts']]>([
  ['', []],
  ['plain } text {{', [{ text: 'plain } text {{' }]],
  ['${{ cluster.name }}', [{ expression: 'cluster.name' }]],
  ['a-${{ x }}-${{y}}', [{ text: 'a-' }, { expression: 'x' }, { text: '-' }, { expression: 'y' }]],
  ['${{ "}}" + \'}}\' }}', [{ expression: '"}}" + \'}}\'' }]],
  ['${{ "\\"}}" }}', [{ expression: '"\\"}}"' }]],
  ['${{ """ " }} """ }}', [{ expression: '""" " }} """' }]],
  ['${{ {"a": {"b": 1}} }}', [{ expression: '{"a": {"b": 1}}' }]],
  ['$${{ github.ref }}', [{ text: '${{ github.ref }}' }]],
  ['$${{ a }} ${{ b }}', [{ text: '${{ a }} ' }, { expression: 'b' }]],
  ['${HOME} $x', [{ text: '${HOME} $x' }]],
])('%j', (text, parts) => {
  expect(parseText(text)).toEqual({ parts });
});

test.each(['${{', 'a ${{ b', '${{ "}}', '${{ {"a": 1} }'])('%j is not closed', (text) => {
  expect(parseText(text)).toEqual({ problem: expect.stringContaining('has no "}}"') });
});

test('a text without an opening is left as it is', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      fc.pre(!mayHoldExpression(text) && text !== '');
      expect(parseText(text)).toEqual({ parts: [{ text }] });
    }),
  );
});
