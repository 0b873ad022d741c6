import jsonPatch, { type Operation } from 'fast-json-patch';
import type { Unstructured } from '#api/meta.js';
import { canonicalJson } from '../../runtime/pure/canonical-json.js';

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

/** True when `pointer` is the field at `path`, or lies within it; the empty path is the whole object. */
function isWithin(pointer: string, path: string): boolean {
  const base = path.replace(/\/+$/, '');
  return pointer === base || pointer.startsWith(`${base}/`);
}

/**
 * The changes (RFC 6902, against `live`) that applying would make: `dryRun` is the server's answer. Those within one of
 * `ignored` (JSON pointers) do not count, and neither does who owns a field.
 */
export function differences(live: Unstructured, dryRun: Unstructured, ignored: readonly string[]): Operation[] {
  const [before, after] = [content(live), content(dryRun)];
  if (canonicalJson(before) === canonicalJson(after)) return [];
  return jsonPatch.compare(before, after).filter(({ path }) => !ignored.some((pointer) => isWithin(path, pointer)));
}

/** Counts operations as messages show them. */
export function countDifferences(operations: readonly Operation[]): DifferenceCount {
  const count = (op: Operation['op']): number => operations.filter((operation) => operation.op === op).length;
  return { additions: count('add'), changes: count('replace'), removals: count('remove') };
}
