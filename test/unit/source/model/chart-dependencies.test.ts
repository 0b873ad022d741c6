import { describe, expect, test } from '@jest/globals';
import {
  dependenciesOf,
  dependencyPlace,
  missingDependencies,
  repositoryKey,
  shownDependency,
  type Dependency,
} from '#controllers/source/helmchart/model/dependencies.js';

function dependency(name: string, fields: Partial<Dependency> = {}): Dependency {
  return { name, version: '1.x', repository: 'https://h/charts', ...fields };
}

describe('a chart depends on', () => {
  const chart = { dependencies: [dependency('web')] };
  test.each([
    ['what Chart.yaml names', { chart }, ['web']],
    ['nothing', { chart: {} }, []],
    [
      'what requirements.yaml names in its place',
      { chart, requirements: { dependencies: [dependency('db')] } },
      ['db'],
    ],
    ['Chart.yaml, if requirements.yaml names none', { chart, requirements: {} }, ['web']],
    ['what a lock names', { chart, lock: { dependencies: [dependency('db')] } }, ['db']],
    ['nothing by an empty lock', { chart, lock: { digest: 'x' } }, []],
    ['Chart.yaml, if the lock is an empty file', { chart, lock: null }, ['web']],
    ['what has keys like those of objects', { chart: { dependencies: [dependency('__proto__')] } }, ['__proto__']],
  ])('%s', (_title, files, names) => {
    const found = dependenciesOf(files);
    expect('problem' in found ? found : found.map(({ name }) => name)).toEqual(names);
  });

  test('a version that is a number is text', () => {
    expect(dependenciesOf({ chart: { dependencies: [{ name: 'web', version: 2 }] } })).toEqual([
      { name: 'web', version: '2', repository: '' },
    ]);
  });

  test.each([
    ['has a dependency without a name', [{ version: '1' }]],
    ['has a dependency without a name', ['web']],
    ['has more than 100 dependencies', Array.from({ length: 101 }, () => dependency('web'))],
  ])('%s', (problem, dependencies) => expect(dependenciesOf({ chart: { dependencies } })).toEqual({ problem }));
});

describe('missing is', () => {
  const [web, db] = [dependency('web'), dependency('db')];
  test.each<[string, Dependency[], string[], Dependency[]]>([
    ['what charts/ has not', [web, db], ['web'], [db]],
    ['nothing when charts/ has more', [web], ['web', 'db'], []],
    ['once what is used by two aliases', [web, web], [], [web]],
  ])('%s', (_title, wanted, present, expected) =>
    expect(missingDependencies(wanted, new Set(present))).toEqual(expected),
  );
  test('neither of two versions of one chart', () => {
    expect(missingDependencies([web, dependency('web', { version: '2.x' })], new Set())).toEqual({
      problem:
        'the dependency "web" is needed in two versions, and a packaged chart holds only one: copy the other into charts/ under another name',
    });
  });
});

describe('a dependency of the chart in charts/app is', () => {
  test.each([
    ['', { kind: 'folder', parts: ['charts', 'app', 'charts', 'web'] }],
    ['file://../common', { kind: 'folder', parts: ['charts', 'common'] }],
    ['file://common/', { kind: 'folder', parts: ['charts', 'app', 'common'] }],
    ['file://../../../../etc', { kind: 'folder', parts: ['etc'] }],
    ['file:///etc', { kind: 'folder', parts: ['charts', 'app', 'etc'] }],
    ['https://h/charts', { kind: 'index', url: 'https://h/charts' }],
    ['oci://h/charts', { kind: 'registry', url: 'oci://h/charts' }],
    ['@stable', { problem: expect.stringMatching(/^its repository "@stable" is a name that only/) }],
    ['alias:stable', { problem: expect.stringMatching(/^its repository "alias:stable" is a name that only/) }],
    ['https://user:secret@h', { problem: 'its repository is not an http(s), oci or file URL without credentials' }],
    [
      'oci://user:secret@h/charts',
      { problem: expect.stringMatching(/^its repository is not .* without credentials$/) },
    ],
    ['oci://h/charts?token=secret', { problem: expect.stringMatching(/^its repository is not/) }],
    ['git+https://h', { problem: expect.stringMatching(/^its repository is not/) }],
  ])('by %j at %j', (repository, place) =>
    expect(dependencyPlace(dependency('web', { repository }), ['charts', 'app'])).toEqual(place),
  );
});

test.each([
  ['https://h/charts', 'https://h/charts///', true],
  ['https://h', 'https://H:443/', true],
  ['oci://h/charts', 'oci://h/charts/', true],
  ['https://h/charts', 'http://h/charts', false],
  ['https://h/charts', 'https://h/charts?x', false],
  ['https://h/charts', 'https://h/Charts', false],
])('%s is %s: %s', (one, other, same) => expect(repositoryKey(one) === repositoryKey(other)).toBe(same));

test('what is no URL is no repository', () => expect(repositoryKey('nonsense')).toBeUndefined());

test('a long name is shown in part', () => {
  expect(shownDependency(dependency('x'.repeat(10_000))).length).toBeLessThan(250);
});
