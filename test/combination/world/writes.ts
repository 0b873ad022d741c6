import isEqual from 'lodash/isEqual.js';
import omit from 'lodash/omit.js';
import type { KubeObject, ManagedFieldsEntry, ObjectMeta, ResourceType } from '#api/meta.js';
import type { DeleteOptions } from '#runtime/client/kube.js';
import { received } from './plain-json.js';

/** The author of a write, and the part of the object that it changes. */
export interface Asking {
  /** For the record of writes: controller, engine, user ... */
  readonly actor: string;
  readonly manager: string;
  readonly subresource?: 'status' | undefined;
  readonly dryRun?: boolean | undefined;
}

export type WithSpec = KubeObject & { readonly spec?: unknown; readonly status?: unknown };

/** One write of one object. */
export interface Write {
  readonly type: ResourceType;
  readonly live: WithSpec | undefined;
  readonly asking: Asking;
  readonly verb: string;
}

/** Custom resources: they have a generation, and a status of their own. */
export function isCustom({ group }: ResourceType): boolean {
  return group.includes('.');
}

function isContentSame(one: WithSpec, other: WithSpec): boolean {
  return isEqual(
    { ...one, status: undefined, metadata: undefined },
    { ...other, status: undefined, metadata: undefined },
  );
}

/** Returns the fields that decide whether a write changes anything. */
function withoutVersion(object: KubeObject): object {
  return { ...object, metadata: { ...object.metadata, resourceVersion: undefined, managedFields: undefined } };
}

/** The server reads nothing else of a write of the status. */
export function receivedStatus({ apiVersion, kind, metadata, status }: WithSpec): WithSpec {
  const { name, namespace, resourceVersion } = metadata;
  return received({ apiVersion, kind, metadata: { name, namespace, resourceVersion }, status }) as WithSpec; // no undefined
}

export function withManaged(object: WithSpec, managedFields: ManagedFieldsEntry[]): WithSpec {
  return { ...object, metadata: { ...object.metadata, managedFields } };
}

/** The status of a live object, kept in another version of it. */
export function withStatusOf(object: WithSpec, { status }: WithSpec): WithSpec {
  return { ...omit(object, 'status'), ...(status === undefined ? {} : { status }) };
}

/** The metadata that only the server sets. */
function fixedOf({ uid = '', creationTimestamp = '', generation, deletionTimestamp }: ObjectMeta): Partial<ObjectMeta> {
  return {
    ...{ uid, creationTimestamp },
    ...(generation === undefined ? {} : { generation }),
    ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
  };
}

/** Those that a deletion adds. */
export function finalizersOf({ metadata }: KubeObject, { propagationPolicy }: DeleteOptions): string[] {
  const added = { Orphan: ['orphan'], Foreground: ['foregroundDeletion'], Background: [] };
  return [...(metadata.finalizers ?? []), ...added[propagationPolicy ?? 'Background']];
}

/** The object with the next generation if a write changes more than its status. */
export function withGeneration(type: ResourceType, live: WithSpec, after: WithSpec): WithSpec {
  if (!isCustom(type) || isContentSame(live, after)) return after;
  return { ...after, metadata: { ...after.metadata, generation: (live.metadata.generation ?? 0) + 1 } };
}

/** Ownership alone is a change, too. */
export function isUnchanged(live: WithSpec, object: WithSpec): boolean {
  if (!isEqual(withoutVersion(live), withoutVersion(object))) return false;
  return isEqual(live.metadata.managedFields, object.metadata.managedFields);
}

/** Returns the object after the part that the request may change: its status, or everything else. */
export function partOf({ type, live, asking }: Write & { readonly live: WithSpec }, wanted: WithSpec): WithSpec {
  if (asking.subresource === 'status') return { ...live, status: wanted.status };
  const managedFields = wanted.metadata.managedFields ?? live.metadata.managedFields ?? [];
  const metadata = { ...wanted.metadata, ...fixedOf(live.metadata), managedFields };
  const changed = { ...wanted, metadata };
  return isCustom(type) ? withStatusOf(changed, live) : changed;
}
