import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { configMapResource, crdResource } from '#api/core.js';
import type { KubeObject, ResourceType } from '#api/meta.js';
import type { Cache, Controller, SetupContext } from '#runtime/controller.js';
import { createLogger } from '#runtime/process/log.js';
import { Manager } from '#runtime/manager.js';
import { createMetrics } from '#runtime/process/metrics.js';
import { keyOf } from '#lib/kube/keys.js';
import { linkSignals, untilAborted } from '#runtime/process/signals.js';
import { useHost } from '../../support/fixture.js';
import { eventually, freshNamespace } from '../../support/world.js';

const GROUP = 'lifecycle.test.fairlead.io';
const WIDGETS: ResourceType = { group: GROUP, version: 'v1', kind: 'Widget', plural: 'widgets', namespaced: true };

/** The least CRD that serves WIDGETS. */
const widgetCrd = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `widgets.${GROUP}` },
  spec: {
    group: GROUP,
    scope: 'Namespaced',
    names: { kind: 'Widget', plural: 'widgets' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
};

function recorder(type: ResourceType, seen: string[]): (context: SetupContext) => Controller {
  return (context) => ({
    name: `record-${type.plural}`,
    concurrency: 1,
    watches: [{ cache: context.cache(type), toKeys: ({ object }) => [keyOf(object.metadata)] }],
    reconcile: async (key) => {
      seen.push(key);
      return await Promise.resolve({});
    },
  });
}

describe('the life of a manager', () => {
  afterAll(() => kube.delete(crdResource, { name: widgetCrd.metadata.name }));
  const kube = useHost();
  let namespace: string;
  const configMap = (name: string): KubeObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace },
  });
  const manager = (shutdownTimeoutMs?: number): Manager =>
    new Manager({
      kube,
      log: createLogger('silent'),
      namespace,
      ...(shutdownTimeoutMs === undefined ? {} : { shutdownTimeoutMs }),
    });

  beforeAll(async () => {
    namespace = await freshNamespace(kube, 'lifecycle');
  });

  it('holds back only the controllers that need a type which is not served, until it is', async () => {
    const stopping = new AbortController();
    const subject = manager();
    const [configMaps, widgets]: [string[], string[]] = [[], []];
    subject.setup(recorder(configMapResource, configMaps));
    subject.setup(recorder(WIDGETS, widgets));
    const running = subject.start(stopping.signal);
    await kube.create(configMapResource, configMap('served'));
    await eventually(() => expect(configMaps).toContain(`${namespace}/served`));
    expect(subject.notReady()).toEqual([`cache of widgets.${GROUP} is not synced`]);
    await kube.create(crdResource, widgetCrd);
    const widget = { apiVersion: `${GROUP}/v1`, kind: 'Widget', metadata: { name: 'late', namespace } };
    await eventually(() => kube.create(WIDGETS, widget));
    await eventually(() => expect(widgets).toEqual([`${namespace}/late`]), { timeoutMs: 60_000 });
    expect(subject.notReady()).toEqual([]);
    stopping.abort();
    expect(subject.notReady()).toEqual(['shutting down']);
    await running;
  });

  it('starts a controller without a type that may fail, and knows that it is not synced', async () => {
    const stopping = new AbortController();
    const metrics = createMetrics();
    // Without any permission.
    const stranger = kube.actingAs(`system:serviceaccount:${namespace}:stranger`);
    const subject = new Manager({ kube: stranger, log: createLogger('silent'), namespace, metrics });
    const caches: Cache<KubeObject>[] = [];
    subject.setup((context) => {
      const cache = context.cache(configMapResource, { optional: true, mayFail: true });
      caches.push(cache);
      return { name: 'bold', concurrency: 1, watches: [], reconcile: () => Promise.resolve({}) };
    });
    const running = subject.start(stopping.signal);
    await eventually(async () =>
      expect(await metrics.registry.metrics()).toMatch(/max_concurrent_reconciles\{controller="bold"\} 1/),
    );
    expect(caches.map(({ synced, served }) => ({ synced, served }))).toEqual([{ synced: false, served: true }]);
    expect(subject.notReady()).toEqual([]);
    stopping.abort();
    await running;
  });

  it('waits for a pass that is under way, but no longer than a shutdown may take', async () => {
    const story = async (passMs: number, shutdownMs: number): Promise<{ ended: boolean; tookMs: number }> => {
      const stopping = new AbortController();
      const subject = manager(shutdownMs);
      const pass = { begun: false, ended: false };
      subject.setup((context) => ({
        name: 'slow',
        concurrency: 1,
        watches: [{ cache: context.cache(configMapResource), toKeys: ({ object }) => [object.metadata.name] }],
        reconcile: async () => {
          if (pass.begun) return {};
          pass.begun = true;
          await new Promise((resolve) => setTimeout(resolve, passMs).unref());
          pass.ended = true;
          return {};
        },
      }));
      const running = subject.start(stopping.signal);
      await eventually(() => expect(pass.begun).toBe(true));
      const from = performance.now();
      stopping.abort();
      await running;
      return { ended: pass.ended, tookMs: performance.now() - from };
    };
    expect((await story(500, 20_000)).ended).toBe(true);
    const stuck = await story(60_000, 1_000);
    expect(stuck.ended).toBe(false);
    expect(stuck.tookMs).toBeLessThan(30_000);
  });

  describe('stopped during a reconciliation', () => {
    interface Told {
      readonly stopping: AbortController;
      readonly cancelling: AbortController;
      /** Of the running pass: undefined until it is cancelled. */
      readonly reason: () => unknown;
      readonly begun: () => number;
      readonly endPass: () => void;
      readonly ended: Promise<void>;
    }

    /** One pass that runs until it is cancelled or told to end, and a key that waits for its turn. */
    async function duringAPass(shutdownMs: number): Promise<Told> {
      const [stopping, cancelling, over] = [new AbortController(), new AbortController(), new AbortController()];
      const passes: AbortSignal[] = [];
      const subject = manager(shutdownMs);
      subject.setup((context) => ({
        name: 'long',
        concurrency: 1,
        watches: [{ cache: context.cache(configMapResource), toKeys: () => ['one', 'two'] }],
        reconcile: async (_key, { signal }) => {
          passes.push(signal);
          await untilAborted(linkSignals([signal, over.signal]).signal);
          return {};
        },
      }));
      const ended = subject.start(stopping.signal, cancelling.signal);
      await eventually(() => expect(passes).toHaveLength(1));
      stopping.abort();
      return {
        ...{ stopping, cancelling, ended },
        reason: () => passes[0]?.reason as unknown,
        begun: () => passes.length,
        endPass: () => over.abort(),
      };
    }

    it('lets the pass end, sees what happens until then, and begins no other one', async () => {
      const told = await duringAPass(60_000);
      // Time in which a cancelled pass would have shown.
      await kube.create(configMapResource, configMap('while-stopping'));
      expect(told.reason()).toBeUndefined();
      told.endPass();
      await told.ended;
      expect(told.reason()).toBeUndefined();
      expect(told.begun()).toBe(1);
    });

    it('cancels the reconciliation on request', async () => {
      const told = await duringAPass(60_000);
      told.cancelling.abort(new Error('received SIGTERM'));
      await told.ended;
      expect(told.reason()).toEqual(new Error('received SIGTERM'));
      expect(told.begun()).toBe(1);
    });

    it('cancels the pass when its time is up', async () => {
      const told = await duringAPass(500);
      await told.ended;
      expect(told.reason()).toEqual(new Error('the shutdown timeout has passed'));
    });
  });

  it('refuses caches and controllers that come too late', async () => {
    const stopping = new AbortController();
    const subject = manager();
    let kept: SetupContext | undefined;
    subject.setup((context) => {
      kept = context;
      return recorder(configMapResource, [])(context);
    });
    const running = subject.start(stopping.signal);
    expect(() => kept?.cache(WIDGETS)).toThrow('the cache of Widget is asked for after the start');
    expect(() => subject.setup(recorder(WIDGETS, []))).toThrow('before the manager starts');
    stopping.abort();
    await running;
  });
});
