import { describe, expect, it } from '@jest/globals';
import {
  childName,
  defaultReleaseName,
  destinationKey,
  filesName,
  labelValue,
} from '../../../../controllers/application/model/names.js';
import { shortHash } from '../../../../controllers/runtime/pure/short-hash.js';

const key = { kind: 'HelmRelease', cluster: '', storageNamespace: 'prod', releaseName: 'web' } as const;

describe('names', () => {
  it('keep the same hash for ever', () => {
    expect(childName('web', 'eu-prod', key)).toBe(`web-eu-prod-${shortHash('["","prod","web"]')}`);
  });

  it.each([
    ['a long application', 'a'.repeat(80), 'prod'],
    ['dots', 'my.web.app', 'prod'],
    ['a cut on a hyphen', `${'a'.repeat(41)}-b`, 'prod'],
    ['a long destination', 'web', 'n'.repeat(200)],
  ])('are short and DNS-1123 for %s', (_, app, destination) => {
    const name = childName(app, destination, key);
    expect(name.length).toBeLessThanOrEqual(53);
    expect(name).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
  });

  it('differ when only the secret, the storage or the release differs', () => {
    const others = [
      key,
      { ...key, cluster: 'Secret/eu/value' },
      { ...key, storageNamespace: 'x' },
      { ...key, releaseName: 'y' },
    ];
    expect(new Set(others.map((each) => childName('web', 'same', each))).size).toBe(4);
  });

  it('cut a release name as Flux does and a label value to 63 characters', () => {
    expect(defaultReleaseName('web')).toBe('web');
    expect(defaultReleaseName('a'.repeat(54))).toMatch(/^a{40}-[0-9a-f]{12}$/);
    expect(labelValue('a'.repeat(63))).toBe('a'.repeat(63));
    expect(labelValue('a.'.repeat(40))).toMatch(/^[a.]+[a]-[a-z2-7]{10}$/);
    expect(labelValue('a'.repeat(80)).length).toBe(63);
  });

  it('know the destination key as shipped', () => {
    expect(destinationKey(undefined, 'prod')).toBe('prod');
    expect(destinationKey('eu', 'prod')).toBe('eu-prod');
  });

  it('know a destination whose files say their namespace themselves', () => {
    expect([destinationKey(undefined, undefined), destinationKey('eu', undefined)]).toEqual(['host', 'eu']);
  });

  it('tell the entries of one Application apart, and those of two', () => {
    expect([filesName('web', undefined), filesName('web', 'a')]).toEqual(['web', 'web/a']);
    expect(filesName('a'.repeat(80), 'a').length).toBe(65);
  });
});
