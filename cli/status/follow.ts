import { setTimeout as delay } from 'node:timers/promises';
import { applicationResource, type Application } from '../../api/v1alpha1/application.js';
import { listAll, type Kube, type ListQuery } from '../../controllers/runtime/kube.js';
import { CancelledError } from '../../controllers/runtime/pure/errors.js';

const WATCH_SECONDS = 300;
const AGAIN_AFTER_MS = 1_000;

type Show = (applications: readonly Application[]) => void;

function keyOf({ metadata }: Application): string {
  return `${metadata.namespace ?? ''}/${metadata.name}`;
}

/** One list and the watch after it; returns when the server ends the watch. */
async function followOnce(kube: Kube, query: ListQuery, signal: AbortSignal, show: Show): Promise<void> {
  const { items, resourceVersion } = await listAll<Application>(kube, applicationResource, { ...query, signal });
  const known = new Map(items.map((item) => [keyOf(item), item]));
  show([...known.values()]);
  const watch = { ...query, signal, resourceVersion, timeoutSeconds: WATCH_SECONDS };
  for await (const event of kube.watch<Application>(applicationResource, watch)) {
    if (event.type === 'ERROR') return;
    if (event.type === 'BOOKMARK') continue;
    if (event.type === 'DELETED') known.delete(keyOf(event.object));
    else known.set(keyOf(event.object), event.object);
    show([...known.values()]);
  }
}

/**
 * Calls `show` with all Applications of `query` at first and after each change, until `signal`. A watch that breaks is
 * taken up again; an error of the first list is thrown.
 */
export async function follow(kube: Kube, query: ListQuery, signal: AbortSignal, show: Show): Promise<void> {
  const first = { isShown: false };
  const showAndRemember: Show = (applications) => {
    first.isShown = true;
    show(applications);
  };
  while (!signal.aborted) {
    try {
      await followOnce(kube, query, signal, showAndRemember);
    } catch (error: unknown) {
      if (error instanceof CancelledError) return;
      if (!first.isShown) throw error;
    }
    // However the watch ended: a server that ends it at once must not be asked in a hot loop.
    await delay(AGAIN_AFTER_MS, undefined, { signal }).catch(() => undefined);
  }
}
