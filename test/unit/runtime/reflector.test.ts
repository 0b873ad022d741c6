import { expect, test } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import type { KubeObject, ResourceType } from '#api/meta.js';
import { eventually } from '#bench/scenarios/eventually.js';
import { TransientError } from '#lib/errors.js';
import { Reflector, type ReflectorOptions } from '#runtime/cache/reflector.js';
import { Store } from '#runtime/cache/store.js';
import { Weights } from '#runtime/cache/weights.js';
import type { Kube, WatchEvent, WatchQuery } from '#runtime/client/kube.js';
import { createLogger } from '#runtime/process/log.js';

const THING: ResourceType = { group: 'example.com', version: 'v1', kind: 'Thing', plural: 'things', namespaced: true };

function added(name: string): WatchEvent<KubeObject> {
  const metadata = { name, labels: { a: 'a'.repeat(1_000) } };
  return { type: 'ADDED', object: { apiVersion: 'example.com/v1', kind: 'Thing', metadata } };
}

const WHOLE: WatchEvent<KubeObject> = { type: 'BOOKMARK', resourceVersion: '1', initialEventsEnd: true };

/** Runs a reflector for `work`; `held` are the bytes that it counts. */
async function reflecting(
  kube: Partial<Kube>,
  work: (held: () => number, store: Store<KubeObject>) => Promise<void>,
  options: Partial<ReflectorOptions<KubeObject>> = {},
): Promise<void> {
  let held = 0;
  const store = new Store<KubeObject>(THING, () => undefined);
  const share = { grow: (bytes: number) => (held += bytes) };
  const part = { type: THING, namespace: undefined, metadataOnly: true, log: createLogger('silent') };
  const reflector = new Reflector({ kube: kube as Kube, store, share, ...part, ...options }); // the rest is not asked
  const abort = new AbortController();
  const ended = reflector.run(abort.signal);
  try {
    await work(() => held, store);
  } finally {
    abort.abort();
    await ended;
  }
}

test('a streamed list that the server ends too early takes no memory', async () => {
  let lists = 0;
  const watch = async function* () {
    lists += 1;
    yield added(`a${lists}`);
    await delay(1_010);
  };
  await reflecting({ watch: watch as unknown as Kube['watch'] }, async (held) => {
    await eventually(() => expect(lists).toBe(2));
    expect(held()).toBeLessThan(2_000);
  });
});

test('a type that is not served any more takes no memory', async () => {
  let isServed = true;
  const watch = async function* (_type: ResourceType, { signal }: WatchQuery) {
    if (!isServed) throw new TransientError('gone', { status: { code: 404, reason: 'NotFound', causes: [] } });
    yield* [added('a'), WHOLE];
    await delay(300, undefined, { signal });
    isServed = false;
    yield { type: 'ERROR', code: 410, message: 'too old' } satisfies WatchEvent<KubeObject>;
  };
  await reflecting(
    { watch: watch as unknown as Kube['watch'] },
    async (held, store) => {
      await eventually(() => expect(held()).toBeGreaterThan(1_000));
      await eventually(() => expect(store.served).toBe(false));
      expect(held()).toBe(0);
    },
    { optional: true },
  );
});

test('what the store has from another client counts until the first list is there, and not twice', async () => {
  const list = async function* (_type: ResourceType, { signal }: WatchQuery) {
    yield* [added('a'), WHOLE];
    await delay(60_000, undefined, { signal }).catch(() => undefined);
  };
  let held = 0;
  const share = { grow: (bytes: number) => (held += bytes) };
  const store = new Store<KubeObject>(THING, () => undefined);
  const part = { type: THING, store, namespace: undefined, metadataOnly: true, log: createLogger('silent') };
  const kube = { watch: list } as unknown as Kube; // nothing else is asked
  const other = { grow: () => undefined };
  const before = new Weights(other);
  const follow = async (reflector: Reflector<KubeObject>): Promise<void> => {
    const abort = new AbortController();
    const ended = reflector.run(abort.signal);
    await reflector.whenSynced;
    abort.abort();
    await ended;
  };
  await follow(new Reflector({ ...part, kube, share: other, weights: before }));
  const weights = new Weights(share, before);
  const whole = held;
  expect(whole).toBeGreaterThan(1_000);
  await follow(new Reflector({ ...part, kube, share, weights }));
  expect(held).toBe(whole);
});

test('what comes after the end of a reflector changes nothing', async () => {
  let store: Store<KubeObject> | undefined;
  const watch = async function* (_type: ResourceType, { signal }: WatchQuery) {
    yield added('a');
    await new Promise((resolve) => signal?.addEventListener('abort', resolve));
    yield WHOLE;
  };
  await reflecting({ watch: watch as unknown as Kube['watch'] }, async (held, filled) => {
    store = filled;
    await eventually(() => expect(held()).toBeGreaterThan(0));
  });
  expect(store?.synced).toBe(false);
});

test('a list in pages is taken in turns with other work', async () => {
  const items = Array.from({ length: 200 }, (_, index) => ({ metadata: { name: `a${index}`, resourceVersion: '1' } }));
  let pages = 0;
  const list = () => Promise.resolve({ items, resourceVersion: '1', ...((pages += 1) < 2 && { continueToken: 'b' }) });
  const watch = async function* (_type: ResourceType, { sendInitialEvents, signal }: WatchQuery) {
    if (sendInitialEvents === true)
      throw new TransientError('no', { status: { code: 400, reason: 'BadRequest', causes: [] } });
    await delay(60_000, undefined, { signal }).catch(() => undefined);
    yield* [];
  };
  let turns = 0;
  const others = setInterval(() => (turns += 1), 1);
  const transform = (object: KubeObject): KubeObject => {
    const begun = performance.now();
    while (performance.now() - begun < 1);
    return object;
  };
  await reflecting(
    { list, watch } as unknown as Kube,
    async (_held, store) => {
      await eventually(() => expect(store.list()).toHaveLength(200));
    },
    { transform },
  );
  clearInterval(others);
  expect(pages).toBe(2);
  expect(turns).toBeGreaterThan(40);
});
