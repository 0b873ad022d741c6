import jsonPatch, { type Operation } from 'fast-json-patch';
import isEqual from 'lodash/isEqual.js';
import omit from 'lodash/omit.js';
import type { KubeObject, ObjectMeta, ObjectRef, ResourceType } from '#api/meta.js';
import { controllerRevisionResource, namespaceResource } from '#api/core.js';
import type { DeleteOptions, Patch } from '#runtime/client/kube.js';
import { timestamp } from '#lib/kube/conditions.js';
import { keyOf } from '#lib/kube/keys.js';
import { appliedTo, differing, fieldsOf, minus, withoutFields } from './fields.js';
import { afterApply, afterUpdate, ownedBy, ownedByOthers, type Writer } from './managed.js';
import { mergePatched, received } from './plain-json.js';
import { alreadyExists, conflict, invalid, notFound, quotaExceeded, refusal, terminating } from './refusals.js';
import {
  finalizersOf,
  isCustom,
  isUnchanged,
  partOf,
  receivedStatus,
  withGeneration,
  withManaged,
  withStatusOf,
  type Asking,
  type WithSpec,
  type Write,
} from './writes.js';

/** A change of one object, as a watch brings it. */
export interface ServerEvent {
  readonly type: 'put' | 'deleted';
  readonly resource: string;
  readonly object: KubeObject;
}

/** A request that changed something. */
export interface WriteRecord {
  readonly actor: string;
  readonly verb: string;
  readonly kind: string;
  readonly key: string;
}

export function resourceOf({ group, plural }: Pick<ResourceType, 'group' | 'plural'>): string {
  return `${group}/${plural}`;
}

/**
 * The objects of one API server, in memory: versions, generations, UIDs, finalizers, field ownership, preconditions, as
 * a real one treats them. It validates no schema. Time is what the caller says.
 */
