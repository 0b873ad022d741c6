import type { KubeObject } from '#api/meta.js';
import { isUnknownKind } from '#engine/member/member-failure.js';
import { createMembers } from '#engine/member/members.js';
import type { Kube, RequestOptions } from '#runtime/client/kube.js';
import { keptBytes } from '#lib/json/nesting.js';
import { createLru } from '#lib/lru.js';
import { withoutManagedFields } from '#lib/kube/managed-fields.js';
import type { Cluster } from './model/cluster.js';
import { withReadableAnnotations } from './model/fields.js';
import { referencesOf, type Reference, type ReferredObjects } from './model/references.js';

/** Approximate bytes of memory of all objects that are kept together. */
const MAX_KEPT = 32_000_000;
/** One that is longer as JSON is not read: values would be made of a document, not of facts. */
const MAX_LENGTH = 65_536;
/** A change of such an object reaches values after at most this time, with the next reconciliation. */
const REUSE_MS = 60_000;

interface Kept {
  readonly object: KubeObject | undefined;
  readonly size: number;
  /** Monotonic milliseconds. */
  readonly readAt: number;
}

export type ReadReferences = (cluster: Cluster, options?: RequestOptions) => Promise<ReferredObjects>;

/**
 * Reads what Clusters of Cluster API refer to, on demand: any kind that is served. Errors are those of the client;
 * what does not exist is none.
 */
export function referenceReader(host: Kube): ReadReferences {
  const members = createMembers({ host });
  const kept = createLru<Kept>(MAX_KEPT, ({ size }) => size);

  async function fetch({ apiVersion, kind, ref }: Reference, options: RequestOptions): Promise<KubeObject | undefined> {
    try {
      const member = await members.get('host', ref.namespace ?? '', options);
      const type = await member.servedType(apiVersion, kind, options);
      // A cluster-scoped one could be that of another tenant.
      if (!type.namespaced) return undefined;
      const object = await host.get<KubeObject>(type, ref, options);
      return object === undefined ? undefined : withReadableAnnotations(withoutManagedFields(object));
    } catch (error: unknown) {
      if (isUnknownKind(error)) return undefined;
      throw error;
    }
  }

  async function read(reference: Reference | undefined, options: RequestOptions): Promise<KubeObject | undefined> {
    if (reference === undefined) return undefined;
    const key = JSON.stringify(reference);
    const known = kept.get(key);
    const readAt = performance.now();
    if (known !== undefined && readAt - known.readAt < REUSE_MS) return known.object;
    const found = await fetch(reference, options);
    const text = JSON.stringify(found ?? null);
    const object = text.length > MAX_LENGTH ? undefined : found;
    kept.set(key, { object, size: key.length + (object === undefined ? 0 : keptBytes(text)), readAt });
    return object;
  }

  return async (cluster, options = {}) => {
    const { controlPlane, infraCluster } = referencesOf(cluster);
    const [plane, infra] = await Promise.all([read(controlPlane, options), read(infraCluster, options)]);
    return { ...(plane && { controlPlane: plane }), ...(infra && { infraCluster: infra }) };
  };
}
