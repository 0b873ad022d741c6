import { describe, expect, test } from '@jest/globals';
import { parseGlob } from '#controllers/source/model/glob.js';
import { cpuMsOf } from '../../../support/cpu-time.js';

describe('parseGlob', () => {
  test.each<[pattern: string, path: string, expected: boolean]>([
    ['*', 'a', true],
    ['*', 'a/b', true],
    ['/*', 'a/b', true],
    ['a*c', 'abbc', true],
    ['a*c', 'ac', true],
    ['a*c', 'a/c', false],
    ['*.md', 'x/y/a.md', true],
    ['*.md', 'a.mdx', false],
    ['a', 'x/a/b', true],
    ['/a', 'x/a', false],
    ['a/b', 'x/a/b', false],
    ['a/', 'a', false],
    ['a/', 'a/b', true],
    ['**', 'a/b/c', true],
    ['**/a', 'a', true],
    ['**/a', 'x/y/a', true],
    ['**/a', 'xa', false],
    ['a/**', 'a/b/c', true],
    ['a/**', 'a', true],
    ['a/**', 'ab', false],
    ['a/**/z', 'a/z', true],
    ['a/**/z', 'a/b/c/z', true],
    ['a/**/z', 'a/bz', false],
    ['**//a', 'a', true],
    ['**//a', 'x/a', false],
    ['a/**//b', 'a/b', true],
    ['a/**//b', 'a/x/b', false],
    ['a//**/b', 'a/x/b', true],
    ['**//', 'a', false],
    ['a?', 'ab', true],
    ['a?', 'a/', false],
    ['[a-c]', 'b', true],
    ['[!a-c]', 'b', true],
    ['[^a-c]', 'b', false],
    ['[^a-c]', 'd', true],
    ['[^a]b', '/b', false],
    ['a**', 'ab', true],
    ['/a**', 'ab', false],
    ['?', 'ü', true],
    ['[]]', ']', false],
    ['[\\]]', ']', true],
    ['[a-]', '-', false],
    ['[a', '[a', false],
    ['a.b', 'axb', false],
    ['a+', 'aa', false],
    ['\\*', '*', true],
    ['\\*', 'a', false],
    ['a\\', 'a\\', false],
  ])('%s on %s: %s', (pattern, path, expected) => expect(parseGlob(pattern)(path)).toBe(expected));

  test('a matcher remembers nothing of the path before', () => {
    const matches = parseGlob('a/**/z');
    expect(['a/z', 'b/z', 'a/b/z', 'a/b'].map(matches)).toEqual([true, false, true, false]);
  });

  test('time grows with the product of pattern and path, not with choices', () => {
    const hostile = (): void => expect(parseGlob(`${'a*'.repeat(100)}b`)('a'.repeat(500))).toBe(false);
    expect(cpuMsOf(hostile)).toBeLessThan(1_000);
  });
});
