import { isMap } from '#lib/plain.js';
import type { Readiness } from './cluster.js';

/** What lies at a path of maps in an object that others write; undefined where there is none. Never throws. */
export function fieldAt(object: unknown, ...path: readonly string[]): unknown {
  let found: unknown = object;
  for (const part of path) {
    if (!isMap(found) || !Object.hasOwn(found, part)) return undefined;
    found = found[part];
  }
  return found;
}

/** The text at a path; undefined where there is none, or an empty one. */
export function textAt(object: unknown, ...path: readonly string[]): string | undefined {
  const found = fieldAt(object, ...path);
  return typeof found === 'string' && found !== '' ? found : undefined;
}

/** The list at a path; empty where there is none. */
export function listAt(object: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = fieldAt(object, ...path);
  return Array.isArray(found) ? found : [];
}

/** Of kinds that report no readiness: all that is known is that the object exists. */
export const SAYS_NOTHING: Readiness = { state: 'Unknown', message: '' };

/** Characters of a message; what others write there may be long. */
const MAX_MESSAGE = 1_024;

/** How ready a cluster is by one of its conditions; the first list that has it decides. */
export function readinessBy(type: string, ...lists: readonly (readonly unknown[])[]): Readiness {
  const condition = lists.flat().find((each) => fieldAt(each, 'type') === type);
  if (condition === undefined) return { state: 'Unknown', message: `it reports no condition ${type} yet` };
  const status = fieldAt(condition, 'status');
  if (status === 'True') return { state: 'Ready', message: '' };
  const message = textAt(condition, 'message') ?? textAt(condition, 'reason') ?? `its condition ${type} is not True`;
  return { state: status === 'False' ? 'NotReady' : 'Unknown', message: message.slice(0, MAX_MESSAGE) };
}
