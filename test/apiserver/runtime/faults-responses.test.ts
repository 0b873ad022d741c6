import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pLimit from 'p-limit';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parse, stringify } from 'yaml';
import { configMapResource, namespaceResource } from '#api/core.js';
import type { KubeObject } from '#api/meta.js';
import { kubeFromFile } from '#runtime/client/credentials.js';
import type { Kube } from '#runtime/client/kube.js';
import { createLogger } from '#runtime/process/log.js';
import { Reflector, type ReflectorOptions } from '#runtime/cache/reflector.js';
import { Store } from '#runtime/cache/store.js';
import type { World } from '#sandbox/world.js';
import { startFaultProxy, statusAnswer, type FaultProxy } from '../../support/proxy.js';
import { eventually, freshNamespace, kubeFor, useWorld } from '../../support/world.js';

interface ConfigMap extends KubeObject {
  data?: Record<string, string>;
}

interface Kubeconfig {
  users: { user: { token?: string } }[];
  clusters: { cluster: { server: string } }[];
}

/** A client behind a proxy, in a namespace of its own, and what a story does with them. */
interface Line {
  readonly namespace: string;
  readonly proxy: FaultProxy;
  readonly kube: Kube;
  readonly stopping: AbortController;
  readonly running: Promise<void>[];
  readonly configMap: (name: string) => ConfigMap;
  /** Past the proxy. */
  readonly create: (name: string) => Promise<ConfigMap>;
  readonly reflect: (options?: Partial<ReflectorOptions<ConfigMap>>) => {
    store: Store<ConfigMap>;
    reflector: Reflector<ConfigMap>;
  };
  readonly watches: () => string[];
  readonly lists: () => string[];
  readonly refuseWatchList: () => void;
}

async function openLine(world: World, direct: Kube): Promise<Line> {
  const namespace = await freshNamespace(direct, 'faults');
  const proxy = await startFaultProxy(world.host);
  const kube = proxy.kube();
  const stopping = new AbortController();
  const running: Promise<void>[] = [];
  const paths = (): string[] => proxy.http.seen.map((seen) => seen.path);
  const configMap = (name: string): ConfigMap => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace },
    data: { a: '1' },
  });
  return {
    ...{ namespace, proxy, kube, stopping, running, configMap },
    create: (name) => direct.create(configMapResource, configMap(name)),
    reflect: (options = {}) => {
      const store = new Store<ConfigMap>(configMapResource, () => undefined);
      const log = createLogger('silent');
      const base = { kube, type: configMapResource, store, namespace, metadataOnly: false, log };
      const reflector = new Reflector<ConfigMap>({ ...base, ...options });
      running.push(reflector.run(stopping.signal));
      return { store, reflector };
    },
    watches: () => paths().filter((each) => each.includes('watch=true')),
    lists: () => paths().filter((each) => each.includes('limit=')),
    refuseWatchList: () =>
      proxy.http.inject({
        match: (seen) => seen.path.includes('sendInitialEvents'),
        answer: statusAnswer(422, { reason: 'Invalid' }),
      }),
  };
}

async function closeLine({ stopping, running, kube, proxy }: Line): Promise<void> {
  stopping.abort();
  await Promise.all(running);
  await kube.close();
  await proxy.close();
}

