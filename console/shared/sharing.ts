import { isMap } from '#lib/plain.js';
import { Refusal } from './refusal.js';

/** What the body of a request to share a template says. */
export interface Sharing {
  /** Namespaces that may use it from now on. */
  readonly add: readonly string[];
  /** Those that may not any more. */
  readonly remove: readonly string[];
}

/** Each is looked up. */
const MOST = 50;
const NAME = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;

function namesIn(body: Readonly<Record<string, unknown>>, field: keyof Sharing): string[] {
  const list = body[field] ?? [];
  if (!Array.isArray(list) || list.length > MOST) {
    throw new Refusal(400, `${field}: it must be a list of up to ${MOST} namespaces`);
  }
  const names: readonly unknown[] = list;
  const odd = names.find((name) => typeof name !== 'string' || !NAME.test(name));
  if (odd !== undefined) throw new Refusal(400, `${field}: each must be the name of a namespace`);
  return [...new Set(names as readonly string[])];
}

/** Throws a Refusal (400) that names the field. */
export function sharingIn(body: unknown): Sharing {
  if (!isMap(body)) throw new Refusal(400, 'the body is not an object');
  const odd = Object.keys(body).find((key) => key !== 'add' && key !== 'remove');
  if (odd !== undefined)
    throw new Refusal(400, `${JSON.stringify(odd)} is no field of the body; only add and remove are`);
  const sharing = { add: namesIn(body, 'add'), remove: namesIn(body, 'remove') };
  if (sharing.add.length + sharing.remove.length === 0) throw new Refusal(400, 'name a namespace in add or remove');
  return sharing;
}
