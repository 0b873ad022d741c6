import { expect, test } from '@jest/globals';
import { viewsOf } from '#engine/flux/model/text-views.js';

/** The part of the text that a word of a view stands for; undefined: no view has it. */
function originOf(text: string, word: string): string | undefined {
  for (const { text: viewed, starts, ends } of viewsOf({ text })) {
    const at = viewed.indexOf(word);
    if (at >= 0) return text.slice(starts?.[at] ?? at, ends?.[at + word.length - 1] ?? at + word.length);
  }
  return undefined;
}

test.each<[string, string, string, string | undefined]>([
  ['itself', 'a b c', 'b', 'b'],
  ['an escape', String.raw`say \"x\n\u00e9\x41\"!`, '"x\né' + 'A"', String.raw`\"x\n\u00e9\x41\"`],
  ['no escape', String.raw`C:\dir`, 'C:dir', undefined],
  ['an escape of an escape', String.raw`a\\\"b`, 'a"b', String.raw`a\\\"b`],
  ['a URL', 'at %2Fa%3d1', '/a=1', '%2Fa%3d1'],
  ['a query', '?a=b+c%26', 'b c&', 'b+c%26'],
  ['a string of YAML', "'it''s'", "it's", "it''s"],
  ['a JSON pointer', '/a~1b~0', 'a/b~', 'a~1b~0'],
  ['base64, filled up', `data: ${btoa('a:secret')}.`, 'secret', btoa('a:secret').slice(2)],
  ['base64 behind a path', `/v1/${btoa('secret')}`, 'secret', btoa('secret')],
  ['base64 for URLs', btoa('s>c?et~~').replaceAll('+', '-').replaceAll('/', '_'), 's>c?et~~', 'cz5jP2V0fn4='],
  ['base64 in base64', btoa(`{"auth":"${btoa('u:secret')}"}`), 'secret', expect.any(String) as never],
])('a text stands for %s', (_title, text, word, expected) => {
  expect(originOf(text, word)).toEqual(expected);
});

test('bytes are characters of one byte each', () => {
  expect(originOf('%C3%A9', '\u00C3\u00A9')).toBe('%C3%A9');
});
