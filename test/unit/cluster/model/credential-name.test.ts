import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { credentialName, credentialRefOf, isCredentialName } from '#controllers/cluster/model/credential-name.js';
import { cluster, kubeSphere, secretCluster } from './builders.js';

const CLUSTER_API = { apiGroup: 'cluster.x-k8s.io', kind: 'Cluster', namespace: 'shop', name: 'eu' } as const;
const ARGO = { type: 'argocd-secret', namespace: 'shop', name: 'eu' } as const;
const MADE = expect.stringMatching(/^cluster-eu-[a-z2-7]{10}$/);

describe('a namespace reaches', () => {
  it.each([
    ['a kubeconfig Secret of its own by that Secret', secretCluster('shop', 'eu'), { name: 'eu' }],
    ['a Cluster API cluster of its own by its Secret', cluster(CLUSTER_API), { name: 'eu-kubeconfig' }],
    [
      'an Argo CD Secret of its own by one that is made',
      { ...secretCluster('shop', 'eu'), credential: ARGO },
      { name: MADE },
    ],
    [
      'an Argo CD Secret of its own that was edited to the cluster of Argo CD by the same one',
      { ...secretCluster('shop', 'eu'), credential: { type: 'none', why: 'it is the cluster of Argo CD' } as const },
      { name: MADE },
    ],
    ['a cluster of another namespace by one that is made', secretCluster('fleet', 'eu'), { name: MADE }],
    ['a cluster-scoped one by one that is made', kubeSphere('eu'), { name: MADE }],
    ['the host without any', { ...kubeSphere('eu'), isHost: true }, undefined],
  ])('%s', (_title, seen, ref) => expect(credentialRefOf(seen, 'shop')).toEqual(ref));

  it('a cluster by the same Secret, whatever becomes of the cluster', () => {
    const { id } = cluster(CLUSTER_API);
    const states = [
      cluster(id),
      cluster(id, { credential: { type: 'none', why: 'it has none yet' } }),
      cluster(id, {
        credential: { type: 'kubeconfig-secret', namespace: 'shop', name: 'eu-kubeconfig', key: 'value' },
      }),
    ];
    expect(new Set(states.map((state) => credentialRefOf(state, 'shop')?.name)).size).toBe(1);
    expect(new Set(states.map((state) => credentialRefOf(state, 'other')?.name)).size).toBe(1);
  });
});

describe('the name of a made Secret', () => {
  const name = fc.stringMatching(/^[a-z0-9]([-a-z0-9.]{0,250}[a-z0-9])?$/);
  const id = fc.record({
    apiGroup: fc.constantFrom('', 'cluster.x-k8s.io'),
    kind: fc.constantFrom('Cluster' as const, 'Secret' as const),
    namespace: fc.option(name, { nil: undefined }),
    name,
  });

  it('is a valid name that tells clusters apart', () => {
    fc.assert(
      fc.property(id, id, (one, other) => {
        const made = credentialName(one);
        expect(made).toMatch(/^[a-z0-9]([-a-z0-9.]{0,61}[a-z0-9])$/);
        expect(isCredentialName(made)).toBe(true);
        expect(credentialName(other) === made).toBe(JSON.stringify(one) === JSON.stringify(other));
      }),
    );
  });

  it.each(['cluster-eu', 'eu-abcdefghij', '', 'cluster-' + 'a'.repeat(60) + '-abcdefghij', 'cluster-eu-ABCDEFGHIJ'])(
    'is not %p',
    (other) => expect(isCredentialName(other)).toBe(false),
  );
});
