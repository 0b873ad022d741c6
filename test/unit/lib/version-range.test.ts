import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isInRange, isVersionRange, latestMatching, parseVersionRange } from '#lib/semver/version-range.js';
import { compareVersions, parseVersion } from '#lib/semver/version.js';
import { cpuMsOf } from '../../support/cpu-time.js';

function matches(range: string, version: string): boolean | undefined {
  const [parsedRange, parsedVersion] = [parseVersionRange(range), parseVersion(version)];
  return parsedRange && parsedVersion && isInRange(parsedVersion, parsedRange);
}

describe('a version range accepts what Masterminds accepts', () => {
  test.each<[string, string[], string[]]>([
    ['*', ['1.2.3'], ['1.2.3-rc.1']],
    ['', ['1.2.3'], []],
    ['x', ['0.0.1'], []],
    ['*-0', ['1.2.3-rc.1'], []],
    ['1.2.3', ['1.2.3', '1.2.3+build'], []],
    ['=1.2.3', ['v1.2.3'], []],
    ['1.2', ['1.2.9'], ['1.3.0']],
    ['1.x', ['1.9.0'], ['2.0.0']],
    ['1.2.x', ['1.2.7'], []],
    ['~1.2.3', ['1.2.9'], ['1.3.0']],
    ['~1', ['1.9.9'], []],
    ['~>1.2', ['1.2.5'], []],
    ['^1.2.3', ['1.9.0'], ['2.0.0']],
    ['^0.2.3', ['0.2.9'], ['0.3.0']],
    ['^0.0.3', ['0.0.3'], ['0.0.4']],
    ['^0.0', ['0.0.9'], []],
    ['^0', ['0.9.9'], ['1.0.0']],
    ['1.2 - 1.4.5', ['1.4.5'], ['1.4.6']],
    ['1.2 - 3', ['3.9.9'], []],
    ['>=1.0.0, <2.0.0', ['1.5.0'], []],
    ['>=1.0.0 <2.0.0', [], ['2.0.0']],
    ['>= 1.0.0  < 2.0.0', ['1.5.0'], []],
    ['=>1.0', ['1.5.0'], []],
    ['=<1.0', ['1.0.0'], []],
    ['!=1.2.3', ['1.2.4'], ['1.2.3']],
    ['!=1.2', [], ['1.2.4']],
    ['!=1', ['2.0.0'], ['1.2.4']],
    ['>1', ['2.0.0'], ['1.9.0']],
    ['>1.2', ['1.3.0'], ['1.2.9']],
    ['<=1', ['1.9.0'], []],
    ['<=1.2', ['1.2.9'], []],
    ['<1.2', [], ['1.2.0']],
    ['~1.2 || ^3', ['3.4.5'], []],
    ['1.0.0 || 2.0.0', [], ['1.5.0']],
    ['>=1.0.0', [], ['1.2.3-beta']],
    ['>=1.0.0-0', ['1.2.3-beta'], []],
    ['>=1.0.0-0, <2.0.0', ['1.2.3-beta'], []],
    ['>=1.0.0-0 || <0.1.0', [], ['0.0.5-rc']],
    ['<2.0.0-beta', ['2.0.0-alpha'], []],
    ['v1.2.3', ['1.2.3'], []],
    ['5.*', ['5.1.0'], ['6.0.0']],
    ['1.2.3-rc.1', ['1.2.3-rc.1'], ['1.2.3']],
    ['>=1.2 <2', ['1.2.0'], ['2.0.0']],
  ])('%j accepts %j and not %j', (range, accepted, others) => {
    expect(isVersionRange(range)).toBe(true);
    expect(accepted.map((version) => matches(range, version))).toEqual(accepted.map(() => true));
    expect(others.map((version) => matches(range, version))).toEqual(others.map(() => false));
  });
});

