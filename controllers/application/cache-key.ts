import { createHash } from 'node:crypto';
import { printJson } from '../runtime/pure/lossless-json.js';

const digests = new WeakMap<object, string>();

function digestOf(subject: object): string {
  const known = digests.get(subject) ?? createHash('sha256').update(printJson(subject)).digest('base64');
  digests.set(subject, known);
  return known;
}

/** The key of what a text makes of a subject, which is digested once as long as it is the same object. */
export function cacheKey(text: string, subject: object): string {
  return createHash('sha256')
    .update(`${digestOf(subject)}\n${text}`)
    .digest('base64');
}
