import type { ManagedFieldsEntry, Unstructured } from '#api/meta.js';
import { parseJson, canonicalJson } from '#lib/json/lossless-json.js';
import { ownsField } from '#lib/kube/managed-fields.js';
import { isMap, ownField, ownFields } from '#lib/plain.js';

/** As `fieldsV1` writes it: `f:metadata`, `f:labels` ... */
type Path = readonly string[];

function entriesOf({ metadata }: Unstructured): readonly ManagedFieldsEntry[] {
  return metadata.managedFields ?? [];
}

/** What a manager owns by server-side apply, as the server recorded it. */
function appliedBy(object: Unstructured, manager: string): ManagedFieldsEntry | undefined {
  return entriesOf(object).find(
    (entry) => entry.manager === manager && entry.operation === 'Apply' && (entry.subresource ?? '') === '',
  );
}

/** Every single field. */
function pathsOf(fields: unknown, above: Path = []): Path[] {
  const below = isMap(fields) ? Object.entries(fields) : [];
  return below.length === 0 ? [above] : below.flatMap(([part, rest]) => pathsOf(rest, [...above, part]));
}

/** The items of a list by what they are told by: not all of them need have the same keys. */
function itemsOf(list: unknown): (key: unknown) => unknown {
  const items = Array.isArray(list) ? list.filter(isMap) : [];
  const byNames = new Map<string, ReadonlyMap<string, unknown>>();
  return (key) => {
    const names = isMap(key) ? Object.keys(key) : [];
    const text = JSON.stringify(names);
    const kept = byNames.get(text);
    const byKey = kept ?? new Map(items.map((item) => [canonicalJson(ownFields(item, names)), item]));
    if (kept === undefined) byNames.set(text, byKey);
    return byKey.get(canonicalJson(key));
  };
}

/** What is below a value, by a part of a path. */
function childrenOf(value: unknown): (part: string) => unknown {
  const itemOf = itemsOf(value);
  return (part) => {
    if (part.startsWith('f:')) return isMap(value) ? ownField(value, part.slice(2)) : undefined;
    // The members of a set, and what is told by its place, are as good as the list.
    return part.startsWith('k:') ? itemOf(parseJson(part.slice(2))) : value;
  };
}

/** True when there is a field with a value among `fields` that is not among those that were owned before. */
function hasNewValue(fields: unknown, before: unknown, value: unknown): boolean {
  if (value === undefined) return false;
  const below = isMap(fields) ? Object.entries(fields) : [];
  if (below.length === 0) return before === undefined;
  const childOf = childrenOf(value);
  return below.some(([part, rest]) => hasNewValue(rest, isMap(before) ? before[part] : undefined, childOf(part)));
}

/**
 * True when applying would change what the manager owns, and that matters one day: it becomes the owner of a field that
 * would stay otherwise when it is removed from the source, or leaves one to another owner; or it owns them in another
 * version of the API, from which the server could not convert them once it is no longer served. What a field without a value
 * has for an owner, and who set what the server sets by itself, never matters: Flux drops the one and writes the other.
 */
export function changesOwners(live: Unstructured, dryRun: Unstructured, manager: string): boolean {
  const [before, after] = [appliedBy(live, manager), appliedBy(dryRun, manager)];
  if (before === undefined || after === undefined) return before !== after;
  if (before.apiVersion !== after.apiVersion) return true;
  if (hasNewValue(after.fieldsV1, before.fieldsV1, dryRun)) return true;
  const others = entriesOf(live).filter((entry) => entry !== before);
  const left = pathsOf(before.fieldsV1).filter((path) => !ownsField(after, path));
  return left.some((path) => others.some((entry) => ownsField(entry, path)));
}
