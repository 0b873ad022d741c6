import { describe, expect, it } from '@jest/globals';
import { namespaceResource, secretResource } from '#api/core.js';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import type { KubeObject } from '#api/meta.js';
import { CREDENTIAL_CLUSTER_ANNOTATION, CREDENTIAL_LABEL } from '#api/v1alpha1/labels.js';
import { ClusterIndex } from '#controllers/cluster/credential/cluster-index.js';
import type { Deps, Referring } from '#controllers/cluster/credential/deps.js';
import {
  BY_CREDENTIAL,
  BY_NAME,
  clusterToKeys,
  countReferences,
  credentialKeys,
  grantToKeys,
  madeNames,
  namespaceToKeys,
  referringToKeys,
  secretToKeys,
} from '#controllers/cluster/credential/mappings.js';
import type { Inventory } from '#controllers/cluster/inventory.js';
import { clusterIdText, type Cluster } from '#controllers/cluster/model/cluster.js';
import { credentialName } from '#controllers/cluster/model/credential-name.js';
import { Store } from '#runtime/cache/store.js';
import { clusterGrant, kubeSphere, secretCluster } from '../model/builders.js';

const [EU, US] = [kubeSphere('eu'), secretCluster('fleet', 'us')];
const [EU_NAME, US_NAME] = [credentialName(EU.id), credentialName(US.id)];

function release(name: string, secret: unknown, namespace = 'shop'): Referring {
  const spec = { kubeConfig: { secretRef: { name: secret } } };
  return { apiVersion: 'v2', kind: 'HelmRelease', metadata: { name, namespace, resourceVersion: '1' }, spec };
}

/** The part of the dependencies that mappings use. */
function deps(clusters: readonly Cluster[] = [EU, US]) {
  const fail = (error: unknown): never => {
    throw error;
  };
  const releases = new Store<Referring>(helmReleaseResource, fail);
  releases.addIndex(BY_CREDENTIAL, credentialKeys);
  const secrets = new Store<KubeObject>(secretResource, fail);
  secrets.addIndex(BY_NAME, madeNames);
  const namespaces = new Store<KubeObject>(namespaceResource, fail);
  for (const name of ['shop', 'bank', 'empty']) {
    namespaces.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, resourceVersion: '1' } });
  }
  const inventory: Inventory = {
    clusters: () => clusters,
    get: () => undefined,
    objectOf: () => undefined,
    lost: [],
    whyUnknown: () => undefined,
  };
  const index = new ClusterIndex(inventory);
  const made = { clusters: index, referring: [releases], secrets, namespaces, controllerNamespace: 'fairlead-system' };
  // The others are not used by mappings.
  return { deps: made as unknown as Deps, releases, secrets };
}

describe('the Secret that an object refers to', () => {
  it.each<[string, unknown]>([
    ['another name', 'member'],
    ['no name', undefined],
    ['an object', { name: EU_NAME }],
    ['a list', [EU_NAME]],
    ['a number', 7],
  ])('is none of ours with %s', (_title, name) => expect(credentialKeys(release('web', name))).toEqual([]));

  it.each<[string, unknown]>([
    ['no spec', undefined],
    ['a spec that is null', null],
    ['a text for kubeConfig', { kubeConfig: 'x' }],
    ['null for secretRef', { kubeConfig: { secretRef: null } }],
  ])('is none with %s', (_title, spec) => {
    expect(credentialKeys({ ...release('web', ''), spec } as Referring)).toEqual([]);
  });

  it('is named with its namespace', () => {
    expect(credentialKeys(release('web', EU_NAME))).toEqual([`shop/${EU_NAME}`]);
  });
});

describe('references', () => {
  it('are news if they are the first or the last one, however many a tenant writes', () => {
    const { deps: all, releases } = deps();
    const keys: string[][] = [];
    releases.onChange((change) => keys.push(referringToKeys(change, all)));
    const key = `shop/${EU_NAME}`;
    for (const name of ['a', 'b', 'c']) releases.put(release(name, EU_NAME));
    releases.put({ ...release('a', US_NAME), metadata: { ...release('a', '').metadata, resourceVersion: '2' } });
    expect(countReferences(key, all)).toBe(2);
    releases.remove(release('b', EU_NAME));
    releases.remove(release('c', EU_NAME));
    expect(keys).toEqual([[key], [], [], [`shop/${US_NAME}`], [], [key]]);
  });
});

