import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ClusterGrant } from '#api/v1alpha1/cluster-grant.js';
import { accessOf, permitOfMissing, type AccessView } from '#controllers/cluster/model/access.js';
import type { Cluster } from '#controllers/cluster/model/cluster.js';
import { readGrants } from '#controllers/cluster/model/grant.js';
import { cluster, clusterGrant, kubeSphere, secretCluster } from './builders.js';

function view(...grants: ClusterGrant[]): AccessView {
  return {
    grants: readGrants(grants),
    namespaceLabels: (name) => (name === 'shop' ? { team: 'blue' } : {}),
    controllerNamespace: 'fairlead-system',
  };
}

describe('a namespace may use', () => {
  const elsewhere = { type: 'kubeconfig-secret', namespace: 'kube-system', name: 'admin', key: undefined } as const;
  const profile = { apiGroup: 'multicluster.x-k8s.io', kind: 'ClusterProfile', namespace: 'shop', name: 'eu' } as const;
  const byLabel = clusterGrant('a', { namespaces: { selector: { matchLabels: { team: 'blue' } } } });
  const any = clusterGrant('a', { targetNamespaces: ['*'] });

  it.each([
    ['a cluster of its own', secretCluster('shop', 'eu'), view(), { allowed: true, targetNamespaces: 'any' }],
    [
      'one that is granted to it',
      kubeSphere('eu'),
      view(clusterGrant('a')),
      { allowed: true, grant: 'a', targetNamespaces: ['web'] },
    ],
    [
      'one that is granted to its labels',
      kubeSphere('eu'),
      view(byLabel),
      { allowed: true, grant: 'a', targetNamespaces: ['web'] },
    ],
    [
      'all namespaces of one with *',
      kubeSphere('eu'),
      view(any),
      { allowed: true, grant: 'a', targetNamespaces: 'any' },
    ],
    ['not another one', kubeSphere('us'), view(clusterGrant('a')), { allowed: false }],
    ['not one of another namespace', secretCluster('fleet', 'eu'), view(clusterGrant('a')), { allowed: false }],
    ['not a cluster-scoped one without a grant', kubeSphere('eu'), view(), { allowed: false }],
    [
      'not one described there whose credential is elsewhere',
      cluster(profile, { credential: elsewhere }),
      view(),
      { allowed: false },
    ],
  ])('%s', (_title, seen, from, access) => expect(accessOf(seen, 'shop', from)).toEqual(access));

  it('not what is granted to others', () => {
    expect(accessOf(kubeSphere('eu'), 'bank', view(clusterGrant('a'), byLabel))).toEqual({ allowed: false });
  });
});

it('of several grants the first by name applies, as a whole, in whichever order they come', () => {
  const [first, second] = [
    clusterGrant('a', { targetNamespaces: ['db'] }),
    clusterGrant('b', { targetNamespaces: ['*'] }),
  ];
  for (const grants of [
    [first, second],
    [second, first],
  ]) {
    expect(accessOf(kubeSphere('eu'), 'shop', view(...grants))).toMatchObject({ grant: 'a', targetNamespaces: ['db'] });
  }
});

describe('whatever the grants', () => {
  const name = fc.constantFrom('shop', 'bank', 'fleet', 'fairlead-system');
  const selector = fc.constantFrom(undefined, {}, { matchLabels: { tier: 'edge' } }, { matchLabels: { team: 'blue' } });
  const object = fc.oneof(
    fc.record({ kind: fc.constant('Cluster' as const), name: fc.constantFrom('eu', 'us') }),
    fc.record({ kind: fc.constant('Secret' as const), name: fc.constantFrom('eu', 'us'), namespace: name }),
  );
  const grant = fc
    .record({
      name: fc.constantFrom('a', 'b', 'c'),
      clusters: fc.record({
        names: fc.array(object, { maxLength: 2 }),
        selector,
        namespaces: fc.option(fc.array(name), { nil: undefined }),
      }),
      namespaces: fc.record({ names: fc.array(name, { maxLength: 2 }), selector }),
      credential: fc.constantFrom(undefined, 'SharedCredential' as const),
    })
    .map(({ name: of, ...spec }) => clusterGrant(of, spec as Partial<ClusterGrant['spec']>));
  const seen = fc.oneof(
    fc.constantFrom('eu', 'us').map((of) => kubeSphere(of, { tier: 'edge' })),
    fc.tuple(name, fc.constantFrom('eu', 'us')).map(([of, cluster]) => secretCluster(of, cluster, { tier: 'edge' })),
  );

  /** The rule in other words than the code's, on the raw objects. */
  const mayReach = ({ spec: { clusters } }: ClusterGrant, { id }: Cluster): boolean => {
    const isNamed = clusters.names?.some((each) => each.name === id.name && each.namespace === id.namespace) === true;
    const isTrusted = id.namespace === undefined || (clusters.namespaces ?? ['fairlead-system']).includes(id.namespace);
    return isNamed || (isTrusted && clusters.selector?.matchLabels?.['tier'] === 'edge');
  };
  const mayUse = ({ spec: { namespaces } }: ClusterGrant, namespace: string): boolean =>
    namespaces.names?.includes(namespace) === true ||
    (namespace === 'shop' && namespaces.selector?.matchLabels?.['team'] === 'blue');

  it('a namespace without an own cluster and without a grant of both never gets one', () => {
    fc.assert(
      fc.property(fc.array(grant, { maxLength: 3 }), seen, name, (grants, of, namespace) => {
        const isOwn = of.id.namespace === namespace;
        const isGranted = grants.some((each) => mayReach(each, of) && mayUse(each, namespace));
        const { allowed } = accessOf(of, namespace, view(...grants));
        expect(allowed && !isOwn && !isGranted).toBe(false);
        expect(isOwn && !allowed).toBe(false);
      }),
    );
  });
});

describe('a cluster that is not in the inventory may be used', () => {
  const { id } = kubeSphere('eu');
  const own = secretCluster('shop', 'eu').id;
  const selecting = { clusters: { selector: { matchLabels: { env: 'prod' } } } };
  const labelled = clusterGrant('b', selecting);
  const elsewhere = clusterGrant('a', { namespaces: { names: ['bank'] } });
  const by = (recorded: string | undefined, ...grants: ClusterGrant[]) => ({ id, recorded, grants });
  it.each([
    ['by a grant with its name', by('a', clusterGrant('a')), 'a'],
    ['by another grant with its name', by('gone', clusterGrant('a')), 'a'],
    ['by the grant with the selector that it was given by', by('b', labelled), 'b'],
    ['not by the selector of another grant', by('gone', labelled), undefined],
    ['not by a selector for other namespaces', { ...by('b', labelled), id: secretCluster('x', 'eu').id }, undefined],
    ['not after its grant is gone', by('a'), undefined],
    ['nor for another namespace', by('a', elsewhere), undefined],
    ['nor without a grant if it was of another namespace', by(undefined), undefined],
  ])('%s', (_title, { id: missing, recorded, grants }, expected) =>
    expect(permitOfMissing(missing, recorded, 'shop', view(...grants))?.grant).toBe(expected),
  );

  it('without a grant if it was of the namespace itself', () => {
    expect(permitOfMissing(own, undefined, 'shop', view())?.credential.type).toBe('SharedCredential');
  });
});
