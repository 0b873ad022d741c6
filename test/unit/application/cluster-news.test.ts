import { describe, expect, it } from '@jest/globals';
import { namespaceResource, secretResource } from '#api/core.js';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import type { KubeObject, ResourceType } from '#api/meta.js';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import { clusterGrantResource, type ClusterGrant } from '#api/v1alpha1/cluster-grant.js';
import { inventoryChange, inventoryWatches, type NewsCaches } from '#controllers/application/cluster-news.js';
import { BY_CLUSTER, BY_INVENTORY, clusterValues, inventoryValues } from '#controllers/application/clusters.js';
import { BY_OWNER, ownerKeys } from '#controllers/application/mappings.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { Identities } from '#controllers/cluster/identities.js';
import { clusterCaches, inventoryOf } from '#controllers/cluster/inventory.js';
import type { Change, SetupContext } from '#runtime/controller.js';
import { Store } from '#runtime/cache/store.js';
import { cpuMsOf } from '../../support/cpu-time.js';
import { clusterGrant } from '../cluster/model/builders.js';
import { application } from './model/builders.js';
import { selecting, toClusters } from './model/clusters/builders.js';

function fail(error: unknown): never {
  throw error;
}

/** The caches of a controller, filled by the test, and the keys of all changes since the last look. */
class Caches {
  readonly applications = new Store<Application>(applicationResource, fail);
  readonly children = new Store<Child>(helmReleaseResource, fail);
  readonly grants = new Store<ClusterGrant>(clusterGrantResource, fail);
  readonly namespaces = new Store<KubeObject>(namespaceResource, fail);
  readonly identities = new Identities();
  readonly secrets: Store<KubeObject>;
  readonly news: NewsCaches;
  readonly #keys: string[] = [];
  #version = 0;

