import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { configMapResource, crdResource } from '#api/core.js';
import type { KubeObject, ResourceType } from '#api/meta.js';
import type { Change } from '#runtime/controller.js';
import { kubeFromFile } from '#runtime/client/credentials.js';
import type { Kube, WatchQuery } from '#runtime/client/kube.js';
import { createLogger } from '#runtime/process/log.js';
import { Reflector, type ReflectorOptions } from '#runtime/cache/reflector.js';
import { Store } from '#runtime/cache/store.js';
import type { Cluster } from '#sandbox/world.js';
import { startTcpProxy, type TcpProxy } from '../../support/proxy.js';
import { eventually, freshNamespace, kubeFor, useWorld } from '../../support/world.js';

interface ConfigMap extends KubeObject {
  data?: Record<string, string>;
}

type Source = ReflectorOptions<ConfigMap>['kube'];

/** A client whose requests all go through the proxy. */
async function kubeThrough(proxy: TcpProxy, cluster: Cluster): Promise<Kube> {
  const folder = await mkdtemp(path.join(tmpdir(), 'fairlead-proxy-'));
  const file = path.join(folder, 'kubeconfig');
  const text = await readFile(cluster.kubeconfig, 'utf8');
  await writeFile(file, text.replaceAll(cluster.server, `https://127.0.0.1:${proxy.port}`), { mode: 0o600 });
  try {
    return await kubeFromFile({ path: file });
  } finally {
    await rm(folder, { recursive: true });
  }
}

function knotType(group: string): ResourceType {
  return { group, version: 'v1', kind: 'Knot', plural: 'knots', namespaced: true };
}

function definitionOf({ group, plural, kind }: ResourceType): KubeObject & { spec: object } {
  const schema = { openAPIV3Schema: { type: 'object' } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, kind },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  };
}

