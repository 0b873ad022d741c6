import type { KubeObject, ManagedFieldsEntry } from '#api/meta.js';
import { isMap, type PlainMap } from '../plain.js';

/** Never read from a cache, and half of an object's bytes. */
export function withoutManagedFields<T extends KubeObject>(object: T): T {
  if (object.metadata.managedFields === undefined) return object;
  const metadata = { ...object.metadata };
  delete metadata.managedFields;
  return { ...object, metadata };
}

/** Who takes over, and from whom. Entries of subresources, and those of the manager's own applies, are never asked. */
export interface TakeOver {
  readonly manager: string;
  readonly isTaken: (entry: ManagedFieldsEntry) => boolean;
  /** Take what lies below this field of the object only, e.g. `f:spec`; all by default. */
  readonly below?: string;
}

/** True when the entry owns the field, or a part of it; `path` as `fieldsV1` writes it: `f:metadata`, `f:labels` ... */
export function ownsField({ fieldsV1 }: ManagedFieldsEntry, path: readonly string[]): boolean {
  let below: unknown = fieldsV1;
  for (const part of path) {
    if (!isMap(below) || !Object.hasOwn(below, part)) return false;
    below = below[part];
  }
  return true;
}

/** Below a field, `{}` means the field itself; once there are others below it, `.` does. */
function unionBelow(one: PlainMap, other: PlainMap): PlainMap {
  const [isLeaf, isOtherLeaf] = [one, other].map((fields) => Object.keys(fields).length === 0);
  if (isLeaf === isOtherLeaf) return union(one, other);
  return union({ '.': {} }, isLeaf === true ? other : one);
}

function union(one: PlainMap, other: PlainMap): PlainMap {
  const all = new Map(Object.entries(one));
  for (const [key, below] of Object.entries(other)) {
    const known = all.get(key);
    all.set(key, isMap(known) && isMap(below) ? unionBelow(known, below) : below);
  }
  return Object.fromEntries(all);
}

function fieldsOf({ fieldsV1 }: ManagedFieldsEntry): PlainMap {
  return isMap(fieldsV1) ? fieldsV1 : {};
}

/** The entry as two: what lies below a field, and the rest; as it is when it has only one of them. */
function split(entry: ManagedFieldsEntry, field: string): ManagedFieldsEntry[] {
  const { [field]: below, ...rest } = fieldsOf(entry);
  if (below === undefined || Object.keys(rest).length === 0) return [entry];
  return [
    { ...entry, fieldsV1: { [field]: below } },
    { ...entry, fieldsV1: rest },
  ];
}

function isMain({ subresource = '' }: ManagedFieldsEntry): boolean {
  return subresource === '';
}

/**
 * The entries after `manager` took over the fields of those that `isTaken` names, as if it had set them by server-side
 * apply: what its next apply leaves out goes. Undefined when nothing is to be taken. As client-go's csaupgrade: fields
 * of another apiVersion than the one that is applied cannot be told, and are nobody's afterwards.
 */
export function takenOver(
  given: readonly ManagedFieldsEntry[],
  { manager, isTaken, below }: TakeOver,
): ManagedFieldsEntry[] | undefined {
  const own = given.find((entry) => isMain(entry) && entry.manager === manager && entry.operation === 'Apply');
  const entries = given.flatMap((entry) => (below === undefined || entry === own ? [entry] : split(entry, below)));
  const isBelow = (entry: ManagedFieldsEntry): boolean => below === undefined || ownsField(entry, [below]);
  const taken = entries.filter((entry) => entry !== own && isMain(entry) && isBelow(entry) && isTaken(entry));
  const base = own ?? taken[0];
  if (base === undefined || taken.length === 0) return undefined;
  const fieldsV1 = taken
    .filter(({ apiVersion }) => apiVersion === base.apiVersion)
    .reduce((all, entry) => union(all, fieldsOf(entry)), fieldsOf(base));
  const merged = { ...base, manager, operation: 'Apply', fieldsV1 };
  return entries
    .filter((entry) => entry === base || !taken.includes(entry))
    .map((entry) => (entry === base ? merged : entry));
}

/**
 * A JSON patch that does so to a live object, and only to the very version that was read; undefined when nothing is to
 * be taken.
 */
export function takeOverPatch({ metadata }: KubeObject, takeOver: TakeOver): object[] | undefined {
  const value = takenOver(metadata.managedFields ?? [], takeOver);
  if (value === undefined) return undefined;
  return [
    { op: 'replace', path: '/metadata/managedFields', value },
    // Replaced rather than tested: then the server calls a later version a conflict.
    { op: 'replace', path: '/metadata/resourceVersion', value: metadata.resourceVersion },
  ];
}
