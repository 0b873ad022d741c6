import pLimit from 'p-limit';
import type { KubeObject, ResourceType } from '#api/meta.js';
import { listAll, type Kube } from '#runtime/client/kube.js';
import { isNotFound } from '#lib/errors.js';

/** The garbage collector deletes, too: the children of what was deleted before. */
function unlessGone(error: unknown): void {
  if (!isNotFound(error)) throw error;
}

/** Deletes at the same time. */
const ERASERS = 16;

/**
 * Deletes all objects of one type in a namespace, so that controllers of later tests in this world find nothing to do;
 * without waiting for those who hold an object by a finalizer: they have stopped.
 */
export async function erase(kube: Kube, type: ResourceType, namespace: string): Promise<void> {
  const limit = pLimit(ERASERS);
  const { items } = await listAll(kube, type, { namespace });
  const one = async ({ metadata }: KubeObject): Promise<void> => {
    const body = { metadata: { finalizers: null } };
    if ((metadata.finalizers ?? []).length > 0)
      await kube.patch(type, metadata, { type: 'merge', body }).catch(unlessGone);
    await kube.delete(type, metadata);
  };
  await Promise.all(items.map((item) => limit(() => one(item))));
}
