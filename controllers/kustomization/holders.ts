import memoize from 'lodash/memoize.js';
import { kustomizationResource, type Kustomization } from '#api/flux/kustomization.js';
import type { Unstructured } from '#api/meta.js';
import { inventoryEntry } from '#engine/member/model/inventory.js';
import { apiStatusOf } from '#lib/errors.js';
import { keyOf, parseKey } from '#lib/kube/keys.js';
import { isCommon, isHolder, nameOf, ownerKeyOf, sharersOf, waitersOf } from './model/holders.js';
import type { Pass } from './pass.js';

/** The Kustomization that keeps a live object from this one, in words; undefined: none does. */
export type HolderOf = (live: Unstructured) => Promise<string | undefined>;

/**
 * Finds who has a live object that is new to this Kustomization. The API server says whether its owner still exists:
 * what it does not tell counts as existing. What is in the inventory already stays there: both have applied it so far.
 */
export function holderOf({ kube, kustomization, signal }: Pick<Pass, 'kube' | 'kustomization' | 'signal'>): HolderOf {
  const own = keyOf(kustomization.metadata);
  const known = new Set((kustomization.status?.inventory?.entries ?? []).map(({ id }) => id));
  const read = memoize(async (key: string): Promise<Kustomization | 'unknown' | undefined> => {
    try {
      return await kube.get<Kustomization>(kustomizationResource, parseKey(key), { signal });
    } catch (error: unknown) {
      if (apiStatusOf(error)?.code !== 403) throw error;
      return 'unknown';
    }
  });
  return async (live) => {
    const { id } = inventoryEntry(live);
    const key = ownerKeyOf(live);
    if (key === undefined || key === own || known.has(id) || isCommon(live)) return undefined;
    const other = await read(key);
    if (other === undefined) return undefined;
    if (other === 'unknown') return nameOf(kustomization, { metadata: parseKey(key) });
    return isHolder(kustomization, other, id) ? nameOf(kustomization, other) : undefined;
  };
}

/** Why objects with these ids are not deleted with this Kustomization, or by it: by id, another one in words. */
export function keepersOf(
  { kustomization, kustomizations }: Pick<Pass, 'kustomization' | 'kustomizations'>,
  ids: ReadonlySet<string>,
): ReadonlyMap<string, string> {
  const others = kustomizations.list();
  const [sharers, waiters] = [sharersOf, waitersOf].map((find) => find(kustomization, others, ids));
  return new Map([...(waiters ?? []), ...(sharers ?? [])]);
}
