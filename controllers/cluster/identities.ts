import type { KubeObject } from '#api/meta.js';
import type { Cache, Change } from '../runtime/controller.js';

/** What a change names: the cluster, as `clusterIdText`. */
function named(id: string): KubeObject {
  return { apiVersion: 'v1', kind: 'ClusterIdentity', metadata: { name: id } };
}

/**
 * Which clusters answered behind the names of the inventory: the UID of the namespace kube-system, as the last probe
 * found it. A process that starts asks again, so it is not stored here.
 */
export class Identities implements Pick<Cache<KubeObject>, 'onChange'> {
  /** By `clusterIdText`. */
  readonly #uids = new Map<string, string>();
  readonly #handlers: ((change: Change) => void)[] = [];

  onChange(handler: (change: Change) => void): void {
    this.#handlers.push(handler);
  }

  /** Undefined: the cluster was not asked yet, has not answered yet, or does not tell. */
  uidOf(id: string): string | undefined {
    return this.#uids.get(id);
  }

  set(id: string, uid: string | undefined): void {
    if (this.#uids.get(id) === uid) return;
    if (uid === undefined) this.#uids.delete(id);
    else this.#uids.set(id, uid);
    for (const handler of this.#handlers) handler({ type: 'updated', object: named(id) });
  }
}
