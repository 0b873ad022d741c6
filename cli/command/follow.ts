import { setTimeout as delay } from 'node:timers/promises';
import type { KubeObject, ResourceType } from '#api/meta.js';
import { listAll, type Kube, type ListQuery } from '#runtime/client/kube.js';
import { CancelledError } from '#lib/errors.js';

const WATCH_SECONDS = 300;
const AGAIN_AFTER_MS = 1_000;

/** What is followed, and who sees it. */
interface Following<T extends KubeObject> {
  readonly type: ResourceType;
  readonly query: ListQuery;
  readonly signal: AbortSignal;
  readonly show: (objects: readonly T[]) => void;
}

function keyOf({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ''}/${metadata.name}`;
}

/** One list and the watch after it; returns when the server ends the watch. */
async function followOnce<T extends KubeObject>(kube: Kube, following: Following<T>): Promise<void> {
  const { type, query, signal, show } = following;
  const { items, resourceVersion } = await listAll<T>(kube, type, { ...query, signal });
  const known = new Map(items.map((item) => [keyOf(item), item]));
  show([...known.values()]);
  const watch = { ...query, signal, resourceVersion, timeoutSeconds: WATCH_SECONDS };
  for await (const event of kube.watch<T>(type, watch)) {
    if (event.type === 'ERROR') return;
    if (event.type === 'BOOKMARK') continue;
    if (event.type === 'DELETED') known.delete(keyOf(event.object));
    else known.set(keyOf(event.object), event.object);
    show([...known.values()]);
  }
}

/**
 * Calls `show` with all objects of `query` at first and after each change, until `signal`. A watch that breaks is taken
 * up again; an error of the first list is thrown.
 */
export async function follow<T extends KubeObject>(kube: Kube, following: Following<T>): Promise<void> {
  const { signal } = following;
  const first = { isShown: false };
  const show = (objects: readonly T[]): void => {
    first.isShown = true;
    following.show(objects);
  };
  while (!signal.aborted) {
    try {
      await followOnce(kube, { ...following, show });
    } catch (error: unknown) {
      if (error instanceof CancelledError) return;
      if (!first.isShown) throw error;
    }
    // However the watch ended: a server that ends it at once must not be asked in a hot loop.
    await delay(AGAIN_AFTER_MS, undefined, { signal }).catch(() => undefined);
  }
}
