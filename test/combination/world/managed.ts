import type { KubeObject, ManagedFieldsEntry } from '#api/meta.js';
import { differing, fieldsOf, minus, union, type FieldSet } from './fields.js';

/** A field manager and its operation. */
export interface Writer {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly subresource?: 'status' | undefined;
}

function isOf(entry: ManagedFieldsEntry, { manager, operation, subresource }: Writer): boolean {
  return entry.manager === manager && entry.operation === operation && entry.subresource === subresource;
}

function setOf({ fieldsV1 }: ManagedFieldsEntry): FieldSet {
  return fieldsV1 as FieldSet; // as this server wrote it, or as a client took it over
}

function isEmpty(fields: FieldSet): boolean {
  return Object.keys(fields).length === 0;
}

/** The fields that this writer owns. */
export function ownedBy(entries: readonly ManagedFieldsEntry[], writer: Writer): FieldSet {
  const own = entries.find((entry) => isOf(entry, writer));
  return own === undefined ? {} : setOf(own);
}

/** The fields that others than this writer own. */
export function ownedByOthers(entries: readonly ManagedFieldsEntry[], writer: Writer): FieldSet {
  return entries.filter((entry) => !isOf(entry, writer)).reduce<FieldSet>((all, each) => union(all, setOf(each)), {});
}

/** The entries with other fields for one writer; nobody else owns `taken` any longer, nor what is `gone`. */
function withOwned(
  entries: readonly ManagedFieldsEntry[],
  writer: Writer,
  { own, lost }: { readonly own: FieldSet; readonly lost: FieldSet },
  apiVersion: string,
): ManagedFieldsEntry[] {
  const others = entries
    .filter((entry) => !isOf(entry, writer))
    .map((entry) => ({ ...entry, fieldsV1: minus(setOf(entry), lost) }))
    .filter(({ fieldsV1 }) => !isEmpty(fieldsV1));
  if (isEmpty(own)) return others;
  const { manager, operation, subresource } = writer;
  const entry = {
    manager,
    operation,
    apiVersion,
    ...(subresource === undefined ? {} : { subresource }),
    fieldsV1: own,
  };
  return [...others, entry];
}

/** After a create, an update or a patch: who writes a value owns it, and what has gone belongs to nobody. */
export function afterUpdate(before: KubeObject | undefined, after: KubeObject, writer: Writer): ManagedFieldsEntry[] {
  const entries = after.metadata.managedFields ?? [];
  const fields = fieldsOf(after);
  const changed = before === undefined ? fields : differing(fields, before, after);
  const gone = before === undefined ? {} : minus(fieldsOf(before), fields);
  const own = minus(union(ownedBy(entries, writer), changed), gone);
  return withOwned(entries, writer, { own, lost: union(changed, gone) }, after.apiVersion);
}

/** After an apply: its manager owns exactly what it applies, and with force alone what it changed. */
export function afterApply(
  before: KubeObject | undefined,
  after: KubeObject,
  { applied, gone, writer }: { readonly applied: FieldSet; readonly gone: FieldSet; readonly writer: Writer },
): ManagedFieldsEntry[] {
  const changed = before === undefined ? {} : differing(applied, before, after);
  const entries = after.metadata.managedFields ?? [];
  return withOwned(entries, writer, { own: applied, lost: union(changed, gone) }, after.apiVersion);
}
