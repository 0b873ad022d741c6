import { namespaceResource } from '#api/core.js';
import type { Kube, RequestOptions } from '#runtime/client/kube.js';
import { apiStatusOf, TransientError } from '#lib/errors.js';
import { isMap } from '#lib/plain.js';

/** The namespace that is as old as its cluster, and is never created again. */
const OLDEST_NAMESPACE = 'kube-system';
/** A server may answer with anything. */
const UID = /^[-\w]{1,64}$/;
/** More than a Namespace ever has. */
const MAX_BYTES = 65_536;
/** An address may lead to another cluster soon after. */
const KEPT_MS = 60_000;

async function readOldest(kube: Kube, options: RequestOptions): Promise<unknown> {
  try {
    return await kube.get(namespaceResource, { name: OLDEST_NAMESPACE }, { ...options, maxBytes: MAX_BYTES });
  } catch (error: unknown) {
    if (apiStatusOf(error)?.code === 403) return undefined;
    throw error;
  }
}

/**
 * UID of the namespace kube-system, which tells a cluster from others; undefined if the credential may not read it.
 * Errors are those of the client, or TransientError.
 */
export async function uidOf(kube: Kube, options: RequestOptions): Promise<string | undefined> {
  const found = await readOldest(kube, options);
  if (found === undefined) return undefined;
  const metadata = isMap(found) ? found['metadata'] : undefined;
  const uid = isMap(metadata) ? metadata['uid'] : undefined;
  if (typeof uid === 'string' && UID.test(uid)) return uid;
  throw new TransientError(`${kube.server} answers without a UID of namespace ${OLDEST_NAMESPACE}`);
}

/** Like `uidOf`, asked at most once a minute; what failed is asked again. */
export function rememberedUid(kube: Kube): (options?: RequestOptions) => Promise<string | undefined> {
  let last: { readonly uid: string | undefined; readonly askedAt: number } | undefined;
  return async (options = {}) => {
    const askedAt = performance.now();
    if (last === undefined || askedAt - last.askedAt >= KEPT_MS) last = { uid: await uidOf(kube, options), askedAt };
    return last.uid;
  };
}
