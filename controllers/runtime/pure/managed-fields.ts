import type { KubeObject } from '../../../api/meta.js';

/** Nobody reads them from a cache, and they are half of an object's bytes. */
export function withoutManagedFields<T extends KubeObject>(object: T): T {
  if (object.metadata.managedFields === undefined) return object;
  const metadata = { ...object.metadata };
  delete metadata.managedFields;
  return { ...object, metadata };
}