describe('what is not a range is refused', () => {
  test.each([
    'latest',
    '>=',
    '1.2.3,',
    '1.2.3 ||',
    '|| 1',
    '1.2.3.4',
    '>> 1',
    '1.0.0 beta',
    'a1',
    '1.0 - ',
    '^^1',
    '1'.repeat(513),
    // npm accepts these:
    ...['1.2.3 || ', '|| 1.2', '== 1.2', '1.2.3beta', '1.2.3-rc.01', '<1.2.3 >', '1.2.3 -2.3'],
    ...['one', '>', 'v'],
  ])('%j', (text) => {
    expect(parseVersionRange(text)).toBeUndefined();
    expect(isVersionRange(text)).toBe(false);
  });

  test('a range that a regular expression would take minutes for is rejected at once', () => {
    const cost = cpuMsOf(() => {
      expect(parseVersionRange(`${'1 , '.repeat(127)}!`)).toBeUndefined();
      expect(parseVersionRange(`1${' '.repeat(500)}!`)).toBeUndefined();
    });
    expect(cost).toBeLessThan(1_000);
  });
});

describe('the newest version in a range', () => {
  const all = parseVersionRange('*')!;

  test('wins by semver order, whatever the order of the list', () => {
    expect(latestMatching(['1.10.0', '1.9.0', '1.2.0'], all)).toEqual(['1.10.0']);
    expect(latestMatching(['1.2.0', '1.9.0', '1.10.0'], all)).toEqual(['1.10.0']);
  });

  test('is the text as it was given', () => expect(latestMatching(['v1.2'], all)).toEqual(['v1.2']));
  test('is no prerelease unless asked for', () => {
    expect(latestMatching(['1.0.0', '2.0.0-rc.1'], all)).toEqual(['1.0.0']);
    expect(latestMatching(['1.0.0', '2.0.0-rc.1'], parseVersionRange('>0.0.0-0')!)).toEqual(['2.0.0-rc.1']);
  });
  test('is all that differ in build metadata alone', () =>
    expect(latestMatching(['1.0.0+2', '0.9.0', '1.0.0+1', 'v1'], all)).toEqual(['1.0.0+2', '1.0.0+1', 'v1']));
  test('passes over what is no version', () => expect(latestMatching(['main', '', '1.0.0'], all)).toEqual(['1.0.0']));
  test('is missing when nothing matches', () =>
    expect(latestMatching(['1.0.0'], parseVersionRange('^2')!)).toEqual([]));
});

const versions = fc
  .tuple(fc.nat(3), fc.nat(3), fc.nat(3), fc.constantFrom('', '-a', '-a.1', '-a.b', '-1', '-2', '-10', '-rc.1'))
  .map(([major, minor, patch, pre]) => `${major}.${minor}.${patch}${pre}`);

describe('laws', () => {
  const at = (text: string) => parseVersion(text)!;

  test('order is total and antisymmetric', () => {
    fc.assert(
      fc.property(versions, versions, (a, b) => {
        expect(compareVersions(at(a), at(b)) + compareVersions(at(b), at(a))).toBe(0);
        expect(compareVersions(at(a), at(b)) === 0).toBe(a === b);
      }),
    );
  });

  test('order is transitive', () => {
    fc.assert(
      fc.property(fc.array(versions, { minLength: 3, maxLength: 3 }), (three) => {
        const [a, b, c] = three.map(at).sort(compareVersions);
        expect(compareVersions(a!, c!)).toBeLessThanOrEqual(0);
        expect(compareVersions(a!, b!)).toBeLessThanOrEqual(0);
      }),
    );
  });

  test('= and != exclude each other for releases; >= is > or =', () => {
    fc.assert(
      fc.property(versions, versions, (wanted, version) => {
        const range = (operator: string) => matches(`${operator}${wanted}`, version);
        if (version.includes('-') && !wanted.includes('-')) return;
        expect(range('=')).toBe(!range('!='));
        expect(range('>=')).toBe(range('>')! || range('=')!);
        expect(range('<')).toBe(!range('>='));
      }),
    );
  });

  test('no text throws', () => {
    const text = fc.stringMatching(/^[0-3.*xX+ ,|<>=!~^va-]{0,40}$/);
    fc.assert(fc.property(text, (range) => void parseVersionRange(range)));
  });
});
