import { describe, expect, it } from '@jest/globals';
import { childName, freeChildName } from '#controllers/application/model/destinations/identity.js';
import { shortHash } from '#lib/hash.js';

const key = { kind: 'HelmRelease', cluster: '', storageNamespace: 'prod', releaseName: 'web' } as const;

describe('names of children', () => {
  it('always keep the same hash', () => {
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

  it('are different when they are taken', () => {
    const first = childName('web', 'eu-prod', key);
    const free = freeChildName(['web', 'eu-prod'], key, (name) => name === first);
    expect([freeChildName(['web', 'eu-prod'], key, () => false), free === first]).toEqual([first, false]);
  });
});