export class MemoryServer {
  readonly #objects = new Map<string, Map<string, WithSpec>>();
  /** The same maps. */
  readonly #byType = new Map<ResourceType, Map<string, WithSpec>>();
  readonly #nowMs: () => number;
  #version = 0;
  #uids = 0;
  /** All changes since the beginning. */
  readonly events: ServerEvent[] = [];
  readonly writes: WriteRecord[] = [];
  /** Number of writes, without those of a status by the controllers: neither engines nor the model read it. */
  changes = 0;
  /** True while no ControllerRevision can be created. */
  isQuotaUsedUp = false;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  get version(): string {
    return String(this.#version);
  }

  get(type: ResourceType, ref: ObjectRef): KubeObject | undefined {
    return this.#all(type).get(keyOf(ref));
  }

  list(type: ResourceType, namespace?: string): KubeObject[] {
    const all = [...this.#all(type).values()];
    return namespace === undefined ? all : all.filter(({ metadata }) => metadata.namespace === namespace);
  }

  /** Puts an object as another server had it, with its UID and status. Nobody is told. */
  restore(type: ResourceType, object: KubeObject): void {
    this.#all(type).set(keyOf(object.metadata), this.#versioned(received(object)));
  }

  create(type: ResourceType, given: KubeObject, asking: Asking): KubeObject {
    const object: WithSpec = received(given);
    if (this.get(type, object.metadata) !== undefined) throw alreadyExists(type, object.metadata);
    const kept = isCustom(type) ? withStatusOf(object, { ...object, status: undefined }) : object;
    const created = { ...kept, metadata: this.#newMetadata(type, object.metadata) };
    const managedFields = afterUpdate(undefined, created, { manager: asking.manager, operation: 'Update' });
    return this.#store({ type, live: undefined, asking, verb: 'create' }, withManaged(created, managedFields));
  }

  /** PUT. Without a resourceVersion it replaces whatever is there. */
  update(type: ResourceType, given: KubeObject, asking: Asking): KubeObject {
    const object = asking.subresource === 'status' ? receivedStatus(given) : received<WithSpec>(given);
    const live = this.#existing(type, object.metadata);
    return this.#replace({ type, live, asking, verb: 'update' }, object);
  }

  patch(type: ResourceType, ref: ObjectRef, patch: Patch, asking: Asking): KubeObject {
    const live = this.#existing(type, ref);
    const body: unknown = received(patch.body);
    const patched =
      patch.type === 'merge'
        ? mergePatched(live, body)
        : jsonPatch.applyPatch(live, body as Operation[], true, false).newDocument;
    return this.#replace({ type, live, asking, verb: 'patch' }, patched as WithSpec); // an object, patched
  }

  /** Server-side apply. */
  apply(type: ResourceType, given: KubeObject, asking: Asking & { readonly force?: boolean | undefined }): KubeObject {
    const object: WithSpec = received(given);
    const writer: Writer = { manager: asking.manager, operation: 'Apply' };
    const live = this.get(type, object.metadata);
    const { resourceVersion } = object.metadata;
    if (resourceVersion !== undefined && resourceVersion !== live?.metadata.resourceVersion) {
      throw conflict(type, object.metadata);
    }
    const applied = fieldsOf(object);
    const write = { type, live, asking, verb: 'apply' };
    if (live === undefined) {
      const created = { ...object, metadata: this.#newMetadata(type, object.metadata) };
      return this.#store(write, withManaged(created, afterApply(undefined, created, { applied, gone: {}, writer })));
    }
    const entries = live.metadata.managedFields ?? [];
    const gone = minus(minus(ownedBy(entries, writer), applied), ownedByOthers(entries, writer));
    const merged = appliedTo(withoutFields(live, gone), object) as WithSpec; // objects in, an object out
    if (asking.force !== true) this.#refuseTaking(type, { live, merged, writer });
    const metadata = { ...merged.metadata, resourceVersion: live.metadata.resourceVersion ?? '' };
    const after = withGeneration(type, live, { ...merged, metadata });
    return this.#store(write, withManaged(after, afterApply(live, after, { applied, gone, writer })));
  }

  /** True if the object existed. One with finalizers stays until they are gone. */
  delete(type: ResourceType, ref: ObjectRef, options: DeleteOptions, asking: Asking): boolean {
    const live = this.get(type, ref);
    if (live === undefined) return false;
    const { uid, resourceVersion, deletionTimestamp } = live.metadata;
    const isSame = (options.uid ?? uid) === uid && (options.resourceVersion ?? resourceVersion) === resourceVersion;
    if (!isSame) throw conflict(type, ref);
    const finalizers = finalizersOf(live, options);
    const write = { type, live, asking: { ...asking, dryRun: options.dryRun }, verb: 'delete' };
    if (options.dryRun === true) return true;
    if (finalizers.length === 0) this.#remove(write, live);
    else if (deletionTimestamp === undefined) this.#store(write, this.#leaving(type, live, finalizers));
    // It changes nothing, and is a request all the same.
    else this.#log(write, live);
    return true;
  }

  #leaving(type: ResourceType, live: WithSpec, finalizers: string[]): WithSpec {
    const generation = isCustom(type) ? { generation: (live.metadata.generation ?? 0) + 1 } : {};
    const deletionTimestamp = timestamp(this.#nowMs());
    return { ...live, metadata: { ...live.metadata, finalizers, deletionTimestamp, ...generation } };
  }

  #all(type: ResourceType): Map<string, WithSpec> {
    const found = this.#byType.get(type);
    if (found !== undefined) return found;
    const resource = resourceOf(type);
    const known = this.#objects.get(resource) ?? new Map<string, WithSpec>();
    this.#objects.set(resource, known);
    this.#byType.set(type, known);
    return known;
  }

  #existing(type: ResourceType, ref: ObjectRef): WithSpec {
    const live = this.get(type, ref);
    if (live === undefined) throw notFound(type, ref);
    return live;
  }

  /** Throws for a create for which its namespace has no room. */
  #admit(type: ResourceType, ref: ObjectRef): void {
    const { namespace = '' } = ref;
    const found = this.get(namespaceResource, { name: namespace });
    if (found === undefined) throw notFound(namespaceResource, { name: namespace });
    if (found.metadata.deletionTimestamp !== undefined) throw terminating(namespace);
    if (this.isQuotaUsedUp && type === controllerRevisionResource) throw quotaExceeded(type, ref);
  }

  #newMetadata(type: ResourceType, { namespace, ...given }: ObjectMeta): ObjectMeta {
    if (type.namespaced) this.#admit(type, { name: given.name, namespace });
    const metadata = omit(given, ['managedFields', 'resourceVersion', 'uid', 'generation', 'deletionTimestamp']);
    return {
      ...metadata,
      ...(type.namespaced && namespace !== undefined ? { namespace } : {}),
      uid: `uid-${++this.#uids}`,
      creationTimestamp: timestamp(this.#nowMs()),
      ...(isCustom(type) ? { generation: 1 } : {}),
    };
  }

  /** The parts that the request is about, of an object that is there. */
  #replace(write: Write & { readonly live: WithSpec }, wanted: WithSpec): KubeObject {
    const { type, live, asking } = write;
    const { resourceVersion } = wanted.metadata;
    if (resourceVersion !== undefined && resourceVersion !== live.metadata.resourceVersion) {
      throw conflict(type, live.metadata);
    }
    const after = withGeneration(type, live, partOf(write, wanted));
    const writer: Writer = { manager: asking.manager, operation: 'Update', subresource: asking.subresource };
    // A request that sets the ownership itself is taken at its word.
    const isTaking = !isEqual(after.metadata.managedFields, live.metadata.managedFields);
    return this.#store(write, isTaking ? after : withManaged(after, afterUpdate(live, after, writer)));
  }

