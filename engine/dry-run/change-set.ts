import { isSecret } from '#api/core.js';
import { DRY_RUN_ACTIONS, type DryRun, type DryRunAction, type PlannedChange } from '#api/dry-run.js';
import type { KubeObject } from '#api/meta.js';
import { digestOf } from '#lib/hash.js';
import { defined } from '#lib/plain.js';
import { printJson } from '#lib/json/lossless-json.js';
import { fieldChanges, type Difference } from '#lib/json/field-changes.js';
import { cutWithin } from '#lib/text/text.js';
import { maskedPointer, type IsPublic } from './public-names.js';

/** Bounds of what a status holds, whatever a tenant writes. */
export const LIMITS = {
  objects: 200,
  bytes: 64 * 1024,
  /** The fields of one object: those that are listed, and those that are counted beyond. */
  fields: 20,
  counted: 1_000,
  /** Characters. */
  value: 120,
  path: 256,
  name: 256,
  message: 500,
  action: 1_000,
};

/** How much a change set has room for. */
export type Limits = Readonly<typeof LIMITS>;

/** Half of a pair: the API server would store something else, and we would write it again and again. */
const HALF = /\p{Surrogate}/gu;

/** At most `limit` characters. */
function bounded(text: string, limit: number): string {
  return cutWithin(text, limit).replaceAll(HALF, '\uFFFD');
}

function shown(value: unknown, limits: Limits): string | undefined {
  // What is null is as if it were not there.
  return value === undefined || value === null ? undefined : bounded(printJson(value), limits.value);
}

/** What was found to happen to an object. */
export interface Finding {
  readonly action: DryRunAction;
  readonly object: Pick<KubeObject, 'apiVersion' | 'kind'> & {
    readonly metadata: Pick<KubeObject['metadata'], 'name' | 'namespace'>;
  };
  /** The object now and afterwards, without what the server writes by itself. */
  readonly compared?: { readonly old: object; readonly new: object } | undefined;
  /** What differs, where that is known already. */
  readonly differences?: readonly Difference[];
  /** The values may come from a Secret, and are not shown. Of a Secret they never are. */
  readonly hidesValues?: boolean;
  /** The values so far may come from a Secret. */
  readonly hidesOld?: boolean;
  /** Of fields whose values are not shown, only public names are. Default: none. */
  readonly isPublic?: IsPublic | undefined;
  /** JSON pointers of fields whose values are not shown. */
  readonly secretFields?: readonly string[];
  readonly message?: string | undefined;
}

/** The keys of a map may come from a Secret, as its values may; what is removed was there before. */
function pathOf({ path, new: next }: Difference, finding: Finding, limits: Limits): string {
  const { hidesValues = false, hidesOld = false, isPublic = () => false } = finding;
  const mayBeSecret = hidesValues || (hidesOld && next === undefined);
  return bounded(mayBeSecret ? maskedPointer(path, isPublic) : path, limits.path);
}

/** Whether the value at `path` is not shown: it is secret, or contains or lies within something that is. */
function isHidden({ object, hidesValues = false, secretFields = [] }: Finding, path: string): boolean {
  if (hidesValues || isSecret(object)) return true;
  return secretFields.some((field) => `${path}/`.startsWith(`${field}/`) || field.startsWith(`${path}/`));
}

function fieldOf(difference: Difference, finding: Finding, limits: Limits) {
  const { path, old, new: next } = difference;
  const { hidesOld = false } = finding;
  const before = hidesOld ? undefined : old;
  const values = isHidden(finding, path) ? {} : defined({ old: shown(before, limits), new: shown(next, limits) });
  return { path: pathOf(difference, finding, limits), ...values };
}

