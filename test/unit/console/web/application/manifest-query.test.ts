import { describe, expect, it, test } from '@jest/globals';
import {
  chosenDestination,
  destinationText,
  manifestFile,
  manifestFileName,
  manifestQueryOf,
  manifestSearchOf,
  objectsWith,
} from '#console/web/application/model/manifest-query.js';
import type { DestinationView } from '#queries/answers/application.js';

const object = (kind: string, namespace: string, name: string, more = {}) => ({
  ...{ apiVersion: 'v1', kind, namespace, name, hook: '', yaml: `kind: ${kind}\n`, problem: '' },
  ...more,
});
const OBJECTS = [
  object('ConfigMap', 'app', 'web'),
  object('Namespace', '', 'app'),
  object('Secret', 'app', 'db', { yaml: '', problem: 'too\nlarge' }),
];

describe('the query', () => {
  it('is kept in the URL', () => {
    const query = { child: 'HelmRelease shop/web', search: 'a&b' };
    expect(manifestQueryOf(manifestSearchOf(query))).toEqual(query);
    expect(manifestSearchOf({ child: '', search: '' })).toBe('');
    expect(manifestQueryOf('?other=1')).toEqual({ child: '', search: '' });
  });

  const destinations = [{ child: '' }, { child: 'HelmRelease shop/a' }, { child: 'HelmRelease shop/b' }];

  it.each([
    ['', 'HelmRelease shop/a'],
    ['HelmRelease shop/b', 'HelmRelease shop/b'],
    ['HelmRelease shop/gone', undefined],
  ])('of %j means %j', (child, expected) => {
    expect(chosenDestination(destinations, { child, search: '' })?.child).toBe(expected);
  });

  it('means nothing where nothing is deployed', () => {
    expect(chosenDestination([{ child: '' }], { child: '', search: '' })).toBeUndefined();
  });
});

test.each([
  [{ cluster: 'eu', namespace: 'app', release: 'web', child: 'HelmRelease shop/x' }, 'eu: app/web'],
  [{ cluster: '', namespace: 'app', release: '', child: 'Kustomization shop/x' }, 'unknown: Kustomization shop/x'],
])('%j is %s', (destination, expected) => {
  expect(destinationText(destination as DestinationView)).toBe(expected);
});

test.each([
  ['', 3],
  ['APP/', 2],
  ['namespace app', 1],
  ['gone', 0],
])('%j finds %d objects', (search, found) => {
  expect(objectsWith(search, OBJECTS)).toHaveLength(found);
});

test('a file has all of it, and why the rest is missing, as comments', () => {
  expect(manifestFile({ objects: OBJECTS })).toBe(
    '---\nkind: ConfigMap\n---\nkind: Namespace\n---\n# Secret app/db: too large\n',
  );
});

test.each([
  ['web', 'fleet/eu', 'web-fleet-eu.yaml'],
  ['web', '../..', 'web-..-...yaml'],
  ['w'.repeat(253), 'eu', `${'w'.repeat(100)}.yaml`],
])('the file of %s on %s is %s', (name, cluster, expected) => {
  expect(manifestFileName({ name }, cluster)).toBe(expected);
});
