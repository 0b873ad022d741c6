import { describe, expect, it } from '@jest/globals';
import type { ClusterGrantSpec } from '#api/v1alpha1/cluster-grant.js';
import { grantsCluster, grantsNamespace, grantViolation, readGrants } from '#controllers/cluster/model/grant.js';
import { clusterGrant, kubeSphere, secretCluster } from './builders.js';

const NAMES = { names: [{ kind: 'Cluster', name: 'eu' }] } as const;
const EDGE = { matchLabels: { tier: 'edge' } };

describe('a grant is rejected', () => {
  it.each<[string, Partial<ClusterGrantSpec>, string, RegExp]>([
    ['that chooses no clusters', { clusters: {} }, 'SelectionMissing', /^spec.clusters: set names, selector or both/],
    ['that chooses no namespaces', { namespaces: { names: [] } }, 'SelectionMissing', /^spec.namespaces: set/],
    ['with an empty selector', { clusters: { selector: {} } }, 'InvalidSelector', /^spec.clusters.selector: is empty/],
    [
      'with one of empty maps',
      { namespaces: { selector: { matchLabels: {}, matchExpressions: [] } } },
      'InvalidSelector',
      /^spec.namespaces.selector: is empty/,
    ],
    [
      'with In without values',
      { clusters: { selector: { matchExpressions: [{ key: 'a', operator: 'In' }] } } },
      'InvalidSelector',
      /matchExpressions\[0\].values: In needs values/,
    ],
    [
      'with namespaces for a selector that is missing',
      { clusters: { ...NAMES, names: [...NAMES.names], namespaces: ['a'] } },
      'InvalidSelector',
      /^spec.clusters.namespaces/,
    ],
    [
      'with a name that is no reference',
      { clusters: { names: [{ kind: 'Secret', name: 'eu' }] } },
      'InvalidReference',
      /^spec.clusters.names\[0\].namespace: is missing/,
    ],
    ['with * and a name', { targetNamespaces: ['*', 'web'] }, 'InvalidTargetNamespace', /^spec.targetNamespaces/],
    [
      'with a ServiceAccount and SharedCredential',
      { credential: 'SharedCredential' },
      'CredentialUnclear',
      /^spec.serviceAccount: has no effect/,
    ],
  ])('%s', (_title, spec, reason, message) => {
    const grant = clusterGrant('a', spec);
    expect(grantViolation(grant)).toEqual({ reason, message: expect.stringMatching(message) });
    expect(readGrants([grant])).toEqual([]);
  });

  it('with neither a ServiceAccount nor SharedCredential', () => {
    const grant = clusterGrant('a');
    const { clusters, namespaces, targetNamespaces } = grant.spec;
    const spec = { clusters, namespaces, targetNamespaces };
    expect(grantViolation({ ...grant, spec })?.message).toMatch(/^spec.serviceAccount: is missing/);
    expect(grantViolation({ ...grant, spec: { ...spec, credential: 'SharedCredential' } })).toBeUndefined();
  });
});

it('a grant that is being deleted grants nothing', () => {
  const grant = clusterGrant('a');
  const metadata = { ...grant.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' };
  expect(readGrants([grant, { ...grant, metadata }])).toHaveLength(1);
});

describe('a selector of clusters', () => {
  const edge = { tier: 'edge' };
  const granted = (spec: Partial<ClusterGrantSpec>, cluster: ReturnType<typeof kubeSphere>): boolean => {
    const [grant] = readGrants([clusterGrant('a', spec)]);
    return grant !== undefined && grantsCluster(grant, cluster, 'fairlead-system');
  };
  const selecting = { clusters: { selector: EDGE } };
  const inFleet = { clusters: { selector: EDGE, namespaces: ['fleet'] } };

  it.each([
    ['matches cluster-scoped objects', selecting, kubeSphere('eu', edge), true],
    ['not those with other labels', selecting, kubeSphere('eu', { tier: 'core' }), false],
    ['matches in the namespace of the controller', selecting, secretCluster('fairlead-system', 'eu', edge), true],
    ['not what a tenant labels in a namespace of their own', selecting, secretCluster('shop', 'eu', edge), false],
    ['matches in the namespaces that are listed', inFleet, secretCluster('fleet', 'eu', edge), true],
    ['only there, if there are any', inFleet, secretCluster('fairlead-system', 'eu', edge), false],
    ['and cluster-scoped objects', inFleet, kubeSphere('eu', edge), true],
  ])('%s', (_title, spec, cluster, expected) => expect(granted(spec, cluster)).toBe(expected));

  it('adds to the clusters by name, wherever they are', () => {
    const names = [{ kind: 'Secret' as const, name: 'eu', namespace: 'shop' }];
    expect(granted({ clusters: { names, selector: EDGE } }, secretCluster('shop', 'eu'))).toBe(true);
    expect(granted({ clusters: { names, selector: EDGE } }, secretCluster('fleet', 'eu'))).toBe(false);
  });
});

it('namespaces are chosen by name or by their labels', () => {
  const [grant] = readGrants([clusterGrant('a', { namespaces: { names: ['shop'], selector: EDGE } })]);
  const is = (name: string, labels = {}): boolean => grant !== undefined && grantsNamespace(grant, name, labels);
  expect([is('shop'), is('bank'), is('bank', { tier: 'edge' })]).toEqual([true, false, true]);
});