  #refuseTaking(
    type: ResourceType,
    { live, merged, writer }: { readonly live: WithSpec; readonly merged: WithSpec; readonly writer: Writer },
  ): void {
    const taken = differing(ownedByOthers(live.metadata.managedFields ?? [], writer), live, merged);
    if (Object.keys(taken).length === 0) return;
    const message = `Apply failed with conflicts on ${type.plural} "${keyOf(live.metadata)}"`;
    throw refusal({ code: 409, reason: 'Conflict', message });
  }

  #store(write: Write, object: WithSpec): KubeObject {
    const { type, live, asking } = write;
    const owners = object.metadata.ownerReferences ?? [];
    if (owners.filter(({ controller }) => controller === true).length > 1) {
      throw invalid(type, object.metadata, 'only one reference can have controller set to true');
    }
    if (live !== undefined && isUnchanged(live, object)) return live;
    if (asking.dryRun === true) return object;
    const isDone = object.metadata.deletionTimestamp !== undefined && (object.metadata.finalizers ?? []).length === 0;
    if (isDone) return this.#remove(write, object);
    const stored = this.#versioned(object);
    this.#all(type).set(keyOf(stored.metadata), stored);
    this.#record(write, stored, 'put');
    return stored;
  }

  #remove(write: Write, object: WithSpec): KubeObject {
    const last = this.#versioned(object);
    this.#all(write.type).delete(keyOf(object.metadata));
    this.#record(write, last, 'deleted');
    return last;
  }

  #versioned(object: WithSpec): WithSpec {
    this.#version += 1;
    return { ...object, metadata: { ...object.metadata, resourceVersion: String(this.#version) } };
  }

  #record(write: Write, object: KubeObject, event: ServerEvent['type']): void {
    const { type, asking } = write;
    this.events.push({ type: event, resource: resourceOf(type), object });
    if (asking.actor !== 'controller' || asking.subresource !== 'status') this.changes += 1;
    this.#log(write, object);
  }

  #log({ type, asking, verb }: Write, object: KubeObject): void {
    this.writes.push({ actor: asking.actor, verb, kind: type.kind, key: keyOf(object.metadata) });
  }
}
