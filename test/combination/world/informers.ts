import type { KubeObject, ResourceType } from '#api/meta.js';
import type { Cache, CacheOptions, IndexFunction } from '#runtime/controller.js';
import { parseSelector } from '#lib/kube/label-selector.js';
import { withoutManagedFields } from '#lib/kube/managed-fields.js';
import { Store } from '#runtime/cache/store.js';
import { resourceOf, type MemoryServer, type ServerEvent } from './server.js';

interface Informer {
  readonly key: string;
  readonly resource: string;
  readonly type: ResourceType;
  readonly store: Store<KubeObject>;
  readonly isSelected: (object: KubeObject) => boolean;
  readonly shown: (object: KubeObject) => KubeObject;
}

function metadataOf({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  return { apiVersion, kind, metadata };
}

/**
 * The caches of one process, with the real Store. They know what was delivered: in the order in which it happened, but
 * of some kinds later than of others.
 */
export class Informers {
  readonly #server: MemoryServer;
  readonly #onError: (error: unknown) => void;
  readonly #informers = new Map<string, Informer>();
  readonly #byResource = new Map<string, Informer[]>();
  /** How many events of the server were read. */
  #delivered = 0;
  /** Resources whose news is late, with what was not delivered of each. */
  readonly #late = new Map<string, ServerEvent[]>();

  constructor(server: MemoryServer, onError: (error: unknown) => void) {
    this.#server = server;
    this.#onError = onError;
  }

  /** As `SetupContext.cache`. */
  cache<T extends KubeObject>(type: ResourceType, options: CacheOptions<T> = {}): Cache<T> {
    const { indexes = {}, metadataOnly = false, labelSelector = '', transform } = options;
    const key = JSON.stringify([resourceOf(type), type.version, metadataOnly, labelSelector, transform !== undefined]);
    const informer = this.#informers.get(key) ?? this.#add(key, type, { metadataOnly, labelSelector, transform });
    for (const [name, valuesOf] of Object.entries(indexes)) {
      informer.store.addIndex(name, valuesOf as unknown as IndexFunction<KubeObject>); // the caller names the type
    }
    return informer.store as unknown as Cache<T>; // as above
  }

  /** Fills all caches, as the first list does. `isServed`: which kinds the server knows. */
  start(isServed: (type: ResourceType) => boolean): void {
    this.#delivered = this.#server.events.length;
    this.#late.clear();
    for (const { type, store, isSelected, shown } of this.#informers.values()) {
      if (isServed(type)) store.replace(this.#server.list(type).filter(isSelected).map(shown), this.#server.version);
      else store.notServed();
    }
  }

  /** True while news of some resource waits. */
  get isLate(): boolean {
    return this.#late.size > 0;
  }

  /** From now on, news of this resource waits. */
  hold(type: ResourceType): void {
    if (!this.#late.has(resourceOf(type))) this.#late.set(resourceOf(type), []);
  }

  /** Delivers what waited, and from now on everything at once. */
  release(): void {
    const waiting = [...this.#late.values()].flat();
    this.#late.clear();
    for (const event of waiting) this.#hear(event);
  }

  /** Delivers what happened, except for what is late. */
  deliver(): void {
    const { events } = this.#server;
    for (; this.#delivered < events.length; this.#delivered += 1) {
      const event = events[this.#delivered];
      if (event === undefined) continue;
      const late = this.#late.get(event.resource);
      if (late === undefined) this.#hear(event);
      else late.push(event);
    }
  }

  #hear(event: ServerEvent): void {
    for (const informer of this.#byResource.get(event.resource) ?? []) hear(informer, event);
  }

  #add(
    key: string,
    type: ResourceType,
    options: { metadataOnly: boolean; labelSelector: string; transform: CacheOptions<KubeObject>['transform'] },
  ): Informer {
    const select = parseSelector(options.labelSelector);
    const { transform = (object: KubeObject) => object } = options;
    const part = options.metadataOnly ? metadataOf : (object: KubeObject) => object;
    const resource = resourceOf(type);
    const informer: Informer = {
      ...{ key, resource, type },
      store: new Store<KubeObject>(type, this.#onError),
      isSelected: ({ metadata }) => select(metadata.labels ?? {}),
      shown: (object) => transform(part(withoutManagedFields(object))),
    };
    this.#informers.set(key, informer);
    this.#byResource.set(resource, [...(this.#byResource.get(resource) ?? []), informer]);
    return informer;
  }
}

function hear({ store, isSelected, shown }: Informer, event: ServerEvent): void {
  const object = shown(event.object);
  if (event.type === 'deleted' || !isSelected(event.object)) store.remove(object);
  else store.put(object);
}
