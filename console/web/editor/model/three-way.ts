import { canonicalJson } from '#lib/json/canonical-json.js';
import { isMap } from '#lib/plain.js';
import { identityOf } from './entry-keys.js';
import { valueAt, type Edit, type Path } from '../../model/yaml-edit.js';

export interface Merged {
  readonly value: unknown;
  /** What both changed, and differently: there, it is as we have it. */
  readonly both: readonly Path[];
}

interface Three {
  readonly base: unknown;
  readonly mine: unknown;
  readonly theirs: unknown;
}

function equal(left: unknown, right: unknown): boolean {
  if (left === undefined || right === undefined) return left === right;
  return canonicalJson(left) === canonicalJson(right);
}

/** Items have no keys: what stands at an index may be another one, unless each says that it is the same, and only it. */
function areSameItems([first = [], ...others]: readonly (readonly unknown[])[]): boolean {
  const known = first.map(identityOf);
  if (known.includes(undefined) || new Set(known).size < known.length) return false;
  return others.every(
    (list) => list.length === known.length && list.every((item, at) => identityOf(item) === known[at]),
  );
}

function keysOf(values: readonly unknown[]): (string | number)[] | undefined {
  if (values.every((value) => isMap(value))) return [...new Set(values.flatMap((value) => Object.keys(value)))];
  if (!values.every((value) => Array.isArray(value)) || !areSameItems(values)) return undefined;
  return Array.from(values[0] ?? [], (_, index) => index);
}

function assembled(like: unknown, entries: readonly (readonly [string | number, unknown])[]): unknown {
  return Array.isArray(like) ? entries.map(([, value]) => value) : Object.fromEntries(entries);
}

function merge({ base, mine, theirs }: Three, path: Path): Merged {
  if (equal(mine, base) || equal(mine, theirs)) return { value: theirs, both: [] };
  if (equal(theirs, base)) return { value: mine, both: [] };
  const keys = keysOf([base, mine, theirs]);
  if (keys === undefined) return { value: mine, both: [path] };
  const merged = keys.map((key) => {
    const at = (value: unknown): unknown => valueAt(value, [key]);
    return [key, merge({ base: at(base), mine: at(mine), theirs: at(theirs) }, [...path, key])] as const;
  });
  const entries = merged.map(([key, { value }]) => [key, value] as const).filter(([, value]) => value !== undefined);
  return { value: assembled(mine, entries), both: merged.flatMap(([, { both }]) => both) };
}

/** What we changed, and what somebody else did meanwhile; lists of other items, or in another order, are one value. */
export function mergeThree(three: Three): Merged {
  return merge(three, []);
}

/** The edits that turn one value into another. */
export function editsBetween(from: unknown, to: unknown, path: Path = []): Edit[] {
  if (equal(from, to)) return [];
  const keys = keysOf([from, to]);
  if (keys === undefined) return [{ path, value: to }];
  return keys.flatMap((key) => editsBetween(valueAt(from, [key]), valueAt(to, [key]), [...path, key]));
}

/** As the API server writes it: `spec.list[0].name`. */
export function pathText(path: Path): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return text === '' ? key : `${text}.${key}`;
  }, '');
}