describe('credentials are reconciled', () => {
  const { deps: all, releases, secrets } = deps();
  releases.put(release('web', EU_NAME));
  releases.put(release('web', EU_NAME, 'bank'));
  releases.put(release('db', US_NAME));
  const [eu, us] = [[`shop/${EU_NAME}`, `bank/${EU_NAME}`], [`shop/${US_NAME}`]];

  it('when their cluster comes, goes or may be used by others, not when it reports something', () => {
    expect(clusterToKeys(undefined, EU, all)).toEqual(eu);
    expect(clusterToKeys(EU, undefined, all)).toEqual(eu);
    expect(clusterToKeys(EU, { ...EU, labels: { tier: 'edge' } }, all)).toEqual(eu);
    expect(clusterToKeys(EU, { ...EU, credential: { type: 'inline', version: 'uid/2' } }, all)).toEqual(eu);
    const annotations = { 'gitops.kubesphere.io/accept-cluster-uid': 'b' };
    expect(clusterToKeys(EU, { ...EU, annotations }, all)).toEqual(eu);
    expect(clusterToKeys(EU, { ...EU, annotations: { team: 'a' } }, all)).toEqual([]);
    expect(clusterToKeys(EU, { ...EU, readiness: { state: 'NotReady', message: 'x' } }, all)).toEqual([]);
  });

  it('when a grant of their cluster changes, not with its status', () => {
    const grant = clusterGrant('a');
    const other = clusterGrant('a', { clusters: { names: [{ kind: 'Secret', namespace: 'fleet', name: 'us' }] } });
    const later = { ...other, metadata: { ...other.metadata, generation: 2 } };
    expect(grantToKeys({ type: 'added', object: grant }, all)).toEqual(eu);
    expect(grantToKeys({ type: 'deleted', object: grant, previous: grant }, all)).toEqual(eu);
    expect(grantToKeys({ type: 'updated', object: later, previous: grant }, all)).toEqual([...eu, ...us]);
    expect(grantToKeys({ type: 'updated', object: grant, previous: grant }, all)).toEqual([]);
  });

  it('when the labels of their namespace change', () => {
    const shop: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } };
    const labelled = { ...shop, metadata: { ...shop.metadata, labels: { team: 'blue' } } };
    expect(namespaceToKeys({ type: 'updated', object: labelled, previous: shop }, all)).toEqual([eu[0], ...us]);
    expect(namespaceToKeys({ type: 'updated', object: shop, previous: shop }, all)).toEqual([]);
  });

  it('when a grant or the labels of their namespace change, also those of clusters that are gone', () => {
    const { deps: other, secrets: stored } = deps([US]);
    const grant = clusterGrant('a', { clusters: { names: [{ kind: 'Cluster', name: 'other' }] } });
    const annotations = { [CREDENTIAL_CLUSTER_ANNOTATION]: clusterIdText(EU.id) };
    const labels = { [CREDENTIAL_LABEL]: 'true' };
    const metadata = { namespace: 'shop', name: EU_NAME, resourceVersion: '1', labels, annotations };
    stored.put({ apiVersion: 'v1', kind: 'Secret', metadata });
    stored.put({ apiVersion: 'v1', kind: 'Secret', metadata: { ...metadata, name: 'foreign' } });
    const shop: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } };
    expect(grantToKeys({ type: 'deleted', object: grant, previous: grant }, other)).toEqual([eu[0]]);
    expect(namespaceToKeys({ type: 'added', object: shop }, other)).toEqual([eu[0]]);
  });

  it('when their Secret changes, or the one with the credential of their cluster', () => {
    const secret = (namespace: string, name: string): KubeObject => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace, name },
    });
    expect(secrets.list()).toEqual([]);
    expect(secretToKeys({ type: 'added', object: secret('shop', EU_NAME) }, all)).toEqual([eu[0]]);
    expect(secretToKeys({ type: 'updated', object: secret('fleet', 'us') }, all)).toEqual(us);
    expect(secretToKeys({ type: 'updated', object: secret('shop', 'us') }, all)).toEqual([]);
  });
});
