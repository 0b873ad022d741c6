import type { KubeObject, ObjectRef, ResourceType } from '#api/meta.js';
import { keyOf } from '#lib/kube/keys.js';
import { withoutManagedFields } from '#lib/kube/managed-fields.js';
import type { Cache, Change, IndexFunction } from '../controller.js';

/** Up to 128 bits. A server may say anything, e.g. megabytes of digits. */
const COMPARABLE = /^[1-9]\d{0,38}$/;

/**
 * True when `version` is of a later write than `than`, both of one type on one server. Kubernetes lets clients compare
 * resource versions as integers without leading zeros (KEP-5504). What is none, or missing, is not newer.
 */
export function isNewerVersion(version: string | undefined, than: string | undefined): boolean {
  if (version === undefined || than === undefined || !COMPARABLE.test(version) || !COMPARABLE.test(than)) return false;
  return version.length === than.length ? version > than : version.length > than.length;
}

type Handler<T extends KubeObject> = (change: Change<T>) => void;

interface Index<T extends KubeObject> {
  readonly valuesOf: IndexFunction<T>;
  readonly keys: Map<string, Set<string>>;
  /** What each key is filed under: asking again would cost as much as the first time. */
  readonly filed: Map<string, readonly string[]>;
}

/** The objects of one type as last seen, with indexes and change handlers. Filled by a reflector. */
export class Store<T extends KubeObject> implements Cache<T> {
  readonly type: ResourceType;
  readonly #objects = new Map<string, T>();
  readonly #indexes = new Map<string, Index<T>>();
  readonly #handlers: Handler<T>[] = [];
  readonly #onError: (error: unknown) => void;
  #heardUpTo: string | undefined;
  #synced = false;
  #served = true;

  /** `onError` hears what handlers and index functions throw. */
  constructor(type: ResourceType, onError: (error: unknown) => void) {
    this.type = type;
    this.#onError = onError;
  }

  get synced(): boolean {
    return this.#synced;
  }

  get served(): boolean {
    return this.#served;
  }

  get(ref: ObjectRef): T | undefined {
    return this.#objects.get(keyOf(ref));
  }

  list(namespace?: string): T[] {
    const all = [...this.#objects.values()];
    return namespace === undefined ? all : all.filter((object) => object.metadata.namespace === namespace);
  }

  byIndex(index: string, value: string): T[] {
    return [...(this.#index(index).keys.get(value) ?? [])].flatMap((key) => this.#objects.get(key) ?? []);
  }

  countByIndex(index: string, value: string): number {
    return this.#index(index).keys.get(value)?.size ?? 0;
  }

  /** Adding the same index twice is harmless. */
  addIndex(name: string, valuesOf: IndexFunction<T>): void {
    if (this.#indexes.has(name)) return;
    const index: Index<T> = { valuesOf, keys: new Map(), filed: new Map() };
    this.#indexes.set(name, index);
    for (const [key, object] of this.#objects) this.#file(index, key, object);
  }

  onChange(handler: Handler<T>): void {
    this.#handlers.push(handler);
  }

  /**
   * Takes a full list, and the version that it is of if the server gave one: what is missing in it is deleted, and
   * whatever happened up to that version is known here.
   */
  replace(objects: readonly T[], upTo?: string): void {
    this.#served = true;
    this.#fill(objects, upTo);
  }

  /** The server does not know the type: nothing is there. */
  notServed(): void {
    this.#served = false;
    this.#fill([]);
  }

  /** An event of the watch: the object was added or changed. */
  put(object: T): void {
    this.#heardUpTo = object.metadata.resourceVersion;
    if (!this.#isOld(object)) this.#take(object);
  }

  /** An event of the watch: the object was deleted. */
  remove(object: T): void {
    this.#heardUpTo = object.metadata.resourceVersion;
    if (!this.#isOld(object)) this.#drop(object);
  }

  recordWrite(object: T): void {
    const isNews = isNewerVersion(object.metadata.resourceVersion, this.#heardUpTo);
    if (isNews && !this.#isOld(object)) this.#take(withoutManagedFields(object));
  }

  #fill(objects: readonly T[], upTo?: string): void {
    const seen = new Set(objects.map((object) => keyOf(object.metadata)));
    for (const [key, object] of this.#objects) if (!seen.has(key)) this.#drop(object);
    for (const object of objects) this.#take(object);
    if (upTo !== undefined) this.#heardUpTo = upTo;
    this.#synced = true;
  }

  #index(name: string): Index<T> {
    const found = this.#indexes.get(name);
    if (found === undefined) throw new TypeError(`${this.type.kind} has no index ${JSON.stringify(name)}`);
    return found;
  }

  /** True when something newer of that name was noted ahead of the watch. */
  #isOld(object: T): boolean {
    const known = this.#objects.get(keyOf(object.metadata));
    return isNewerVersion(known?.metadata.resourceVersion, object.metadata.resourceVersion);
  }

  /** Another UID under a known name: the deletion of the old object was missed. */
  #take(given: T): void {
    const object = this.#whole(given);
    const key = keyOf(object.metadata);
    const previous = this.#objects.get(key);
    if (previous !== undefined && previous.metadata.uid !== object.metadata.uid) {
      this.#drop(previous);
      this.#take(object);
      return;
    }
    if (previous?.metadata.resourceVersion === object.metadata.resourceVersion && previous !== undefined) return;
    this.#set(key, object);
    this.#notify(previous === undefined ? { type: 'added', object } : { type: 'updated', object, previous });
  }

  #drop(given: T): void {
    const object = this.#whole(given);
    const key = keyOf(object.metadata);
    const previous = this.#objects.get(key);
    if (previous === undefined) return;
    this.#objects.delete(key);
    for (const index of this.#indexes.values()) drain(index, key);
    this.#notify({ type: 'deleted', object, previous });
  }

  #set(key: string, object: T): void {
    this.#objects.set(key, object);
    for (const index of this.#indexes.values()) {
      drain(index, key);
      this.#file(index, key, object);
    }
  }

  #whole(object: T): T {
    return this.type.hasSpec !== true || 'spec' in object ? object : { ...object, spec: {} };
  }

  /** One invalid object must not end the watch: if its index function throws, it is not indexed. */
  #file(index: Index<T>, key: string, object: T): void {
    try {
      fill(index, key, index.valuesOf(object));
    } catch (error: unknown) {
      this.#onError(error);
    }
  }

  /** A handler that throws must not end the watch, nor keep others from hearing. */
  #notify(change: Change<T>): void {
    for (const handler of this.#handlers) {
      try {
        handler(change);
      } catch (error: unknown) {
        this.#onError(error);
      }
    }
  }
}

function fill<T extends KubeObject>(index: Index<T>, key: string, values: readonly string[]): void {
  index.filed.set(key, values);
  for (const value of values) {
    const keys = index.keys.get(value) ?? new Set();
    index.keys.set(value, keys.add(key));
  }
}

function drain<T extends KubeObject>(index: Index<T>, key: string): void {
  for (const value of index.filed.get(key) ?? []) {
    const keys = index.keys.get(value);
    keys?.delete(key);
    if (keys?.size === 0) index.keys.delete(value);
  }
  index.filed.delete(key);
}
