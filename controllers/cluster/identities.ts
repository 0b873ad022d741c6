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
  /** Those that answered, or had their time to, since the process started, or their objects or credentials changed. */
  readonly #asked = new Set<string>();
  readonly #isAsking: boolean;
  readonly #handlers: ((change: Change) => void)[] = [];

  /** `isAsking`: this process asks clusters, so that what is not known now may be known soon. */
  constructor({ isAsking = true }: { readonly isAsking?: boolean } = {}) {
    this.#isAsking = isAsking;
  }

  onChange(handler: (change: Change) => void): void {
    this.#handlers.push(handler);
  }

  /** Undefined: the cluster was not asked yet, has not answered yet, or does not tell. */
  uidOf(id: string): string | undefined {
    return this.#uids.get(id);
  }

  /** True until a cluster told its UID, or that it does not tell, or did not answer for long. */
  isToBeAsked(id: string): boolean {
    return this.#isAsking && !this.#asked.has(id);
  }

  /** The last answer of a cluster may be outdated; nobody needs to know before it answers again. */
  askAgain(id: string): void {
    this.#asked.delete(id);
  }

  /** Nothing is known of a cluster, as its object is gone or its credential changed: it is asked again. */
  forget(id: string): void {
    if (this.#uids.has(id)) this.set(id, undefined);
    this.#asked.delete(id);
  }

  /** A cluster told its UID; undefined: it does not tell. */
  set(id: string, uid: string | undefined): void {
    if (this.#asked.has(id) && this.#uids.get(id) === uid) return;
    this.#asked.add(id);
    if (uid === undefined) this.#uids.delete(id);
    else this.#uids.set(id, uid);
    for (const handler of this.#handlers) handler({ type: 'updated', object: named(id) });
  }
}
