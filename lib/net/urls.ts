import type { ObjectRef, ResourceType } from '#api/meta.js';
import { TerminalError } from '../errors.js';

/** Query parameters; undefined ones are left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** `?a=b&c=d` with stable order of insertion, or the empty string. */
export function queryString(query: Query): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined);
  if (pairs.length === 0) return '';
  return `?${pairs.map(([key, value]) => `${key}=${encodeURIComponent(String(value))}`).join('&')}`;
}

/** What the API server takes for a part of a path of its own, or for the end of one: no object has such a name. */
const NO_SEGMENT = /^\.{0,2}$|[/%]/;
/** `v1`, `apps/v1`. */
const GROUP_VERSION = /^(?:[a-z0-9][a-z0-9.-]*\/)?[a-z0-9-]+$/;

/** A URL is decoded before it is split: only what can be no other path is sent. Throws a TerminalError `InvalidName`. */
function segment(text: string, what: string): string {
  if (!NO_SEGMENT.test(text)) return encodeURIComponent(text);
  throw new TerminalError(
    'InvalidName',
    `"${text}" is no name of ${what}: it is empty, "." or "..", or has "/" or "%"`,
  );
}

/** Path of what a group and version serve; undefined: no API server serves what is no apiVersion. */
export function groupVersionPath(apiVersion: string): string | undefined {
  if (!GROUP_VERSION.test(apiVersion)) return undefined;
  return apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
}

/** Path of a collection; without a namespace, a namespaced type means: all namespaces. */
export function collectionPath(type: ResourceType, namespace?: string): string {
  const root = type.group === '' ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`;
  const scope = type.namespaced && namespace !== undefined ? `/namespaces/${segment(namespace, 'a namespace')}` : '';
  return `${root}${scope}/${type.plural}`;
}

/**
 * Path of one object. Throws a TypeError when a namespaced object names no namespace (it would hit the wrong URL), and a
 * TerminalError `InvalidName` for a name that would hit another one, too: without a name it is that of all objects.
 */
export function objectPath(type: ResourceType, ref: ObjectRef, subresource?: string): string {
  if (type.namespaced && (ref.namespace ?? '') === '') {
    throw new TypeError(`${type.kind} ${ref.name} is namespaced but has no namespace`);
  }
  const tail = subresource === undefined ? '' : `/${subresource}`;
  return `${collectionPath(type, ref.namespace)}/${segment(ref.name, `a ${type.kind}`)}${tail}`;
}

/** `Kind namespace/name`: how messages name an object. */
export function describeObject(kind: string, ref: ObjectRef): string {
  return ref.namespace === undefined ? `${kind} ${ref.name}` : `${kind} ${ref.namespace}/${ref.name}`;
}
