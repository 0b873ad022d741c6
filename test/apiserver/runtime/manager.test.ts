import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { configMapResource, eventResource } from '#api/core.js';
import type { KubeObject } from '#api/meta.js';
import type { Controller, SetupContext, Watch } from '#runtime/controller.js';
import type { Kube } from '#runtime/client/kube.js';
import { createLogger } from '#runtime/process/log.js';
import { Manager } from '#runtime/manager.js';
import { keyOf, parseKey } from '#lib/kube/keys.js';
import { mirrorController, type ConfigMap } from '#bench/scenarios/mirror.js';
import type { Cluster } from '#sandbox/world.js';
import { auditEntries, auditPosition, eventually, freshNamespace, kubeFor, useWorld } from '../../support/world.js';

/** Long, beside what a busy machine takes for twenty objects. */
const GATHERING_MS = 2_000;
/** The change that waits longer than any test. */
const LAST = 'patient-last';
const NEVER_MS = 600_000;

interface CoreEvent extends KubeObject {
  reason: string;
}

describe('a controller of forty lines on a real API server', () => {
  let kube: Kube;
  let host: Cluster;
  let namespace: string;
  let running: Promise<void>;
  const stopping = new AbortController();
  const named = (name: string, data: Record<string, string>): ConfigMap => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace },
    data,
  });
  /** When a pass was made, for each change that may wait and each that may not. */
  const passes: number[] = [];
  const gatherer = (context: SetupContext): Controller => {
    const cache = context.cache<ConfigMap>(configMapResource);
    const of = (prefix: string): Watch => ({
      cache,
      toKeys: ({ object: { metadata } }) => (metadata.name.startsWith(prefix) ? [`${namespace}/gathered`] : []),
    });
    return {
      name: 'gatherer',
      concurrency: 1,
      watches: [
        { ...of('patient'), delayMs: (_key, { object }) => (object.metadata.name === LAST ? NEVER_MS : GATHERING_MS) },
        of('urgent'),
      ],
      reconcile: () => {
        passes.push(performance.now());
        return Promise.resolve({});
      },
    };
  };
  const copyData = async (name: string): Promise<Record<string, string> | undefined> =>
    (await kube.get<ConfigMap>(configMapResource, { name: `${name}-copy`, namespace }))?.data;

  beforeAll(async () => {
    host = (await useWorld()).host;
    kube = await kubeFor(host);
    namespace = await freshNamespace(kube, 'manager');
    await kube.create(configMapResource, named('source-before', { a: '1' }));
    const manager = new Manager({ kube, log: createLogger('silent'), namespace });
    manager.setup(mirrorController);
    manager.setup(gatherer);
    running = manager.start(stopping.signal);
  });

  afterAll(async () => {
    stopping.abort();
    await running;
    await kube.close();
  });

  it('finds what was there before it started', async () => {
    await eventually(async () => expect(await copyData('source-before')).toEqual({ a: '1' }));
  });

  it('follows changes, and reverts changes of others', async () => {
    const made = await kube.create(configMapResource, named('source-live', { a: '1' }));
    await eventually(async () => expect(await copyData('source-live')).toEqual({ a: '1' }));
    await kube.update(configMapResource, { ...made, data: { a: '2' } });
    await eventually(async () => expect(await copyData('source-live')).toEqual({ a: '2' }));
    await kube.delete(configMapResource, { name: 'source-live-copy', namespace });
    await eventually(async () => expect(await copyData('source-live')).toEqual({ a: '2' }));
    await kube.delete(configMapResource, { name: 'source-live', namespace });
    await eventually(async () => expect(await copyData('source-live')).toBeUndefined());
  });

  it('sees a delete and a create under one name as two changes', async () => {
    const ref = { name: 'source-again', namespace };
    await kube.create(configMapResource, named('source-again', { a: 'old' }));
    await eventually(async () => expect(await copyData('source-again')).toEqual({ a: 'old' }));
    await kube.delete(configMapResource, ref);
    await kube.create(configMapResource, named('source-again', { a: 'new' }));
    await eventually(async () => expect(await copyData('source-again')).toEqual({ a: 'new' }));
  });

  it('records an event once and does not retry a violation until the object changes', async () => {
    const made = await kube.create(configMapResource, named('source-bad', { bad: '1' }));
    await eventually(async () => {
      const { items } = await kube.list<CoreEvent>(eventResource, { namespace });
      expect(items.filter(({ reason }) => reason === 'BadData')).toHaveLength(1);
    });
    await kube.update(configMapResource, { ...made, data: { good: '1' } });
    await eventually(async () => expect(await copyData('source-bad')).toEqual({ good: '1' }));
  });

  it('keeps events back while a key waits for a worker', async () => {
    const held: (() => void)[] = [];
    const teller = (context: SetupContext): Controller => ({
      name: 'teller',
      concurrency: 1,
      watches: [
        {
          cache: context.cache<ConfigMap>(configMapResource),
          toKeys: ({ object: { metadata } }) => (metadata.name.startsWith('told-') ? [keyOf(metadata)] : []),
        },
      ],
      reconcile: async (key) => {
        context.events.record(named(parseKey(key).name, {}), 'Normal', 'Told', key);
        await new Promise<void>((resolve) => held.push(resolve));
        return {};
      },
    });
    const events = async (): Promise<number> => {
      const { items } = await kube.list<CoreEvent>(eventResource, { namespace, fieldSelector: 'reason=Told' });
      return items.length;
    };
    for (const name of ['told-1', 'told-2', 'told-3']) await kube.create(configMapResource, named(name, {}));
    const manager = new Manager({ kube, log: createLogger('silent'), namespace });
    manager.setup(teller);
    const stop = new AbortController();
    const ended = manager.start(stop.signal);
    for (let waiting = 2; waiting > 0; waiting -= 1) {
      await eventually(() => expect(held).toHaveLength(1));
      expect(await events()).toBe(0);
      held.pop()?.();
    }
    // The last pass still runs, but nothing waits behind it.
    await eventually(async () => expect(await events()).toBe(3));
    expect(held).toHaveLength(1);
    held.pop()?.();
    stop.abort();
    await ended;
  });

  it('makes one pass of the changes that may wait, and lets no other change wait', async () => {
    const create = (name: string) => kube.create(configMapResource, named(name, {}));
    const startedAt = performance.now();
    await create('patient-0');
    await Promise.all(Array.from({ length: 20 }, (_, index) => create(`patient-${index + 1}`)));
    await eventually(() => expect(passes.length).toBeGreaterThan(0));
    expect(passes[0]! - startedAt).toBeGreaterThanOrEqual(GATHERING_MS);
    // More than one only where twenty objects take longer to make than changes wait.
    expect(passes.length).toBeLessThanOrEqual(1 + (passes.at(-1)! - startedAt) / GATHERING_MS);
    await eventually(() => expect(performance.now() - passes.at(-1)!).toBeGreaterThan(GATHERING_MS));
    const before = passes.length;
    await create(LAST);
    await create('urgent');
    await eventually(() => expect(passes.length).toBeGreaterThan(before));
  });

  it('writes nothing when there is nothing to do', async () => {
    const since = await auditPosition(host);
    await kube.patch(
      configMapResource,
      { name: 'source-before', namespace },
      { type: 'merge', body: { metadata: { labels: { a: 'b' } } } },
    );
    await kube.create(configMapResource, named('source-last', { z: '1' }));
    await eventually(async () => expect(await copyData('source-last')).toEqual({ z: '1' }));
    const writes = async (): Promise<string[]> => {
      const entries = (await auditEntries(host, since)).filter(({ objectRef }) => objectRef?.namespace === namespace);
      return entries.map(({ verb, objectRef }) => `${verb} ${objectRef?.name ?? ''}`);
    };
    // A write can be seen before its entry is in the log.
    await eventually(async () =>
      expect(await writes()).toEqual(['patch source-before', 'create source-last', 'patch source-last-copy']),
    );
  });
});