  constructor() {
    const stores: Store<KubeObject>[] = [];
    const cache = (type: ResourceType): Store<KubeObject> => {
      const store = new Store<KubeObject>(type, fail);
      stores.push(store);
      return store;
    };
    // Of the context of setup, only this is used.
    const clusters = clusterCaches({ cache } as unknown as SetupContext);
    // Of the adapters, that of labelled Secrets is the last one of Secrets.
    this.secrets = stores.filter(({ type }) => type === secretResource).at(-1)!;
    for (const store of stores) if (store !== this.secrets) store.notServed();
    this.applications.addIndex(BY_INVENTORY, inventoryValues);
    this.children.addIndex(BY_CLUSTER, clusterValues);
    this.children.addIndex(BY_OWNER, ownerKeys);
    for (const store of [this.applications, this.children, this.grants, this.namespaces]) store.replace([]);
    this.secrets.replace([]);
    const { grants, namespaces, children, identities } = this;
    const made = new Store<KubeObject>(secretResource, (error) => {
      throw error;
    });
    const more = { controllerNamespace: 'fairlead', identities, made };
    const seen = { clusters, inventory: inventoryOf(clusters), grants, namespaces, ...more };
    this.news = { ...seen, children: [children] };
    for (const watch of inventoryWatches({ ...this.news, applications: this.applications })) {
      watch.cache.onChange((change: Change) => this.#keys.push(...watch.toKeys(change)));
    }
  }

  /** `namespace` undefined: that of a cluster-scoped object. */
  metadata(namespace: string | undefined, name: string) {
    this.#version += 1;
    return { namespace, name, uid: `${namespace ?? ''}/${name}`, resourceVersion: String(this.#version) };
  }

  putApplication(namespace: string, name: string, entry: ReturnType<typeof selecting>): Application {
    const made = { ...application([entry]), metadata: this.metadata(namespace, name) };
    this.applications.put(made);
    return made;
  }

  putCluster(namespace: string, name: string, labels: Record<string, string> = {}): void {
    const metadata = { ...this.metadata(namespace, name), labels };
    this.secrets.put({ apiVersion: 'v1', kind: 'Secret', metadata });
  }

  removeCluster(namespace: string, name: string): void {
    this.secrets.remove({ apiVersion: 'v1', kind: 'Secret', metadata: this.metadata(namespace, name) });
  }

  putGrant(grant: ClusterGrant): void {
    this.grants.put({ ...grant, metadata: { ...this.metadata(undefined, grant.metadata.name), ...grant.metadata } });
  }

  /** A child of an Application of namespace shop. */
  putChild(owner: string, cluster: string, annotations: Record<string, string> = {}): void {
    const metadata = {
      ...this.metadata('shop', `${owner}-child`),
      labels: { 'app.kubernetes.io/managed-by': owner },
      annotations: { 'gitops.kubesphere.io/cluster-id': cluster, ...annotations },
      ownerReferences: [{ apiVersion: 'gitops.kubesphere.io/v1alpha1', kind: 'Application', name: owner, uid: '1' }],
    };
    this.children.put({ apiVersion: 'helm.toolkit.fluxcd.io/v2', kind: 'HelmRelease', metadata, spec: {} });
  }

  /** The keys of the changes since the last call. */
  take(): string[] {
    return this.#keys.splice(0);
  }
}

const ofFleet = (labels: Record<string, string>): ClusterGrant['spec']['clusters'] => ({
  selector: { matchLabels: labels },
  namespaces: ['fleet'],
});

describe('a cluster that changes', () => {
  it('is news to those that may match it before or after, of the namespaces that may use it', () => {
    const caches = new Caches();
    caches.putGrant(clusterGrant('a', { clusters: ofFleet({ tier: 'edge' }), namespaces: { names: ['shop'] } }));
    caches.putApplication('shop', 'prod', selecting({ env: 'prod' }));
    caches.putApplication('shop', 'test', selecting({ env: 'test' }));
    caches.putApplication('bank', 'prod', selecting({ env: 'prod' }));
    const byName = toClusters({ clusterRef: { kind: 'Secret', name: 'eu', namespace: 'fleet' } });
    caches.putApplication('shop', 'named', byName);
    caches.putApplication('bank', 'named', byName);
    caches.take();
    caches.putCluster('fleet', 'eu', { env: 'prod', tier: 'edge' });
    expect(caches.take()).toEqual(['shop/prod', 'shop/named']);
    caches.putCluster('fleet', 'eu', { env: 'test', tier: 'edge' });
    expect(caches.take()).toEqual(['shop/prod', 'shop/test', 'shop/named']);
    caches.putCluster('fleet', 'eu', { env: 'test' });
    expect(caches.take()).toEqual(['shop/test', 'shop/named']);
    caches.putCluster('fleet', 'eu', { env: 'prod' });
    expect(caches.take()).toEqual([]);
    caches.putCluster('bank', 'own', { env: 'prod' });
    expect(caches.take()).toEqual(['bank/prod']);
  });

  it('is news to those with a child on it, also once they may not use it any more', () => {
    const caches = new Caches();
    caches.putCluster('fleet', 'eu');
    caches.putChild('web', '/Secret/fleet/eu');
    caches.putCluster('fleet', 'eu', { env: 'prod' });
    expect(caches.take()).toEqual(['shop/web']);
  });

  it('is no news if only its Secret was written again, however often', () => {
    const caches = new Caches();
    caches.putCluster('shop', 'eu', { env: 'prod' });
    const web = caches.putApplication('shop', 'web', selecting({ env: 'prod' }));
    caches.take();
    const hasChanged = inventoryChange(web, caches.news);
    const before = caches.news.inventory.clusters();
    for (let turn = 0; turn < 10; turn += 1) caches.putCluster('shop', 'eu', { env: 'prod' });
    expect(caches.take()).toEqual([]);
    expect(hasChanged()).toBe(false);
    expect(caches.news.inventory.clusters()).toBe(before);
  });
});

describe('the identity of a cluster', () => {
  const uid = (value: string) => ({ 'gitops.kubesphere.io/cluster-uid': value });

  it('is news to those whose children lack it, or have another one, and to no others', () => {
    const caches = new Caches();
    caches.putChild('new', '/Secret/fleet/eu');
    caches.putChild('same', '/Secret/fleet/eu', uid('a'));
    caches.putChild('replaced', '/Secret/fleet/eu', uid('b'));
    caches.putChild('elsewhere', '/Secret/fleet/us', uid('b'));
    caches.identities.set('/Secret/fleet/eu', 'a');
    expect(caches.take()).toEqual(['shop/new', 'shop/replaced']);
    caches.identities.set('/Secret/fleet/eu', 'a');
    expect(caches.take()).toEqual([]);
    caches.identities.set('/Secret/fleet/eu', undefined);
    expect(caches.take()).toEqual(['shop/new']);
    caches.putChild('halted', '/Secret/fleet/eu', { ...uid('a'), 'gitops.kubesphere.io/halted': 'b' });
    caches.identities.set('/Secret/fleet/eu', 'a');
    expect(caches.take()).toEqual(['shop/new', 'shop/replaced', 'shop/halted']);
  });
});

describe('the first identity of a cluster, and another one', () => {
  it('is news to those that may match it and have no child there, and to no others', () => {
    const caches = new Caches();
    caches.putApplication('shop', 'refused', selecting({ env: 'prod' }));
    caches.putApplication('shop', 'there', selecting({ env: 'prod' }));
    caches.putApplication('shop', 'elsewhere', selecting({ env: 'test' }));
    caches.putApplication('bank', 'stranger', selecting({ env: 'prod' }));
    caches.putCluster('shop', 'eu', { env: 'prod' });
    caches.putChild('there', '/Secret/shop/eu', { 'gitops.kubesphere.io/cluster-uid': 'a' });
    caches.take();
    caches.identities.set('/Secret/shop/eu', 'a');
    expect(caches.take()).toEqual(['shop/refused']);
    caches.identities.set('/Secret/shop/gone', 'a');
    expect(caches.take()).toEqual([]);
  });

  it('is news also if the cluster does not tell: what leaves may have waited for the answer', () => {
    const caches = new Caches();
    caches.putApplication('shop', 'waiting', selecting({ env: 'prod' }));
    caches.putApplication('shop', 'elsewhere', selecting({ env: 'test' }));
    caches.putCluster('shop', 'eu', { env: 'prod' });
    caches.putChild('waiting', '/Secret/shop/eu', { 'gitops.kubesphere.io/cluster-uid': 'a' });
    caches.take();
    for (let asked = 0; asked < 2; asked += 1) caches.identities.set('/Secret/shop/eu', undefined);
    expect(caches.take()).toEqual(['shop/waiting']);
  });
});

describe('a cluster that does not tell which one it is', () => {
  it('is news to those with a child there that has no UID: it may leave, and wait for the answer', () => {
    const caches = new Caches();
    caches.putCluster('shop', 'eu');
    caches.putChild('leaving', '/Secret/shop/eu');
    caches.putChild('known', '/Secret/shop/eu', { 'gitops.kubesphere.io/cluster-uid': 'a' });
    caches.take();
    caches.identities.set('/Secret/shop/eu', undefined);
    expect(caches.take()).toEqual(['shop/leaving']);
  });
});

describe('a cluster that is asked again, as its token was rotated', () => {
  it('is no news to anybody, and stops no removals, unless it tells something else', () => {
    const caches = new Caches();
    caches.putCluster('shop', 'eu', { env: 'prod' });
    caches.putChild('there', '/Secret/shop/eu', { 'gitops.kubesphere.io/cluster-uid': 'a' });
    const there = caches.putApplication('shop', 'there', selecting({ env: 'prod' }));
    caches.putApplication('shop', 'refused', selecting({ env: 'prod' }));
    caches.identities.set('/Secret/shop/eu', 'a');
    caches.take();
    const hasChanged = inventoryChange(there, caches.news);
    const rotated: boolean[] = [];
    caches.identities.askAgain('/Secret/shop/eu');
    rotated.push(hasChanged());
    caches.identities.set('/Secret/shop/eu', 'a');
    rotated.push(hasChanged());
    expect([caches.take(), rotated]).toEqual([[], [false, false]]);
    caches.identities.askAgain('/Secret/shop/eu');
    caches.identities.set('/Secret/shop/eu', 'b');
    expect([caches.take(), hasChanged()]).toEqual([['shop/there', 'shop/refused'], true]);
  });

  it('is news to those without a child there once it was asked in vain, and once it answers after that', () => {
    const caches = new Caches();
    caches.putCluster('shop', 'eu', { env: 'prod' });
    caches.putChild('there', '/Secret/shop/eu', { 'gitops.kubesphere.io/cluster-uid': 'a' });
    caches.putApplication('shop', 'there', selecting({ env: 'prod' }));
    caches.putApplication('shop', 'waiting', selecting({ env: 'prod' }));
    caches.identities.set('/Secret/shop/eu', 'a');
    caches.identities.askAgain('/Secret/shop/eu');
    caches.take();
    caches.identities.asked('/Secret/shop/eu');
    expect(caches.take()).toEqual(['shop/waiting']);
    caches.identities.set('/Secret/shop/eu', 'a');
    expect(caches.take()).toEqual(['shop/waiting']);
  });

  it('stops removals if it never told its UID: it may tell it now', () => {
    const caches = new Caches();
    caches.putCluster('shop', 'eu', { env: 'prod' });
    const web = caches.putApplication('shop', 'web', selecting({ env: 'prod' }));
    caches.identities.set('/Secret/shop/eu', undefined);
    const hasChanged = inventoryChange(web, caches.news);
    caches.identities.askAgain('/Secret/shop/eu');
    expect(hasChanged()).toBe(true);
  });
});

describe('a grant that changes', () => {
  it('is news to the Applications in its namespaces, and its status to nobody', () => {
    const caches = new Caches();
    caches.putApplication('shop', 'web', selecting({ env: 'prod' }));
    caches.putApplication('bank', 'web', selecting({ env: 'prod' }));
    const grant = clusterGrant('a', { namespaces: { names: ['shop'] } });
    const versionOf = (generation: number, clusterCount: number): ClusterGrant => ({
      ...grant,
      metadata: { ...grant.metadata, generation },
      status: { clusterCount },
    });
    caches.putGrant(versionOf(1, 0));
    expect(caches.take()).toEqual(['shop/web']);
    for (let count = 1; count < 10; count += 1) caches.putGrant(versionOf(1, count));
    expect(caches.take()).toEqual([]);
    caches.putGrant(versionOf(2, 9));
    expect(caches.take()).toEqual(['shop/web']);
  });
});

describe('what an Application was decided from', () => {
  const cases: Record<string, [change: (caches: Caches) => void, isOutdated: boolean]> = {
    'a cluster that it matched has another label': [(all) => all.putCluster('shop', 'eu', { env: 'test' }), true],
    'a cluster matches now': [(all) => all.putCluster('shop', 'us', { env: 'prod' }), true],
    'a cluster that it matched is gone': [(all) => all.removeCluster('shop', 'eu'), true],
    'another cluster of its own has another label': [(all) => all.putCluster('shop', 'us', { env: 'x' }), false],
    'a cluster of others has the label of its selector': [(all) => all.putCluster('bank', 'b', { env: 'prod' }), false],
    'a grant was added': [(all) => all.putGrant(clusterGrant('a')), true],
    'a cluster of its children is another one': [(all) => all.identities.set('/Secret/shop/eu', 'b'), true],
    'a cluster that it matches, without a child there, tells which one it is': [
      (all) => all.identities.set('/Secret/shop/ap', 'a'),
      true,
    ],
    'a cluster that it matches tells nothing': [(all) => all.identities.set('/Secret/shop/ap', undefined), true],
    'a cluster of others is another one': [(all) => all.identities.set('/Secret/shop/us', 'b'), false],
    'its namespace has other labels': [
      (all) =>
        all.namespaces.put({
          apiVersion: 'v1',
          kind: 'Namespace',
          metadata: { ...all.metadata(undefined, 'shop'), labels: { team: 'a' } },
        }),
      true,
    ],
  };
  it.each(Object.entries(cases))('%s', (_title, [change, isOutdated]) => {
    const caches = new Caches();
    caches.putCluster('shop', 'eu', { env: 'prod' });
    caches.putCluster('shop', 'us', { env: 'test' });
    caches.putCluster('shop', 'ap', { env: 'prod' });
    const web = caches.putApplication('shop', 'web', selecting({ env: 'prod' }));
    caches.putChild('web', '/Secret/shop/eu');
    const hasChanged = inventoryChange(web, caches.news);
    expect(hasChanged()).toBe(false);
    change(caches);
    expect(hasChanged()).toBe(isOutdated);
  });
});

describe('an Application that names 10,000 clusters of which none told its UID', () => {
  it('learns in linear time which of them may tell it', () => {
    const caches = new Caches();
    const names = Array.from({ length: 10_000 }, (_, at) => `c${at}`);
    for (const name of names) caches.putCluster('shop', name);
    const entries = names.map((name) => toClusters({ clusterRef: { kind: 'Secret', name } }));
    const fleet = { ...application(entries), metadata: caches.metadata('shop', 'fleet') };
    let hasChanged = (): boolean => true;
    const cost = cpuMsOf(() => {
      hasChanged = inventoryChange(fleet, caches.news);
      expect(hasChanged()).toBe(false);
    });
    expect(cost).toBeLessThan(2_000);
    caches.identities.set('/Secret/shop/c9999', 'a');
    expect(hasChanged()).toBe(true);
  });
});