describe('a client behind a bad line to a real API server', () => {
  let world: World;
  let direct: Kube;

  beforeAll(async () => {
    world = await useWorld();
    direct = await kubeFor(world.host);
  });

  afterAll(() => direct.close());

  function onLine(story: (line: Line) => Promise<void>): () => Promise<void> {
    return async () => {
      const line = await openLine(world, direct);
      try {
        await story(line);
      } finally {
        await closeLine(line);
      }
    };
  }

  it.concurrent(
    'streams its first list where the server can, and asks for pages where it cannot',
    onLine(async ({ namespace, proxy, create, reflect, watches, lists, refuseWatchList }) => {
      await create('there');
      const streamed = reflect();
      await streamed.reflector.whenSynced;
      expect(streamed.store.get({ name: 'there', namespace })?.data).toEqual({ a: '1' });
      expect(lists()).toEqual([]);
      refuseWatchList();
      const other = proxy.kube();
      const paged = reflect({ kube: other });
      await paged.reflector.whenSynced;
      expect(paged.store.get({ name: 'there', namespace })?.data).toEqual({ a: '1' });
      const asked = (): number => watches().filter((each) => each.includes('sendInitialEvents')).length;
      const before = asked();
      const second = reflect({ kube: other });
      await second.reflector.whenSynced;
      expect(asked()).toBe(before);
      await other.close();
    }),
  );

  it.concurrent(
    'waits as long as a 429 says before it resumes a watch, and does not list again',
    onLine(async ({ namespace, proxy, create, reflect, watches, lists }) => {
      const { store, reflector } = reflect();
      await reflector.whenSynced;
      proxy.http.inject({
        match: (seen) => seen.path.includes('watch=true'),
        times: 1,
        answer: statusAnswer(429, { reason: 'TooManyRequests', retryAfterSeconds: 2 }),
      });
      await create('first');
      await eventually(() => expect(store.get({ name: 'first', namespace })).toBeDefined());
      proxy.tcp.cut();
      await eventually(() => expect(watches()).toHaveLength(3));
      const [, refused, resumed] = proxy.http.seen.filter((seen) => seen.path.includes('watch=true'));
      expect((resumed?.atMs ?? 0) - (refused?.atMs ?? 0)).toBeGreaterThanOrEqual(2_000);
      await create('second');
      await eventually(() => expect(store.get({ name: 'second', namespace })).toBeDefined());
      expect(watches().filter((each) => each.includes('sendInitialEvents'))).toHaveLength(1);
      expect(lists()).toEqual([]);
    }),
  );

  it.concurrent(
    'sends a throttled write again after the time that the server named',
    onLine(async ({ proxy, kube, configMap }) => {
      proxy.http.inject({
        match: ({ method }) => method === 'POST',
        times: 1,
        answer: statusAnswer(429, { reason: 'TooManyRequests', retryAfterSeconds: 1 }),
      });
      await kube.create(configMapResource, configMap('throttled'));
      const [refused, accepted] = proxy.http.seen.filter(({ method }) => method === 'POST');
      expect((accepted?.atMs ?? 0) - (refused?.atMs ?? 0)).toBeGreaterThanOrEqual(1_000);
    }),
  );

  it.concurrent.each<[string, object, number]>([
    ['a read is tried again while the server has trouble', {}, 4],
    ['a read for somebody else tells the trouble of the server at once', { once: true }, 1],
  ])('%s', (_name, options, tries) =>
    onLine(async ({ proxy, kube }) => {
      const isOurs = (seen: { path: string }): boolean => seen.path === '/apis/metrics.example.com/v1';
      proxy.http.inject({ match: isOurs, answer: statusAnswer(503, { reason: 'ServiceUnavailable' }) });
      const answer = kube.read('/apis/metrics.example.com/v1', options);
      await expect(answer).rejects.toMatchObject({ status: { code: 503 } });
      expect(proxy.http.seen.filter(isOurs)).toHaveLength(tries);
    })(),
  );

  it.concurrent(
    'lists again after a 410 and misses nothing of what happened meanwhile',
    onLine(async ({ namespace, proxy, create, reflect, watches, lists }) => {
      const { store, reflector } = reflect();
      await reflector.whenSynced;
      proxy.tcp.block();
      await create('meanwhile');
      proxy.http.inject({
        match: (seen) => seen.path.includes('watch=true') && seen.path.includes('resourceVersion='),
        times: 1,
        answer: statusAnswer(410, { reason: 'Expired' }),
      });
      await proxy.tcp.restore();
      await eventually(() => expect(store.get({ name: 'meanwhile', namespace })).toBeDefined());
      const streamed = watches().filter((each) => each.includes('sendInitialEvents'));
      expect([...streamed, ...lists()]).toHaveLength(2);
    }),
  );

  it.concurrent(
    'comes back to a server that was away for ten seconds',
    onLine(async ({ namespace, proxy, create, reflect }) => {
      const { store, reflector } = reflect();
      await reflector.whenSynced;
      await proxy.tcp.refuse();
      const goneAt = performance.now();
      await create('while-away');
      await eventually(() => expect(performance.now() - goneAt).toBeGreaterThan(10_000), { timeoutMs: 30_000 });
      expect(store.get({ name: 'while-away', namespace })).toBeUndefined();
      await proxy.tcp.restore();
      await eventually(() => expect(store.get({ name: 'while-away', namespace })).toBeDefined(), { timeoutMs: 60_000 });
    }),
    600_000,
  );

  it(
    'lists 1,600 objects in pages of 500',
    onLine(async ({ create, reflect, lists, refuseWatchList }) => {
      const limit = pLimit(32);
      const names = Array.from({ length: 1_600 }, (_, index) => `page-${index}`);
      await Promise.all(names.map((name) => limit(() => create(name))));
      refuseWatchList();
      const { store, reflector } = reflect();
      await reflector.whenSynced;
      const known = store.list().filter(({ metadata }) => metadata.name.startsWith('page-'));
      expect(known).toHaveLength(1_600);
      // 1,600 and perhaps the root certificate that the cluster puts into a namespace.
      const there = store.list().length;
      expect(lists()).toHaveLength(Math.ceil(there / 500));
    }),
    600_000,
  );

  it.concurrent(
    'opens a watch anew that is silent for too long',
    onLine(async ({ namespace, proxy, create, reflect }) => {
      const { store, reflector } = reflect({ silenceMs: 2_000 });
      await reflector.whenSynced;
      proxy.tcp.partition();
      await create('unheard');
      await eventually(() => expect(proxy.tcp.connections).toBeGreaterThan(1));
      await proxy.tcp.restore();
      await eventually(() => expect(store.get({ name: 'unheard', namespace })).toBeDefined());
    }),
  );

  it.concurrent(
    'opens an idle watch anew without a warning, a pause or a list',
    onLine(async ({ namespace, create, reflect, watches, lists, refuseWatchList }) => {
      const lines: string[] = [];
      const log = createLogger('info', { write: (line) => void lines.push(line) });
      // The first list may take the server longer than a watch may be silent here: then it must be no watch.
      refuseWatchList();
      const { store, reflector } = reflect({ silenceMs: 1_000, log });
      await reflector.whenSynced;
      // Each failure would make the pause before the next watch longer: ten of them would take a minute.
      await eventually(() => expect(watches().length).toBeGreaterThan(11), { timeoutMs: 50_000 });
      await create('after-silence');
      await eventually(() => expect(store.get({ name: 'after-silence', namespace })).toBeDefined());
      expect(lines).toEqual([]);
      expect(watches().filter((each) => each.includes('sendInitialEvents'))).toHaveLength(1);
      expect(lists()).toHaveLength(1);
    }),
    600_000,
  );

  it.concurrent(
    'answers for one cluster while 200 requests wait for another',
    onLine(async ({ namespace, proxy, kube }) => {
      const [member] = world.members;
      if (member === undefined) throw new Error('the world has no member');
      const other = await kubeFor(member);
      proxy.tcp.partition();
      let answered = 0;
      const waiting = Array.from({ length: 200 }, async () => {
        await kube.get(configMapResource, { name: 'x', namespace }, { timeoutMs: 120_000 });
        answered += 1;
      });
      for (let turn = 0; turn < 100; turn += 1) {
        expect(await other.get(namespaceResource, { name: 'default' })).toBeDefined();
      }
      expect(answered).toBe(0);
      await proxy.tcp.restore();
      await Promise.all(waiting);
      expect(answered).toBe(200);
      await other.close();
    }),
    600_000,
  );

  it.concurrent(
    'never has two watches, and goes on after a stop',
    onLine(async ({ namespace, stopping, running, create, reflect, watches, lists }) => {
      const first = new AbortController();
      const { store, reflector } = reflect();
      await reflector.whenSynced;
      running.push(reflector.run(first.signal));
      await create('one');
      await eventually(() => expect(store.get({ name: 'one', namespace })).toBeDefined());
      expect(watches()).toHaveLength(1);
      stopping.abort();
      await running[0];
      await create('two');
      await eventually(() => expect(store.get({ name: 'two', namespace })).toBeDefined());
      expect(watches()).toHaveLength(2);
      expect(lists()).toEqual([]);
      first.abort();
    }),
  );

  it.concurrent(
    'keeps of an object what its transform leaves',
    onLine(async ({ namespace, create, reflect }) => {
      await create('lean');
      const { store, reflector } = reflect({
        transform: ({ apiVersion, kind, metadata }) => ({ apiVersion, kind, metadata }),
      });
      await reflector.whenSynced;
      expect(store.get({ name: 'lean', namespace })).toBeDefined();
      expect(store.get({ name: 'lean', namespace })).not.toHaveProperty('data');
    }),
  );

  it.concurrent(
    'asks a server that does not answer no more for a while, then one request finds out',
    onLine(async ({ namespace, proxy, kube }) => {
      await proxy.tcp.refuse();
      await expect(kube.get(configMapResource, { name: 'x', namespace })).rejects.toMatchObject({
        reason: 'Unreachable',
      });
      await eventually(() =>
        expect(kube.get(configMapResource, { name: 'x', namespace })).rejects.toThrow('next attempt in'),
      );
      await proxy.tcp.restore();
      await eventually(() => kube.get(configMapResource, { name: 'x', namespace }), { timeoutMs: 30_000 });
    }),
  );

  it.concurrent(
    'shows the new token of a kubeconfig when the old one is refused, once for all',
    onLine(async ({ namespace, proxy, configMap }) => {
      const folder = await mkdtemp(path.join(tmpdir(), 'fairlead-token-'));
      const file = path.join(folder, 'kubeconfig');
      // The sandbox wrote it.
      const config = parse(await readFile(world.host.kubeconfig, 'utf8')) as Kubeconfig;
      const token = config.users[0]?.user.token ?? '';
      const write = async (shown: string): Promise<void> => {
        const users = config.users.map((each) => ({ ...each, user: { token: shown } }));
        // Plain HTTP, which the kubeconfig must say that it wants.
        const cluster = { server: proxy.server, 'insecure-skip-tls-verify': true };
        const clusters = config.clusters.map((each) => ({ ...each, cluster }));
        await writeFile(file, stringify({ ...config, users, clusters }), { mode: 0o600 });
      };
      await write('retired');
      const rotating = await kubeFromFile({ path: file });
      await expect(rotating.get(configMapResource, { name: 'x', namespace })).rejects.toMatchObject({
        status: { code: 401 },
      });
      await write(token);
      await eventually(() => rotating.get(configMapResource, { name: 'x', namespace }));
      await Promise.all(names(20).map((name) => rotating.create(configMapResource, configMap(name))));
      const accepted = proxy.http.seen.filter(({ method }) => method === 'POST');
      expect(accepted.every(({ authorization }) => authorization === `Bearer ${token}`)).toBe(true);
      expect(accepted).toHaveLength(20);
      await rotating.close();
      await rm(folder, { recursive: true });
    }),
  );
});

function names(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `rotated-${index}`);
}
