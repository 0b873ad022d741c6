import { createHash } from 'node:crypto';
import pick from 'lodash/pick.js';
import type { KubeObject } from '#api/meta.js';

/** What `mayBeDrift` and owners ask for. */
const KEPT = ['name', 'namespace', 'uid', 'resourceVersion', 'generation', 'deletionTimestamp', 'labels'] as const;
/** Longer annotations are kept as their digest, such as the whole object that kubectl writes down. */
const LONGEST = 64;

/** A server may answer with anything. */
function brief(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length <= LONGEST ? text : createHash('sha256').update(text).digest('base64');
}

/** An object as a watch for drift keeps it. */
export function withoutLongTexts(object: KubeObject): KubeObject {
  const entries = Object.entries(object.metadata.annotations ?? {});
  const annotations = Object.fromEntries(entries.map(([key, value]) => [key, brief(value)]));
  return { ...pick(object, 'apiVersion', 'kind'), metadata: { ...pick(object.metadata, KEPT), annotations } };
}
