import { describe, expect, test } from '@jest/globals';
import { sourceIgnore } from '#controllers/source/model/ignore.js';
import { cpuMsOf } from '../../../support/cpu-time.js';

describe('patterns mean what they mean to Flux', () => {
  test.each([
    ['*.md', 'a.md', true],
    ['*.md', 'docs/a.md', true],
    ['/*.md', 'docs/a.md', false],
    ['docs', 'docs/a/b.txt', true],
    ['docs', 'docs.txt', false],
    ['docs/', 'docs/a.txt', true],
    ['docs/', 'docs', false],
    ['docs/', 'x/docs/a.txt', true],
    ['/docs/', 'x/docs/a.txt', false],
    ['a/b', 'a/b/c', true],
    ['a/b', 'x/a/b', false],
    ['**/b', 'a/b', true],
    ['**/b', 'b', true],
    ['**/b', 'ab', false],
    ['a/**/b', 'a/b', true],
    ['a/**/b', 'a/x/y/b', true],
    ['a/**/b', 'a/xb', false],
    ['a/**', 'a/x/y', true],
    ['a/**', 'a', true],
    ['a?c', 'abc', true],
    ['a?c', 'a/c', false],
    ['[a-c].txt', 'b.txt', true],
    ['[^a-c].txt', 'b.txt', false],
    ['[^a-c].txt', 'd.txt', true],
    ['\\#x', '#x', true],
    ['\\!x', '!x', true],
    ['# x', '# x', false],
    ['a\\*', 'a*', true],
    ['a\\*', 'ab', false],
    ['a.b', 'axb', false],
    ['trail  ', 'trail', true],
    ['[z', '[z', false],
  ])('%j on %s: %s', (pattern, path, expected) => {
    expect(sourceIgnore(pattern, [])(path)).toBe(expected);
  });

  test('the last pattern wins', () => {
    const ignore = sourceIgnore('/*\n!/deploy\n/deploy/secret.yaml', []);
    expect(['a', 'x/y', 'deploy/a.yaml', 'deploy/secret.yaml'].map(ignore)).toEqual([true, true, false, true]);
  });

  test('a long pattern counts like any other, and costs little', () => {
    const ignore = sourceIgnore(`/${'[ab]'.repeat(20_000)}/x\n/${'d/'.repeat(1_000)}x`, []);
    const cost = cpuMsOf(() => {
      for (let count = 0; count < 100; count += 1) expect(ignore(`${'d/'.repeat(1_000)}x`)).toBe(true);
      expect(ignore(`${'a'.repeat(250)}/x`)).toBe(false);
    });
    expect(cost).toBeLessThan(2_000);
  });

  test('a pattern that is built to take minutes is matched at once', () => {
    const cost = cpuMsOf(() => {
      expect(sourceIgnore(`${'*a'.repeat(60)}b`, [])('a'.repeat(250))).toBe(false);
      expect(sourceIgnore(`${'**/a/'.repeat(60)}b`, [])('a/'.repeat(120))).toBe(false);
    });
    expect(cost).toBeLessThan(1_000);
  });
});

describe('what stays out of an artifact', () => {
  test.each(['.git/config', '.gitignore', 'a/.gitmodules'])('%s unless it is taken back in', (path) => {
    expect(sourceIgnore('*.md', [])(path)).toBe(true);
    expect(sourceIgnore('!.git/\n!.gitignore\n!.gitmodules', [])(path)).toBe(false);
  });

  test.each(['logo.png', 'a/b.tar.gz', '.github/workflows/ci.yml', 'a/.sops.yaml'])('%s by default', (path) => {
    expect(sourceIgnore(undefined, [])(path)).toBe(true);
  });

  test.each([
    ['spec.ignore without a pattern is as none', '# nothing\n\n', [], true],
    ['an ignore file without a pattern is as none', undefined, ['# nothing'], true],
    ['spec.ignore replaces the defaults', 'docs/', [], false],
    ['an ignore file replaces the defaults', undefined, ['docs/'], false],
    ['an ignore file in any folder replaces the defaults', undefined, ['', '*.bak'], false],
  ])('%s', (_title, specIgnore, texts, expected) => {
    const files = texts.map((text, depth) => ({ folder: depth === 0 ? '' : 'a', text }));
    const ignore = sourceIgnore(specIgnore, files);
    expect(['chart/files/data.zip', 'icon.png', '.github/ci.yml'].map(ignore)).toEqual([expected, expected, expected]);
    expect(ignore('.gitignore')).toBe(true);
  });

  test.each(['Chart.yaml', 'deploy/app.yaml', '.helmignore', 'a/github/x'])('%s never by default', (path) => {
    expect(sourceIgnore(undefined, [])(path)).toBe(false);
  });

  test('ignore files count below their folder, deeper ones later, spec.ignore last', () => {
    const files = [
      { folder: 'a/b', text: '!keep.txt' },
      { folder: '', text: '*.txt' },
    ];
    const ignore = sourceIgnore('/a/b/keep.txt.bak', files);
    expect(['x.txt', 'a/keep.txt', 'a/b/keep.txt', 'a/b/keep.txt.bak'].map(ignore)).toEqual([true, true, false, true]);
    expect(sourceIgnore('*.txt', files)('a/b/keep.txt')).toBe(true);
  });
});
