import { describe, expect, it } from '@jest/globals';
import { helmRelease } from '#controllers/application/model/backends/helm-release.js';
import { liveReleaseKey, releaseIndexValue } from '#controllers/application/model/destinations/identity.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { legacyChild } from '../builders.js';

describe('the release of a child', () => {
  it.each<[string, Child['spec'], string]>([
    ['is what it says', { releaseName: 'a', storageNamespace: 'b' }, '["","b","a"]'],
    ['has the defaults of Flux', {}, '["","shop","web7x"]'],
    ['has the target namespace in its default name', { targetNamespace: 'prod' }, '["","shop","prod-web7x"]'],
    ['has the cluster', { kubeConfig: { secretRef: { name: 'eu' } } }, '["Secret/eu/value","shop","web7x"]'],
  ])('%s', (_, spec, text) => {
    const key = liveReleaseKey(legacyChild('web7x', 'prod', spec));
    expect(releaseIndexValue('shop', key)).toBe(`shop/${text}`);
  });
});

it('the release that the engine made may be another one than the one that is wanted', () => {
  const child = legacyChild('web7x', 'prod', { releaseName: 'a', storageNamespace: 'b' });
  const made = { ...child, status: { history: [{ name: 'old' }] } };
  expect([helmRelease.madeKey(child), helmRelease.madeKey(made)]).toMatchObject([
    undefined,
    { storageNamespace: 'b', releaseName: 'old' },
  ]);
});
