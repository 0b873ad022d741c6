import jsonPatch, { type Operation } from 'fast-json-patch';
import cloneDeep from 'lodash/cloneDeep.js';
import sortedLastIndex from 'lodash/sortedLastIndex.js';
import trimEnd from 'lodash/trimEnd.js';
import type { Unstructured } from '#api/meta.js';
import { ownField } from '#lib/plain.js';
import { canonicalJson } from '#lib/json/lossless-json.js';

/** How many fields would be added, changed and removed to bring an object to its desired state. */
export interface DifferenceCount {
  readonly additions: number;
  readonly changes: number;
  readonly removals: number;
}

/** What can drift: everything but status, and of the metadata labels and annotations. */
function content({ metadata, ...rest }: Unstructured): object {
  const { labels = {}, annotations = {} } = metadata;
  const fields = Object.entries(rest).filter(([field]) => field !== 'status');
  return { ...Object.fromEntries(fields), metadata: { labels, annotations } };
}

/**
 * Tests whether a JSON pointer is one of some fields, or lies within one; the empty path is the whole object. Users write
 * as many and as long ones as fit, and each is asked about each change: so only one of them is compared.
 */
function within(paths: readonly string[]): (pointer: string) => boolean {
  const fields: string[] = [];
  for (const field of paths.map((path) => `${trimEnd(path, '/')}/`).sort()) {
    const before = fields.at(-1);
    if (before === undefined || !field.startsWith(before)) fields.push(field);
  }
  return (pointer) => {
    const whole = `${pointer}/`;
    // None lies within another one: only the last that is not behind it can be the beginning of it.
    const nearest = fields[sortedLastIndex(fields, whole) - 1];
    return nearest !== undefined && whole.startsWith(nearest);
  };
}

/**
 * The changes (RFC 6902, against `live`) that applying would make: `dryRun` is the server's answer. Those within one of
 * `ignored` (JSON pointers) do not count, and neither does who owns a field.
 */
export function differences(live: Unstructured, dryRun: Unstructured, ignored: readonly string[]): Operation[] {
  const [before, after] = [content(live), content(dryRun)];
  if (canonicalJson(before) === canonicalJson(after)) return [];
  const isIgnored = within(ignored);
  return jsonPatch.compare(before, after).filter(({ path }) => !isIgnored(path));
}

/** Counts operations as messages show them. */
export function countDifferences(operations: readonly Operation[]): DifferenceCount {
  const count = (op: Operation['op']): number => operations.filter((operation) => operation.op === op).length;
  return { additions: count('add'), changes: count('replace'), removals: count('remove') };
}

type Container = Record<string, unknown>;

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null;
}

/** Lists of named things may have grown in front: the element is looked for by its name. */
function stepOf(live: unknown, desired: unknown, key: string): string {
  if (!Array.isArray(live) || !Array.isArray(desired)) return key;
  const name = (live[Number(key)] as { name?: unknown } | undefined)?.name;
  if (name === undefined) return key;
  const index = desired.findIndex((item: unknown) => isContainer(item) && item['name'] === name);
  return index < 0 ? String(desired.length) : String(index);
}

function stepsOf(pointer: string): string[] {
  return pointer.split('/').slice(1).map(jsonPatch.unescapePathComponent);
}

/** The value at a JSON pointer; undefined if there is none. */
export function valueAt(object: unknown, pointer: string): unknown {
  return stepsOf(pointer).reduce((value, step) => (isContainer(value) ? ownField(value, step) : undefined), object);
}

function adopt(desired: Container, live: Container, [key = '', ...rest]: readonly string[]): void {
  const step = stepOf(live, desired, key);
  if (rest.length > 0) {
    const [inner, liveInner] = [ownField(desired, step), ownField(live, key)];
    if (isContainer(inner) && isContainer(liveInner)) adopt(inner, liveInner, rest);
    return;
  }
  const value = ownField(live, key);
  if (step === '__proto__') return;
  if (value !== undefined) {
    if (!Array.isArray(desired) || desired[Number(step)] !== undefined) desired[step] = cloneDeep(value);
  } else if (!Array.isArray(desired)) Reflect.deleteProperty(desired, step);
}

/**
 * `desired` with the values that `live` has at `ignored` (JSON pointers): what is applied then leaves those as they
 * are.
 */
export function withIgnored(desired: Unstructured, live: Unstructured, ignored: readonly string[]): Unstructured {
  const copy = cloneDeep(desired);
  for (const pointer of ignored) {
    const steps = stepsOf(pointer);
    if (steps.length > 0) adopt(copy, live, steps);
  }
  return copy;
}
