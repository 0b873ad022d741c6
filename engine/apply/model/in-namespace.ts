import type { Unstructured } from '#api/meta.js';

/** The object in its own namespace, or in this one; in none when there is none. */
export function inNamespace(object: Unstructured, namespace: string | undefined): Unstructured {
  const { namespace: own = namespace, ...rest } = object.metadata;
  return { ...object, metadata: namespace === undefined ? rest : { ...rest, namespace: own } };
}
