import pLimit, { type LimitFunction } from 'p-limit';
import type { ResourceType, KubeObject } from '#api/meta.js';
import { listAll, type Kube } from '#runtime/client/kube.js';
import { ConflictError, isNotFound, apiStatusOf } from '#lib/errors.js';
import type { ArtifactStore } from '#engine/artifact/types.js';
import type { Cache, Controller } from '#runtime/controller.js';
import { keyOf } from '#lib/kube/keys.js';
import { SOURCE_TYPES, type Source } from './model/source.js';
import { FIELD_MANAGER } from './pass.js';

const AT_ONCE = 8;

interface RetireOptions {
  readonly kube: Kube;
  /** Where this process served its artifacts. */
  readonly baseUrl: string;
  /** Absent: all namespaces. */
  readonly namespace: string | undefined;
  /** How long it may take. */
  readonly signal: AbortSignal;
}

/**
 * Removes the artifacts of this process from the status of their sources, so that another engine waits for its own
 * artifacts instead of requesting them from an address that is gone. Concurrent writes of others are kept. Returns the
 * number of sources.
 */
export async function retireArtifacts(options: RetireOptions): Promise<number> {
  const limit = pLimit(AT_ONCE);
  const counts = await Promise.all(SOURCE_TYPES.map((type) => retireAll(type, options, limit)));
  return counts.reduce((sum, count) => sum + count, 0);
}

async function retireAll(type: ResourceType, options: RetireOptions, limit: LimitFunction): Promise<number> {
  const { kube, baseUrl, namespace, signal } = options;
  const items = await listAll<Source>(kube, type, { namespace, signal }).then(
    (list) => list.items,
    // A kind that is not served has no artifacts, and must not stop the others.
    (error: unknown) => {
      if (isNotFound(error)) return [];
      throw error;
    },
  );
  const ours = items.filter(({ status }) => status?.artifact?.url.startsWith(`${baseUrl}/`) === true);
  await Promise.all(ours.map((source) => limit(() => retire(type, source, options))));
  return ours.length;
}

async function retire(type: ResourceType, { metadata }: Source, { kube, signal }: RetireOptions): Promise<void> {
  const body = { metadata: { resourceVersion: metadata.resourceVersion }, status: { artifact: null } };
  const options = { subresource: 'status', fieldManager: FIELD_MANAGER, signal } as const;
  try {
    await kube.patch(type, metadata, { type: 'merge', body }, options);
  } catch (error: unknown) {
    if (!(error instanceof ConflictError) && !isNotFound(error)) throw error;
  }
}

/** A kind whose objects have artifacts. */
export interface OwningKind {
  readonly type: ResourceType;
  readonly cache: Pick<Cache<KubeObject>, 'synced' | 'served' | 'get' | 'onChange'>;
}

export interface SweepOptions {
  readonly store: Pick<ArtifactStore, 'owners' | 'remove'>;
  readonly kube: Pick<Kube, 'get'>;
  readonly kinds: readonly OwningKind[];
}

const KEY = keyOf({ name: 'artifacts' });
/** A kind that is not served may be so later. */
const AGAIN_MS = 3_600_000;
const FORBIDDEN = 403;

/** Only the server knows for sure: a cache may hold one namespace, and who may not ask does not know. */
async function isGone(
  kube: SweepOptions['kube'],
  type: ResourceType,
  ref: { readonly name: string; readonly namespace: string },
  signal: AbortSignal,
): Promise<boolean> {
  try {
    return (await kube.get(type, ref, { signal })) === undefined;
  } catch (error: unknown) {
    if (apiStatusOf(error)?.code === FORBIDDEN) return false;
    throw error;
  }
}

/**
 * Removes the artifacts of objects that were deleted while no controller ran. Those of a kind that is not read, or not
 * served, stay. Returns true if there is no such kind.
 */
export async function sweepArtifacts({ store, kube, kinds }: SweepOptions, signal: AbortSignal): Promise<boolean> {
  const known = kinds.filter(({ cache }) => cache.synced && cache.served);
  for (const owner of await store.owners()) {
    const kind = known.find(({ type }) => type.kind.toLowerCase() === owner.kind);
    if (kind === undefined || kind.cache.get(owner) !== undefined) continue;
    if (await isGone(kube, kind.type, owner, signal)) await store.remove(owner);
  }
  return known.length === kinds.length;
}

/** Sweeps once after the start. */
export function artifactSweeper(options: SweepOptions): Controller {
  let isDone = false;
  return {
    name: 'artifactsweeper',
    concurrency: 1,
    watches: options.kinds.map(({ cache }) => ({ cache, toKeys: () => (isDone ? [] : [KEY]) })),
    reconcile: async (_key, { signal }) => {
      isDone ||= await sweepArtifacts(options, signal);
      return isDone ? {} : { requeueAfterMs: AGAIN_MS };
    },
  };
}
