import { afterAll, beforeAll } from '@jest/globals';
import { setUp, type Setup } from '#bench/scenarios/setup.js';
import type { Kube } from '#runtime/client/kube.js';
import { kubeFor, useWorld } from './world.js';

/** A world may have to start first, on a busy machine. */
const START_MS = 300_000;
/** What was rolled out is uninstalled. */
const STOP_MS = 300_000;

/**
 * What `start` makes before the tests of a file or of a describe block, and `stop` ends after them. Hooks and tests use
 * it like the thing itself; there is nothing to read before.
 */
export function fixture<T extends object>(start: () => Promise<T>, stop: (made: T) => Promise<unknown>): T {
  let made: T | undefined;
  beforeAll(async () => {
    made = await start();
  }, START_MS);
  afterAll(async () => {
    if (made !== undefined) await stop(made);
  }, STOP_MS);
  // Every read goes to what was made.
  return new Proxy({} as T, {
    get(_, property): unknown {
      if (made === undefined) throw new Error(`${String(property)} is read before the tests begin`);
      const value: unknown = Reflect.get(made, property);
      return typeof value === 'function' ? (value.bind(made) as unknown) : value;
    },
  });
}

/** The client of the shared world's host, as its administrator. */
export function useHost(): Kube {
  return fixture(
    async () => kubeFor((await useWorld()).host),
    (kube) => kube.close(),
  );
}

/** The shared world's host with the built controller running on it, which starts with `more` flags. */
export function useSetup(more: readonly string[] = []): Setup {
  return fixture(
    async () => setUp(await useWorld(), more),
    (setup) => setup.tearDown(),
  );
}
