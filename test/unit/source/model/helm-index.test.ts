import { describe, expect, test } from '@jest/globals';
import { findChart, isExpectedDigest, wantedChart } from '#controllers/source/model/choose-version.js';
import { canonicalIndex, chartIndex } from '#controllers/source/helmrepository/model/kept-index.js';

const INDEX = chartIndex({
  web: [
    { name: 'web', version: '1.2.0', urls: ['web-1.2.0.tgz'], digest: 'ab' },
    { name: 'web', version: '1.10.0', urls: ['web-1.10.0.tgz'] },
    { name: 'web', version: '2.0.0-rc.1', urls: ['web-2.0.0-rc.1.tgz'] },
    { name: 'web', version: 'bad', urls: ['x'] },
    { version: '3.0.0', urls: ['web-3.0.0.tgz'] },
    null,
  ],
  unnamed: [{ version: '1.0.0', urls: ['x'] }],
  broken: 'text',
  empty: [],
});

describe('a chart is found by name and version', () => {
  test.each([
    ['*', '1.10.0'],
    ['', '1.10.0'],
    ['^1.2', '1.10.0'],
    ['1.2.0', '1.2.0'],
    ['2.0.0-rc.1', '2.0.0-rc.1'],
    ['>1.0.0-0', '2.0.0-rc.1'],
  ])('%j', (wanted, version) =>
    expect(findChart(INDEX, wantedChart({ chart: 'web', version: wanted }))).toMatchObject({ entry: { version } }),
  );

  test.each([
    ['api', '*', "no chart 'api' found: the repository has web; correct spec.chart"],
    ['empty', '*', "no chart 'empty' found"],
    ['web', '3.0.0', 'the entry of version 3.0.0 is skipped, as by helm, because it has no name; correct spec.version'],
    ['web', '>2', 'the entry of version 3.0.0 is skipped'],
    [
      'unnamed',
      '*',
      "no chart 'unnamed' found: the entry of version 1.0.0 is skipped, as by helm, because it has no name",
    ],
    ['web', '^9', "no 'web' chart with version matching '^9' found: the versions are 2.0.0-rc.1, 1.10.0, 1.2.0"],
    ['web', 'newest', 'spec.version "newest" is neither a valid version nor a valid semver range'],
  ])('%s %s: the problem names the way out', (chart, wanted, problem) => {
    expect(findChart(INDEX, wantedChart({ chart, version: wanted }))).toMatchObject({
      problem: expect.stringContaining(problem),
    });
  });

  test('a long offer is cut', () => {
    const many = chartIndex(
      Object.fromEntries(
        Array.from({ length: 30 }, (_, at) => [`chart-${at}`, [{ name: 'x', version: '1.0.0', urls: ['x'] }]]),
      ),
    );
    expect(findChart(many, wantedChart({ chart: 'x' }))).toMatchObject({
      problem: expect.stringContaining('and 20 more'),
    });
  });

  test('`__proto__` is a name like any other', () => {
    expect(findChart(INDEX, wantedChart({ chart: '__proto__' }))).toHaveProperty('problem');
    expect(findChart(INDEX, wantedChart({ chart: 'constructor' }))).toHaveProperty('problem');
  });
});

test.each<[string, Record<string, unknown>, string | undefined]>([
  ['a name with a path', { name: 'a/web' }, 'its name "a/web" is none'],
  ['a name that is no text', { name: 5 }, 'it has no name'],
  ['a type that there is not', { type: 'theme' }, 'its type is neither application nor library'],
  ['an empty maintainer', { maintainers: [null] }, 'a maintainer is empty'],
  ['an empty dependency', { dependencies: [null] }, 'a dependency is empty'],
  ['an alias that is none', { dependencies: [{ name: 'db', alias: 'a.b' }] }, 'the alias of a dependency is none'],
  ['all that there may be', { type: 'library', maintainers: [{}], dependencies: [{ alias: 'a-B_1' }, {}] }, undefined],
  ['another name than its list', { name: 'site' }, undefined],
  ['one dependency twice', { dependencies: [{ name: 'db' }, { name: 'db' }] }, undefined],
])('an entry with %s', (_title, fields, problem) => {
  const index = chartIndex({ web: [{ name: 'web', version: '1.0.0', urls: ['x'], ...fields }] });
  const found = findChart(index, wantedChart({ chart: 'web' }));
  const skipped = `: the entry of version 1.0.0 is skipped, as by helm, because ${problem ?? ''}`;
  expect('problem' in found ? found.problem : undefined).toEqual(
    problem === undefined ? undefined : expect.stringContaining(skipped),
  );
});

describe('what is kept of an index', () => {
  const entry = { name: 'web', version: '1.0.0', urls: ['a'] };

  test('no time', () => {
    const made = (time: string) =>
      canonicalIndex({ apiVersion: 'v1', generated: time, entries: { web: [{ ...entry, created: time }] } });
    expect(made('2026-01-01')).toEqual({ apiVersion: 'v1', entries: { web: [entry] } });
    expect(made('2026-01-01')).toEqual(made('2026-01-02'));
  });

  test.each([
    ['newest first', ['2026-01-01T00:00:00Z', '2026-06-01T00:00:00.5-06:00'], '1.0.0+2'],
    ['in any order', ['2026-06-01T00:00:00Z', '2026-01-01T00:00:00Z'], '1.0.0+1'],
    ['newest by nanoseconds', ['2026-06-01T00:00:00.123456Z', '2026-06-01T00:00:00.123456001Z'], '1.0.0+2'],
    ['the first of one time', ['2026-06-01T00:00:00Z', '2026-06-01T00:00:00Z'], '1.0.0+1'],
    ['a time before none', [undefined, '2026-06-01T00:00:00Z'], '1.0.0+2'],
  ])('versions that differ in build metadata alone: %s', (_title, times, expected) => {
    const versions = times.map((created, at) => ({ name: 'web', version: `1.0.0+${at + 1}`, urls: ['x'], created }));
    const older = { name: 'web', version: '0.9.0', urls: ['x'], created: '2026-07-01T00:00:00Z' };
    const kept = canonicalIndex({ apiVersion: 'v1', entries: { web: [older, ...versions, null] } });
    expect(findChart(chartIndex(kept?.entries ?? {}), wantedChart({ chart: 'web' }))).toMatchObject({
      entry: { version: expected },
    });
    expect(kept?.entries['web']).toHaveLength(4);
    expect(canonicalIndex(kept)).toEqual(kept);
  });

  test('a repository without charts is one', () => {
    expect(canonicalIndex({ apiVersion: 'v1' })).toEqual({ apiVersion: 'v1', entries: {} });
  });

  test.each([null, 'text', [], {}, { entries: {} }, { apiVersion: 'v1', entries: [] }])('%j is no index', (value) =>
    expect(canonicalIndex(value)).toBeUndefined(),
  );
});

test('a digest is compared without prefix and case; without one everything fits', () => {
  expect(isExpectedDigest({ version: '1.0.0', urls: [], digest: 'sha256:AB' }, 'ab')).toBe(true);
  expect(isExpectedDigest({ version: '1.0.0', urls: [], digest: 'ab' }, 'cd')).toBe(false);
  expect(isExpectedDigest({ version: '1.0.0', urls: [] }, 'cd')).toBe(true);
});