describe('a reflector between a store and a real API server', () => {
  let direct: Kube;
  let proxied: Kube;
  let proxy: TcpProxy;
  let namespace: string;
  const stopping = new AbortController();
  const running: Promise<void>[] = [];

  const configMap = (name: string, data: Record<string, string> = {}): ConfigMap => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace },
    data,
  });

  function reflect(
    kube: Source,
    options: { type?: ResourceType; metadataOnly?: boolean; optional?: boolean; labelSelector?: string } = {},
  ): { store: Store<ConfigMap>; reflector: Reflector<ConfigMap>; changes: Change<ConfigMap>[] } {
    const { type = configMapResource, metadataOnly = false, ...more } = options;
    const store = new Store<ConfigMap>(type, () => undefined);
    const changes: Change<ConfigMap>[] = [];
    store.onChange((change) => changes.push(change));
    const log = createLogger('silent');
    const reflector = new Reflector<ConfigMap>({ kube, type, store, namespace, metadataOnly, log, ...more });
    running.push(reflector.run(stopping.signal));
    return { store, reflector, changes };
  }

  beforeAll(async () => {
    const { host } = await useWorld();
    const { hostname, port } = new URL(host.server);
    proxy = await startTcpProxy({ host: hostname, port: Number(port) });
    [direct, proxied] = await Promise.all([kubeFor(host), kubeThrough(proxy, host)]);
    namespace = await freshNamespace(direct, 'reflector');
  });

  afterAll(async () => {
    stopping.abort();
    await Promise.all(running);
    await Promise.all([proxied.close(), direct.close()]);
    await proxy.close();
  });

  it('continues where it was when its connection is interrupted', async () => {
    const { store, reflector, changes } = reflect(proxied);
    await reflector.whenSynced;
    await direct.create(configMapResource, configMap('before-cut'));
    await eventually(() => expect(store.get({ name: 'before-cut', namespace })).toBeDefined());
    proxy.cut();
    await direct.create(configMapResource, configMap('after-cut'));
    await eventually(() => expect(store.get({ name: 'after-cut', namespace })).toBeDefined());
    const told = changes.map(({ type, object }) => `${type} ${object.metadata.name}`);
    expect(told.filter((change) => change.endsWith('-cut'))).toEqual(['added before-cut', 'added after-cut']);
  });

  it('holds only what has the labels that it was asked for', async () => {
    const labelled = (name: string, labels: Record<string, string>): ConfigMap => {
      const object = configMap(name);
      return { ...object, metadata: { ...object.metadata, labels } };
    };
    await direct.create(configMapResource, labelled('chosen', { part: 'mine' }));
    await direct.create(configMapResource, labelled('passed-over', { part: 'other' }));
    const { store, reflector } = reflect(direct, { labelSelector: 'part=mine' });
    await reflector.whenSynced;
    expect(store.list().map(({ metadata }) => metadata.name)).toEqual(['chosen']);
    const relabel = { type: 'merge', body: { metadata: { labels: { part: 'mine' } } } } as const;
    await direct.patch(configMapResource, { name: 'passed-over', namespace }, relabel);
    await eventually(() => expect(store.list()).toHaveLength(2));
    await direct.delete(configMapResource, { name: 'chosen', namespace });
    await eventually(() => expect(store.list().map(({ metadata }) => metadata.name)).toEqual(['passed-over']));
  });

  it('learns what came, went and came again while the server could not be reached', async () => {
    for (const name of ['kept', 'dropped', 'replaced'])
      await direct.create(configMapResource, configMap(name, { a: 'old' }));
    const { store, reflector, changes } = reflect(proxied);
    await reflector.whenSynced;
    const old = store.get({ name: 'replaced', namespace });
    changes.length = 0;
    proxy.block();
    await direct.delete(configMapResource, { name: 'dropped', namespace });
    await direct.delete(configMapResource, { name: 'replaced', namespace });
    await direct.create(configMapResource, configMap('replaced', { a: 'new' }));
    await direct.create(configMapResource, configMap('come'));
    await proxy.restore();
    await eventually(() => expect(store.get({ name: 'come', namespace })).toBeDefined());
    // The cluster may put its root certificate into a young namespace at any time.
    const ours = changes.filter(({ object }) => object.metadata.name !== 'kube-root-ca.crt');
    const told = ours.map(({ type, object }) => `${type} ${object.metadata.name}`);
    expect(told).toEqual(['deleted dropped', 'deleted replaced', 'added replaced', 'added come']);
    expect(store.get({ name: 'replaced', namespace })?.metadata.uid).not.toBe(old?.metadata.uid);
  });

  it('lists again after a 410', async () => {
    // A type made just now: the server's history of it cannot reach back to the first resourceVersion.
    const knots = knotType(`late.${namespace}.test`);
    const definition = await direct.create(crdResource, definitionOf(knots));
    const knot = (name: string): ConfigMap => ({
      apiVersion: `${knots.group}/v1`,
      kind: 'Knot',
      metadata: { name, namespace },
    });
    await eventually(() => direct.create(knots, knot('first')));
    const codes: number[] = [];
    let lists = 0;
    let resumed = 0;
    // The real client; only its first watch ends with the list, and the second starts where no server can go on from.
    const ancient: Source = {
      list: (type, query) => {
        lists += 1;
        return direct.list(type, query);
      },
      watch: async function* <T extends KubeObject>(type: ResourceType, query: WatchQuery) {
        const isList = query.sendInitialEvents === true;
        if (isList) lists += 1;
        else resumed += 1;
        const resourceVersion = resumed === 1 ? '1' : query.resourceVersion;
        for await (const event of direct.watch<T>(type, { ...query, resourceVersion })) {
          if (event.type === 'ERROR') codes.push(event.code);
          yield event;
          if (event.type === 'BOOKMARK' && event.initialEventsEnd === true && lists === 1) return;
        }
      },
    };
    const { store } = reflect(ancient, { type: knots });
    await eventually(() => expect(codes[0]).toBe(410));
    await direct.create(knots, knot('after-410'));
    await eventually(() => expect(store.get({ name: 'after-410', namespace })).toBeDefined());
    expect(lists).toBeGreaterThan(1);
    await direct.delete(crdResource, definition.metadata);
  });

  it('keeps the kind of metadata-only objects, and drops unread fields', async () => {
    await direct.create(configMapResource, configMap('listed', { a: '1' }));
    const { store, reflector } = reflect(direct, { metadataOnly: true });
    await reflector.whenSynced;
    await direct.create(configMapResource, configMap('watched', { a: '1' }));
    await eventually(() => expect(store.get({ name: 'watched', namespace })).toBeDefined());
    for (const name of ['listed', 'watched']) {
      const object = store.get({ name, namespace });
      expect(object).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
      expect(object).not.toHaveProperty('data');
      expect(object).not.toHaveProperty('metadata.managedFields');
    }
  });

  it('waits for a type that is not served yet', async () => {
    const knots = knotType(`${namespace}.test`);
    const { store, reflector } = reflect(direct, { type: knots });
    await expect(direct.list(knots, { namespace })).rejects.toMatchObject({ status: { code: 404 } });
    expect(reflector.synced).toBe(false);
    const definition = await direct.create(crdResource, definitionOf(knots));
    await eventually(() => expect(reflector.synced).toBe(true));
    expect(store.list()).toEqual([]);
    await direct.delete(crdResource, definition.metadata);
  });

  it('takes an optional type that is not served for one without objects, before it comes and after it goes', async () => {
    const knots = knotType(`${namespace}.optional.example`);
    const { store, reflector } = reflect(direct, { type: knots, optional: true });
    await eventually(() => expect(reflector.synced).toBe(true));
    const definition = await direct.create(crdResource, definitionOf(knots));
    const { group, version, kind } = knots;
    const knot = { apiVersion: `${group}/${version}`, kind, metadata: { name: 'one', namespace } };
    await eventually(() => direct.create(knots, knot).then(() => undefined));
    await eventually(() => expect(store.list()).toHaveLength(1));
    await direct.delete(crdResource, definition.metadata);
    await eventually(() => expect(store.list()).toEqual([]));
  });
});