function fieldsOf(finding: Finding, limits: Limits): Pick<PlannedChange, 'fields' | 'moreFields'> {
  const { compared, differences = compared && fieldChanges(compared.old, compared.new) } = finding;
  if (differences === undefined) return {};
  const fields: NonNullable<PlannedChange['fields']> = [];
  let moreFields = 0;
  for (const difference of differences) {
    if (moreFields >= limits.counted) break;
    if (fields.length < limits.fields) fields.push(fieldOf(difference, finding, limits));
    else moreFields += 1;
  }
  return { ...(fields.length === 0 ? {} : { fields }), ...(moreFields === 0 ? {} : { moreFields }) };
}

/** A finding as a status shows it, or whatever else has these limits: small, whatever the object is. Never throws. */
export function objectChange(finding: Finding, limits: Limits = LIMITS): PlannedChange {
  const { action, object, message } = finding;
  const { name, namespace } = object.metadata;
  const fields = fieldsOf(finding, limits);
  const isSame = finding.compared !== undefined && fields.fields === undefined;
  const note = message ?? (isSame ? 'only the managers of its fields change' : undefined);
  return {
    action,
    apiVersion: bounded(object.apiVersion, limits.name),
    kind: bounded(object.kind, limits.name),
    ...(namespace === undefined || namespace === '' ? {} : { namespace: bounded(namespace, limits.name) }),
    name: bounded(name, limits.name),
    ...fields,
    ...(note === undefined ? {} : { message: bounded(note, limits.message) }),
  };
}

/** The worst first; those of one action keep their order. */
function worstFirst(changes: readonly PlannedChange[]): PlannedChange[] {
  return DRY_RUN_ACTIONS.flatMap((wanted) => changes.filter(({ action }) => action === wanted));
}

function listed({ changes }: Computation, limits: Limits): PlannedChange[] {
  const objects: PlannedChange[] = [];
  let bytes = 0;
  for (const change of worstFirst(changes).slice(0, limits.objects)) {
    bytes += Buffer.byteLength(JSON.stringify(change)) + 1;
    if (bytes > limits.bytes) break;
    objects.push(change);
  }
  return objects;
}

/** What was computed, besides the changes. */
export interface Computation {
  readonly changes: readonly PlannedChange[];
  /** Number of objects that stay as they are. */
  readonly unchanged: number;
  readonly observedGeneration: number;
  readonly revision?: string | undefined;
  readonly action?: string | undefined;
  /** RFC 3339. */
  readonly now: string;
}

/**
 * The change set as the status has it: counts of everything, and as many changes as fit. `before`: the one in the
 * status; if it says the same, its time is kept, so that nothing is written. Never throws.
 */
export function changeSet(computation: Computation, before: DryRun | undefined, limits: Limits = LIMITS): DryRun {
  const { changes, unchanged, observedGeneration, revision, action, now } = computation;
  const count = (wanted: DryRunAction): number => changes.filter((change) => change.action === wanted).length;
  const held = count('held');
  const summary = {
    created: count('created'),
    changed: count('changed'),
    recreated: count('recreated'),
    deleted: count('deleted'),
    ...(held === 0 ? {} : { held }),
    unchanged,
    failed: count('failed'),
  };
  const objects = listed(computation, limits);
  const more = changes.length - objects.length;
  const facts = {
    observedGeneration,
    ...defined({ revision, action: action === undefined ? undefined : bounded(action, limits.action) }),
    summary,
    ...(objects.length === 0 ? {} : { objects }),
    ...(more === 0 ? {} : { more }),
  };
  const digest = digestOf(facts);
  const computedAt = before?.digest === digest ? before.computedAt : now;
  return { ...facts, digest, computedAt };
}

/** The counts in one line, without those that are zero: `1 deleted, 2 changed, 40 unchanged`. */
export function summaryText({ summary }: Pick<DryRun, 'summary'>): string {
  const { failed, deleted, held = 0, recreated, changed, created, unchanged } = summary;
  const counts = Object.entries({ failed, deleted, held, recreated, changed, created, unchanged });
  const parts = counts.filter(([, number]) => number > 0).map(([word, number]) => `${number} ${word}`);
  return parts.length === 0 ? 'no objects' : parts.join(', ');
}
