import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  bytesOf,
  characterOf,
  reversed,
  runesOf,
  textOf,
} from '#controllers/kustomization/model/substitution/bytes.js';

const text = fc.string({ unit: 'binary' });

test('a text is its bytes, and they are the text', () => {
  fc.assert(fc.property(text, (each) => textOf(bytesOf(each)) === each));
});

test('the characters of a text are those of its bytes', () => {
  fc.assert(fc.property(text, (each) => runesOf(bytesOf(each)).map(characterOf).join('') === each));
});

test('a text is turned around by characters', () => {
  fc.assert(fc.property(text, (each) => textOf(reversed(bytesOf(each))) === Array.from(each).reverse().join('')));
});

test('half a character is no text', () => {
  expect(textOf('\xc3')).toBeUndefined();
  expect(runesOf('\xc3a')).toEqual(['\xc3', 'a']);
  expect(characterOf('\xc3')).toBe('\ufffd');
  expect(reversed('\xc3a')).toBe(`a${bytesOf('\ufffd')}`);
});
