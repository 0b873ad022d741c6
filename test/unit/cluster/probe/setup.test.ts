import { createServer } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import { secretResource } from '#api/core.js';
import type { KubeObject, ResourceType } from '#api/meta.js';
import { Identities } from '#controllers/cluster/identities.js';
import { probeController } from '#controllers/cluster/probe/setup.js';
import type { CacheOptions, Controller, PassContext, SetupContext } from '#runtime/controller.js';
import { listen, type Listening } from '#runtime/process/listen.js';
import { Store } from '#runtime/cache/store.js';

const CLUSTER = 'cluster.kubesphere.io/Cluster//eu';
const SECRET = '/Secret/shop/us';
const KEYS = { [CLUSTER]: '/cluster.kubesphere.io/Cluster/eu', [SECRET]: 'shop//Secret/us' };
type Known = keyof typeof KEYS;

/** The answer of the only cluster about its namespace kube-system. */
let answer: { readonly code: number; readonly uid?: string };
let duringRequest: () => void;
let listening: Listening;
let port: number;

function fail(error: unknown): never {
  throw error;
}

/** The probes, on caches that the test fills. */
class World {
  nowMs = 1_000_000;
  readonly identities = new Identities({ now: () => this.nowMs });
  readonly #stores: { readonly store: Store<KubeObject>; readonly options: CacheOptions<KubeObject> }[] = [];
  readonly #controller: Controller;
  #version = 0;

  constructor() {
    const cache = (type: ResourceType, options: CacheOptions<KubeObject> = {}): Store<KubeObject> => {
      const store = new Store<KubeObject>(type, fail);
      this.#stores.push({ store, options });
      return store;
    };
    const context = {
      cache,
      kube: { get: (type: ResourceType) => Promise.resolve(type === secretResource ? secret() : cluster()) },
      events: { record: () => undefined },
    };
    const options = { registry: new Registry(), namespace: undefined, allowInsecure: true };
    // The probes use nothing else of the context of setup.
    this.#controller = probeController(context as unknown as SetupContext, {
      ...options,
      identities: this.identities,
    });
    for (const { store } of this.#stores) store.replace([]);
  }

  /** A Cluster of KubeSphere. */
  putCluster({ isReady = true, uid = '1', token = 'a', labels = {} } = {}): void {
    const metadata = { ...this.#metadata(uid), labels };
    this.#put('cluster.kubesphere.io', { ...cluster(kubeconfigOf(token), isReady), metadata });
  }

  removeCluster(): void {
    for (const { store } of this.#storesOf('cluster.kubesphere.io')) {
      for (const object of store.list()) store.remove({ ...object, metadata: this.#metadata('1') });
    }
  }

  /** A Secret with a kubeconfig, written again. */
  putSecret(labels: Readonly<Record<string, string>> = {}): void {
    const metadata = { ...this.#metadata('1'), namespace: 'shop', name: 'us', labels };
    this.#put('', { apiVersion: 'v1', kind: 'Secret', metadata });
  }

  async probe(id: Known): Promise<number | undefined> {
    // The probes use nothing else of the context of a pass.
    const pass = { signal: new AbortController().signal, log: { debug: () => undefined } } as unknown as PassContext;
    return (await this.#controller.reconcile(KEYS[id], pass)).requeueAfterMs;
  }

  #storesOf(group: string) {
    return this.#stores.filter(({ store }) => store.type.group === group);
  }

  #put(group: string, object: KubeObject): void {
    for (const { store, options } of this.#storesOf(group)) store.put((options.transform ?? ((o) => o))(object));
  }

  #metadata(uid: string) {
    this.#version += 1;
    return { name: 'eu', uid, resourceVersion: String(this.#version) };
  }
}

function kubeconfigOf(token: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'a', cluster: { server: `http://127.0.0.1:${port}` } }],
    users: [{ name: 'a', user: { token } }],
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
    'current-context': 'a',
  });
}

const encoded = (text: string): string => Buffer.from(text).toString('base64');

function cluster(kubeconfig = kubeconfigOf('a'), isReady = true) {
  return {
    apiVersion: 'cluster.kubesphere.io/v1alpha1',
    kind: 'Cluster',
    metadata: { name: 'eu' },
    spec: { connection: { kubeconfig: encoded(kubeconfig) } },
    status: { conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }] },
  };
}

