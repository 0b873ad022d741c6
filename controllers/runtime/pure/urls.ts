import type { ObjectRef, ResourceType } from '#api/meta.js';

/** Query parameters; undefined ones are left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** `?a=b&c=d` with stable order of insertion, or the empty string. */
export function queryString(query: Query): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined);
  if (pairs.length === 0) return '';
  return `?${pairs.map(([key, value]) => `${key}=${encodeURIComponent(String(value))}`).join('&')}`;
}

/** Path of a collection; without a namespace, a namespaced type means: all namespaces. */
export function collectionPath(type: ResourceType, namespace?: string): string {
  const root = type.group === '' ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`;
  const scope = type.namespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  return `${root}${scope}/${type.plural}`;
}

/** Path of one object. Throws a TypeError when a namespaced object names no namespace (it would hit the wrong URL). */
export function objectPath(type: ResourceType, ref: ObjectRef, subresource?: string): string {
  if (type.namespaced && (ref.namespace ?? '') === '') {
    throw new TypeError(`${type.kind} ${ref.name} is namespaced but has no namespace`);
  }
  const tail = subresource === undefined ? '' : `/${subresource}`;
  return `${collectionPath(type, ref.namespace)}/${encodeURIComponent(ref.name)}${tail}`;
}

/** `Kind namespace/name`: how messages name an object. */
export function describeObject(kind: string, ref: ObjectRef): string {
  return ref.namespace === undefined ? `${kind} ${ref.name}` : `${kind} ${ref.namespace}/${ref.name}`;
}
