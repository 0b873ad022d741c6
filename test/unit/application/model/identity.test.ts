import { describe, expect, it } from '@jest/globals';
import {
  clusterLabel,
  clusterText,
  releaseKeyText,
  type ClusterReference,
  type ReleaseKey,
} from '../../../../controllers/application/model/identity.js';

const secret = (name: string, key?: string): ClusterReference => ({
  secretRef: { name, ...(key === undefined ? {} : { key }) },
});

describe('a cluster', () => {
  it.each<[string, ClusterReference | undefined, string, string]>([
    ['the host', undefined, '', 'host'],
    ['an empty reference', {}, '', 'host'],
    ['a Secret', secret('eu'), 'Secret/eu/value', 'eu'],
    ['a Secret and the key that is the default', secret('eu', 'value'), 'Secret/eu/value', 'eu'],
    ['a Secret and another key', secret('eu', 'admin'), 'Secret/eu/admin', 'eu'],
    ['a ConfigMap', { configMapRef: { name: 'eu' } }, 'ConfigMap/eu', 'eu'],
  ])('given by %s has one text and one label', (_, reference, text, label) => {
    expect([clusterText(reference), clusterLabel(reference)]).toEqual([text, label]);
  });
});

describe('a release key', () => {
  it('has another text when a part moves over its border', () => {
    const kind = 'HelmRelease';
    const keys: ReleaseKey[] = [
      { kind, cluster: 'Secret/a/b', storageNamespace: 'c', releaseName: 'd' },
      { kind, cluster: 'Secret/a', storageNamespace: 'b/c', releaseName: 'd' },
      { kind, cluster: 'Secret/a/b', storageNamespace: 'c","d', releaseName: '' },
    ];
    expect(new Set(keys.map(releaseKeyText)).size).toBe(3);
    expect(releaseKeyText({ ...keys[0]! })).toBe(releaseKeyText(keys[0]!));
  });

  it('is never that of a Helm release and of files', () => {
    const key = { cluster: '', storageNamespace: 'prod', releaseName: 'web' };
    const texts = (['HelmRelease', 'Kustomization'] as const).map((kind) => releaseKeyText({ kind, ...key }));
    expect(texts).toEqual(['["","prod","web"]', '["Kustomization","","prod","web"]']);
  });
});
