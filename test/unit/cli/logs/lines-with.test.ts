import { expect, it } from '@jest/globals';
import { linesWith, prefixOf, type LineOptions } from '#cli/inspect/logs.js';

async function* chunksOf(...parts: readonly (string | Buffer)[]): AsyncGenerator<Buffer> {
  for (const part of parts) yield await Promise.resolve(Buffer.from(part));
}

async function textOf(options: LineOptions, ...parts: readonly (string | Buffer)[]): Promise<string> {
  let text = '';
  for await (const piece of linesWith(chunksOf(...parts), options)) text += piece;
  return text;
}

const RAW = { prefix: '', isPlain: false };

it('puts the prefix before each line, however the chunks are cut', async () => {
  expect(await textOf({ prefix: '[a] ', isPlain: false }, 'on', 'e\ntw', 'o\n\nend')).toBe(
    '[a] one\n[a] two\n[a] \n[a] end\n',
  );
});

it('joins characters that were cut', async () => {
  const bytes = Buffer.from('grün\n');
  expect(await textOf(RAW, bytes.subarray(0, 3), bytes.subarray(3))).toBe('grün\n');
});

it('passes everything on to a program, and nothing to a terminal that moves its cursor', async () => {
  const line = 'a\u001b[31mred\u001b[0m\u001b]0;title\u0007\tb\rc\n';
  expect(await textOf(RAW, line)).toBe(line);
  expect(await textOf({ prefix: '', isPlain: true }, line)).toBe('ared\tbc\n');
});

it('does not wait for the end of an endless line', async () => {
  const pieces = linesWith(chunksOf('x'.repeat(70_000), 'y'), RAW);
  expect((await pieces.next()).value).toHaveLength(70_001);
});

it('has no name of a hostile cluster move the cursor, or pretend to be another line', () => {
  expect(prefixOf({ cluster: 'eu', pod: 'a\u001b[2J\n[us b', container: 'c\u009b' })).toBe('[eu a [2J [us b/c] ');
});
