import { describe, expect, it } from '@jest/globals';
import { clusterIdOf, clusterNameOf } from '#controllers/application/model/child/cluster.js';
import { desiredChild } from '#controllers/application/model/children/desired.js';
import { application, deploy, entriesOf } from '../builders.js';
import { inventory, own, selecting } from './builders.js';

describe('the cluster of a child', () => {
  const app = application([selecting({ env: 'prod' }), deploy('web', 'raw')]);
  const clusters = inventory([own('eu', { env: 'prod' })]);
  const [eu, raw] = entriesOf(app, clusters).map((entry) => desiredChild(app, entry, undefined).object);

  it('is known by its annotation, and has a label for selectors', () => {
    expect(clusterIdOf(eu!)).toBe('/Secret/shop/eu');
    expect(clusterNameOf(eu!)).toBe('eu');
    expect(eu!.metadata.labels).toMatchObject({ 'gitops.kubesphere.io/cluster-name': 'eu' });
  });

  it('is that of its kubeconfig if the inventory does not provide it', () => {
    expect(clusterIdOf(raw!)).toBeUndefined();
    expect(clusterNameOf(raw!)).toBe('raw');
  });
});
