import { describe, expect, it } from '@jest/globals';
import { clusterLabel, clusterName, clusterText } from '#controllers/application/model/child/cluster.js';
import type { ClusterReference } from '#controllers/application/model/child/types.js';

const secret = (name: string, key?: string): ClusterReference => ({
  secretRef: { name, ...(key === undefined ? {} : { key }) },
});

describe('a cluster', () => {
  it.each<[string, ClusterReference | undefined, string, string | undefined]>([
    ['the host', undefined, '', undefined],
    ['an empty reference', {}, '', undefined],
    ['a Secret', secret('eu'), 'Secret/eu/value', 'eu'],
    ['a Secret and the key that is the default', secret('eu', 'value'), 'Secret/eu/value', 'eu'],
    ['a Secret and another key', secret('eu', 'admin'), 'Secret/eu/admin', 'eu'],
    ['a ConfigMap', { configMapRef: { name: 'eu' } }, 'ConfigMap/eu', 'eu'],
  ])('given by %s has one text and one label', (_, reference, text, label) => {
    expect([clusterText(reference), clusterName(reference)]).toEqual([text, label]);
    expect(clusterLabel(reference)).toBe(label ?? 'host');
  });
});
