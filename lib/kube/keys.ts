import type { ObjectRef } from '#api/meta.js';

/** `namespace/name`, or `name` for a cluster-scoped object: the only thing that survives the queue. */
export function keyOf(ref: ObjectRef): string {
  return ref.namespace === undefined ? ref.name : `${ref.namespace}/${ref.name}`;
}

/** Inverse of `keyOf`; names and namespaces hold no slash. */
export function parseKey(key: string): ObjectRef {
  const slash = key.indexOf('/');
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
