import { canonicalJson } from './lossless-json.js';
import { isMap, ownField, type PlainMap } from '../plain.js';

/** A value that differs; undefined where there is none. */
export interface Difference {
  /** JSON pointer: into the new value, or into the old one for what is removed. */
  readonly path: string;
  readonly old: unknown;
  readonly new: unknown;
}

/** What lies deeper is compared as a whole. */
const MAX_DEPTH = 32;
/** Each field repeats its path: what lies below a longer one is compared as a whole, too. */
const MAX_PATH = 1_000;

function step(path: string, key: string | number): string {
  return `${path}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function nameOf(item: unknown): unknown {
  return isMap(item) ? ownField(item, 'name') : undefined;
}

/** True for lists of named things, such as containers: they are told apart by name. */
function areNamed(list: readonly unknown[]): boolean {
  const names = list.map(nameOf);
  return names.every((name) => typeof name === 'string') && new Set(names).size === names.length;
}

function* ofNamed(old: readonly unknown[], next: readonly unknown[], path: string, depth: number) {
  const before = new Map(old.map((item, index) => [nameOf(item), { item, index }]));
  const names = new Set(next.map(nameOf));
  for (const [index, item] of next.entries()) {
    yield* compare(before.get(nameOf(item))?.item, item, step(path, index), depth);
  }
  for (const [name, { item, index }] of before) {
    if (!names.has(name)) yield { path: step(path, index), old: item, new: undefined };
  }
}

function* ofLists(
  old: readonly unknown[],
  next: readonly unknown[],
  path: string,
  depth: number,
): Generator<Difference> {
  if (areNamed(old) && areNamed(next)) {
    yield* ofNamed(old, next, path, depth);
    return;
  }
  for (let index = 0; index < Math.max(old.length, next.length); index += 1) {
    yield* compare(old[index], next[index], step(path, index), depth);
  }
}

function* ofMaps(old: PlainMap, next: PlainMap, path: string, depth: number): Generator<Difference> {
  for (const key of [...new Set([...Object.keys(old), ...Object.keys(next)])].sort()) {
    yield* compare(ownField(old, key), ownField(next, key), step(path, key), depth);
  }
}

/** True: what is there is compared as a whole. */
function isWhole(path: string, depth: number): boolean {
  return depth >= MAX_DEPTH || path.length > MAX_PATH;
}

function* compare(old: unknown, next: unknown, path: string, depth: number): Generator<Difference> {
  const isSplit = !isWhole(path, depth);
  if (isSplit && isMap(old) && isMap(next)) {
    yield* ofMaps(old, next, path, depth + 1);
  } else if (isSplit && Array.isArray(old) && Array.isArray(next)) {
    yield* ofLists(old, next, path, depth + 1);
  } else if (canonicalJson(old ?? null) !== canonicalJson(next ?? null)) {
    yield { path, old, new: next };
  }
}

/**
 * The fields that differ, one by one and in a fixed order. Null and absent are the same. Never throws.
 */
export function fieldChanges(old: object, next: object): Generator<Difference> {
  return compare(old, next, '', 0);
}
