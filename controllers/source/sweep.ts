import type { KubeObject, ResourceType } from '#api/meta.js';
import type { ArtifactStore } from '#engine/artifact/types.js';
import type { Cache, Controller } from '#runtime/controller.js';
import type { Kube } from '#runtime/client/kube.js';
import { apiStatusOf } from '#lib/errors.js';
import { keyOf } from '#lib/kube/keys.js';

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