function secret() {
  return { apiVersion: 'v1', kind: 'Secret', metadata: {}, data: { value: encoded(kubeconfigOf('a')) } };
}

beforeAll(async () => {
  const server = createServer((request, response) => {
    const isVersion = request.url === '/version';
    if (!isVersion) duringRequest();
    const { code, uid } = isVersion ? { code: 200, uid: undefined } : answer;
    const body = isVersion ? { gitVersion: 'v1.33.1' } : { metadata: { uid } };
    response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  listening = await listen(server);
  ({ port } = listening.address);
});

beforeEach(() => {
  answer = { code: 200, uid: 'a' };
  duringRequest = () => undefined;
});

afterAll(() => listening.close());

describe('the UID of a cluster', () => {
  test('stays known while its object is not ready, and until it answers after that', async () => {
    const world = new World();
    world.putCluster();
    await world.probe(CLUSTER);
    expect(world.identities.uidOf(CLUSTER)).toBe('a');
    world.putCluster({ isReady: false });
    await world.probe(CLUSTER);
    expect(world.identities.uidOf(CLUSTER)).toBe('a');
    world.putCluster();
    answer = { code: 500 };
    await world.probe(CLUSTER);
    expect(world.identities.uidOf(CLUSTER)).toBe('a');
    answer = { code: 200, uid: 'b' };
    await world.probe(CLUSTER);
    expect(world.identities.uidOf(CLUSTER)).toBe('b');
  });
});

describe('a cluster is to be asked again at once', () => {
  test.each<[string, Known, (world: World) => void, isAgain: boolean]>([
    ['if its credential is another one', CLUSTER, (world) => world.putCluster({ token: 'b' }), true],
    ['if its object is another one', CLUSTER, (world) => world.putCluster({ uid: '2' }), true],
    ['if its Secret was written', SECRET, (world) => world.putSecret(), true],
    ['but not if another label changes', CLUSTER, (world) => world.putCluster({ labels: { env: 'prod' } }), false],
    ['nor if it is not ready', CLUSTER, (world) => world.putCluster({ isReady: false }), false],
  ])('%s', async (_title, id, change, isAgain) => {
    const world = new World();
    world.putCluster();
    world.putSecret();
    expect(world.identities.isToBeAsked(id)).toBe(true);
    await world.probe(id);
    expect(world.identities.isToBeAsked(id)).toBe(false);
    change(world);
    expect(world.identities.isToBeAsked(id)).toBe(isAgain);
    await world.probe(id);
    expect(world.identities.isToBeAsked(id)).toBe(false);
  });

  test.each<[string, Known, (world: World) => void, isUnasked: boolean]>([
    ['holds what is new if its credential is another one', CLUSTER, (world) => world.putCluster({ token: 'b' }), true],
    ['holds what is new if its Secret was written', SECRET, (world) => world.putSecret(), true],
    ['holds nothing if a label of its Secret changes', SECRET, (world) => world.putSecret({ env: 'prod' }), false],
  ])('and %s', async (_title, id, change, isUnasked) => {
    const world = new World();
    world.putCluster();
    world.putSecret();
    await world.probe(id);
    expect(world.identities.isUnasked(id)).toBe(false);
    change(world);
    expect([world.identities.isToBeAsked(id), world.identities.isUnasked(id)]).toEqual([true, isUnasked]);
    await world.probe(id);
    expect(world.identities.isUnasked(id)).toBe(false);
  });

  test('if its credential changes while it answers', async () => {
    const world = new World();
    world.putCluster();
    duringRequest = () => world.putCluster({ token: 'b' });
    expect(await world.probe(CLUSTER)).toBe(2_000);
    expect([world.identities.isToBeAsked(CLUSTER), world.identities.uidOf(CLUSTER)]).toEqual([true, undefined]);
  });

  test('if it is created again, and is another one until it answers', async () => {
    const world = new World();
    world.putCluster();
    await world.probe(CLUSTER);
    world.removeCluster();
    world.putCluster({ uid: '2' });
    expect([world.identities.isToBeAsked(CLUSTER), world.identities.uidOf(CLUSTER)]).toEqual([true, undefined]);
    answer = { code: 500 };
    await world.probe(CLUSTER);
    expect(world.identities.uidOf(CLUSTER)).toBeUndefined();
  });
});

describe('which cluster it is', () => {
  const MINUTE_MS = 60_000;

  test.each([200, 403, 404])('is settled once it answers %i', async (code) => {
    const world = new World();
    world.putCluster();
    answer = { code, uid: 'a' };
    await world.probe(CLUSTER);
    expect([world.identities.isToBeAsked(CLUSTER), world.identities.uidOf(CLUSTER)]).toEqual([
      false,
      code === 200 ? 'a' : undefined,
    ]);
  });

  test.each<[string, number, Parameters<World['putCluster']>[0]]>([
    ['it is in trouble', 500, {}],
    ['it has too many requests', 429, {}],
    ['it does not know who asks', 401, {}],
    ['its object is not ready', 200, { isReady: false }],
  ])('stays open for five minutes after it was asked while %s', async (_title, code, cluster) => {
    const world = new World();
    world.putCluster(cluster);
    answer = { code, uid: 'a' };
    expect(world.identities.isToBeAsked(CLUSTER)).toBe(true);
    world.nowMs += 4 * MINUTE_MS;
    await world.probe(CLUSTER);
    expect(world.identities.isToBeAsked(CLUSTER)).toBe(true);
    world.nowMs += 5 * MINUTE_MS - 1;
    expect(world.identities.isToBeAsked(CLUSTER)).toBe(true);
    world.nowMs += 1;
    // Also if no other probe ran.
    expect(world.identities.isToBeAsked(CLUSTER)).toBe(false);
  });

  test.each<[string, number, Parameters<World['putCluster']>[0]]>([
    ['it may not be read', 403, {}],
    ['it is in trouble', 500, {}],
    ['its object is not ready', 200, { isReady: false }],
  ])('is unknown with another credential if %s, but not before it had its time', async (_title, code, cluster) => {
    const world = new World();
    const seen = () => [world.identities.isToBeAsked(CLUSTER), world.identities.uidOf(CLUSTER)];
    world.putCluster();
    await world.probe(CLUSTER);
    world.putCluster({ ...cluster, token: 'b' });
    expect(seen()).toEqual([true, 'a']);
    answer = { code };
    await world.probe(CLUSTER);
    if (code !== 403) expect(seen()).toEqual([true, 'a']);
    world.nowMs += 5 * MINUTE_MS;
    await world.probe(CLUSTER);
    expect(seen()).toEqual([false, undefined]);
  });

  test('stays known if the same credential may not read it any more', async () => {
    const world = new World();
    world.putCluster();
    await world.probe(CLUSTER);
    answer = { code: 403 };
    await world.probe(CLUSTER);
    expect(world.identities.uidOf(CLUSTER)).toBe('a');
  });

  test('is open for another credential that comes during the last probe', async () => {
    const world = new World();
    world.putCluster();
    expect(world.identities.isToBeAsked(CLUSTER)).toBe(true);
    world.nowMs += 5 * MINUTE_MS - 1;
    duringRequest = () => world.putCluster({ token: 'b' });
    await world.probe(CLUSTER);
    world.nowMs += 1;
    expect(world.identities.isToBeAsked(CLUSTER)).toBe(true);
  });

  test('is open for half of an hour at most while its Secret is written again and again, and it does not answer', async () => {
    const world = new World();
    answer = { code: 500 };
    let open = 0;
    for (let second = 0; second < 3_600; second += 10) {
      if (second % 60 === 0) world.putSecret();
      if (second % 300 === 0) await world.probe(SECRET);
      if (world.identities.isToBeAsked(SECRET)) open += 10;
      world.nowMs += 10_000;
    }
    expect(open).toBeLessThanOrEqual(1_800);
  });

  test('is never asked of the host', async () => {
    const world = new World();
    world.putCluster({ labels: { 'cluster-role.kubesphere.io/host': '' } });
    expect(await world.probe(CLUSTER)).toBeUndefined();
    expect(world.identities.isToBeAsked(CLUSTER)).toBe(false);
  });
});
