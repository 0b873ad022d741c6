import { describe, expect, test } from '@jest/globals';
import { compareVersions, parseVersion } from '#lib/semver/version.js';

describe('a version is read as Helm reads it', () => {
  test.each([
    ['1.2.3', [1n, 2n, 3n, '', '']],
    ['v1.2', [1n, 2n, 0n, '', '']],
    ['1', [1n, 0n, 0n, '', '']],
    ['01.2.3', [1n, 2n, 3n, '', '']],
    ['1.2.3-rc.1+build.5', [1n, 2n, 3n, 'rc.1', 'build.5']],
    ['1.2.3--x', [1n, 2n, 3n, '-x', '']],
    ['20240101123456789.0.0', [20240101123456789n, 0n, 0n, '', '']],
  ])('%s', (text, [major, minor, patch, prerelease, metadata]) => {
    expect(parseVersion(text)).toEqual({ major, minor, patch, prerelease, metadata });
  });

  test.each([
    '',
    'latest',
    '1.2.3.4',
    '1.2.3-',
    '1.2.3-01',
    'V1',
    '1.2.3+',
    ' 1.2.3',
    '18446744073709551616.0.0',
    `1.${'0'.repeat(256)}`,
  ])('%j is none', (text) => expect(parseVersion(text)).toBeUndefined());
});

test('versions are ordered as semver.org orders them, numbers as numbers', () => {
  const ordered = [
    '1.0.0-1',
    '1.0.0-2',
    '1.0.0-10',
    '1.0.0-alpha',
    '1.0.0-alpha.1',
    '1.0.0-alpha.beta',
    '1.0.0',
    '1.0.1',
    '1.2.0',
    '1.10.0',
  ];
  const shuffled = [...ordered].reverse().sort((a, b) => compareVersions(parseVersion(a)!, parseVersion(b)!));
  expect(shuffled).toEqual(ordered);
});
