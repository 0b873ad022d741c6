import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import times from 'lodash/times.js';
import pLimit from 'p-limit';
import { installCrds } from '#cli/install/crds.js';
import { kubeFromFile } from '#runtime/client/credentials.js';
import type { Kube } from '#runtime/client/kube.js';
import { startWorld, type World } from '#sandbox/world.js';

/** One benchmark: returns plain data; keys that start with `ratio` compare figures of this very run. */
export type Bench = (options: { full: boolean }) => Promise<Record<string, unknown>>;

/** Runs `measure` in a world of its own and ends that world, whatever happens. */
export async function withWorld<T>(
  { members }: { readonly members: number },
  measure: (world: World) => Promise<T>,
): Promise<T> {
  const world = await startWorld({ dir: await mkdtemp(path.join(tmpdir(), 'fairlead-bench-')), members });
  try {
    return await measure(world);
  } finally {
    await world.stop();
  }
}

/** A world without members, and a client for its host. */
export interface Host {
  readonly world: World;
  readonly kube: Kube;
}

/** Runs `measure` on a cluster of its own. */
export function withHost<T>(measure: (host: Host) => Promise<T>): Promise<T> {
  return withWorld({ members: 0 }, async (world) => {
    const kube = await kubeFromFile({ path: world.host.kubeconfig });
    try {
      return await measure({ world, kube });
    } finally {
      await kube.close();
    }
  });
}

/** The same with our CRDs. */
export function withCrds<T>(measure: (host: Host) => Promise<T>): Promise<T> {
  return withHost(async (host) => {
    await installCrds(host.kube, { takeOver: false });
    return measure(host);
  });
}

/** Requests at the same time, unless a bench says otherwise: as many as a busy controller sends. */
export const WRITERS = 32;

/** Runs something for each item, so many at the same time. */
export async function forEachOf<T>(
  items: readonly T[],
  run: (item: T) => Promise<unknown>,
  parallel = WRITERS,
): Promise<void> {
  const limit = pLimit(parallel);
  await Promise.all(items.map((item) => limit(() => run(item))));
}

/** Runs something for each number below `count`. */
export function forEach(count: number, run: (index: number) => Promise<unknown>, parallel = WRITERS): Promise<void> {
  return forEachOf(times(count), run, parallel);
}

/** Seconds that something takes. */
export async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1_000;
}
