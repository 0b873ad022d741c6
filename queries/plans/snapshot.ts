import { namespaceResource } from '#api/core.js';
import type { KubeObject, ResourceType } from '#api/meta.js';
import type { Cache, CacheOptions } from '#runtime/controller.js';
import type { Kube, ListPage, ListQuery } from '#runtime/client/kube.js';
import { defined } from '#lib/plain.js';
import { apiStatusOf, isNotFound } from '#lib/errors.js';
import { keyOf } from '#lib/kube/keys.js';
import type { Budget } from './budget.js';

/** What is read from. */
type Reading = Pick<Kube, 'get' | 'list'>;

/** Which objects are read, and how many. */
export interface Scope {
  /** The namespace of the Application: all that is read where the user may not read all. Undefined: all may be read. */
  readonly own: string | undefined;
  /** Undefined: all. */
  readonly namespaces: readonly string[] | undefined;
  /** Further namespaces, read as far as the user may. Default: none. */
  readonly also?: readonly string[];
  /** Default: any number of objects. */
  readonly budget?: Budget | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What could not be read as the controller reads it. */
export interface Limit {
  readonly type: ResourceType;
  /** The only namespace that could be read; undefined: none could. */
  readonly only: string | undefined;
  /** What is asked for there is taken for existing. */
  readonly isAssumed?: boolean;
}

function isForbidden(error: unknown): boolean {
  return apiStatusOf(error)?.code === 403;
}

/** Objects of the first page: each may be as large as objects can be, and a page is parsed at once. */
const FIRST_PAGE = 2;
const MOST_OF_A_PAGE = 500;
/** Characters that a page should have. */
const PAGE_LENGTH = 1_000_000;

/** How many objects the next page may have, when a page of some had that many characters. */
function nextLimit(count: number, characters: number): number {
  const wanted = Math.floor((PAGE_LENGTH * count) / Math.max(1, characters));
  return Math.min(MOST_OF_A_PAGE, Math.max(1, wanted));
}

/** The objects of one type at one moment, as the caches of the controller hold them; nothing is watched. */
class ReadCache<T extends KubeObject> implements Cache<T> {
  readonly type: ResourceType;
  readonly #options: CacheOptions<T>;
  #items: ReadonlyMap<string, T> = new Map();
  #limit: Limit | undefined;
  readonly #indexed = new Map<string, ReadonlyMap<string, T[]>>();
  synced = false;
  served = false;

  readonly #assumes: boolean;

  constructor(type: ResourceType, options: CacheOptions<T>, assumes: boolean) {
    this.type = type;
    this.#options = options;
    this.#assumes = assumes;
  }

  get limit(): Limit | undefined {
    return this.#limit;
  }

  async read(kube: Reading, scope: Scope): Promise<void> {
    try {
      const objects = await this.#objects(kube, scope);
      this.#items = new Map(objects.map((object) => [keyOf(object.metadata), object]));
      [this.synced, this.served] = [true, true];
    } catch (error: unknown) {
      if (isNotFound(error)) {
        this.synced = this.#options.optional === true;
        return;
      }
      if (!isForbidden(error)) throw error;
      this.served = true;
      this.#limit = { type: this.type, only: undefined, ...(this.#assumes ? { isAssumed: true } : {}) };
    }
  }

  async #objects(kube: Reading, scope: Scope): Promise<readonly T[]> {
    const { own, namespaces, also = [], signal } = scope;
    if (own === undefined) return this.#list(kube, undefined, scope);
    // Only the labels of this one are asked for, which more users may read than all of them.
    if (this.type.plural === namespaceResource.plural) {
      const object = await kube.get<T>(this.type, { name: own }, { signal });
      return object === undefined ? [] : [object];
    }
    if (!this.type.namespaced) return this.#list(kube, undefined, scope);
    if (namespaces === undefined) return this.#allOrOwn(kube, own, scope);
    const lists = await Promise.all([
      ...namespaces.map((namespace) => this.#list(kube, namespace, scope)),
      ...also.map((namespace) => this.#listIfAllowed(kube, namespace, own, scope)),
    ]);
    return lists.flat();
  }

  async #listIfAllowed(kube: Reading, namespace: string, own: string, scope: Scope): Promise<readonly T[]> {
    try {
      return await this.#list(kube, namespace, scope);
    } catch (error: unknown) {
      if (!isForbidden(error)) throw error;
      // That its own namespace may not be read says more, whichever answer comes first.
      this.#limit ??= { type: this.type, only: own };
      return [];
    }
  }

  async #allOrOwn(kube: Reading, own: string, scope: Scope): Promise<readonly T[]> {
    try {
      return await this.#list(kube, undefined, scope);
    } catch (error: unknown) {
      if (!isForbidden(error)) throw error;
      const items = await this.#list(kube, own, scope);
      this.#limit = { type: this.type, only: own };
      return items;
    }
  }

  async #list(kube: Reading, namespace: string | undefined, { signal, budget }: Scope): Promise<readonly T[]> {
    const { labelSelector, metadataOnly, transform = (object: KubeObject) => object } = this.#options;
    const query: ListQuery = { namespace, signal, ...defined({ labelSelector, metadataOnly }) };
    const { group, version, kind } = this.type;
    const items: T[] = [];
    let limit = FIRST_PAGE;
    for (let continueToken: string | undefined; ;) {
      const page: ListPage<T> = await kube.list<T>(this.type, { ...query, limit, ...defined({ continueToken }) });
      items.push(...page.items);
      ({ continueToken } = page);
      budget?.checkCount(items.length, this.type.plural);
      if (continueToken === undefined) break;
      limit = nextLimit(page.items.length, page.characters ?? 0);
    }
    // The API server leaves out the kind of the items of a list. What is kept of an object is of its type.
    return items.map(
      (item) => transform({ ...item, apiVersion: group === '' ? version : `${group}/${version}`, kind }) as T,
    );
  }

  get({ name, namespace }: { name: string; namespace?: string | undefined }): T | undefined {
    const found = this.#items.get(keyOf({ name, namespace }));
    if (found !== undefined || this.#limit?.isAssumed !== true) return found;
    const { group, version, kind } = this.type;
    const apiVersion = group === '' ? version : `${group}/${version}`;
    // Nothing is asked of it but whether it is there.
    return { apiVersion, kind, metadata: { name, namespace } } as T;
  }

  list(namespace?: string): T[] {
    const items = [...this.#items.values()];
    return namespace === undefined ? items : items.filter(({ metadata }) => metadata.namespace === namespace);
  }

  byIndex(index: string, value: string): T[] {
    let known = this.#indexed.get(index);
    if (known === undefined) this.#indexed.set(index, (known = this.#index(index)));
    return known.get(value) ?? [];
  }

  /** Each object is asked once: some answers are long to make. */
  #index(index: string): ReadonlyMap<string, T[]> {
    const byValue = new Map<string, T[]>();
    for (const item of this.#items.values()) {
      for (const value of new Set(this.#options.indexes?.[index]?.(item))) {
        const found = byValue.get(value);
        if (found === undefined) byValue.set(value, [item]);
        else found.push(item);
      }
    }
    return byValue;
  }

  countByIndex(index: string, value: string): number {
    return this.byIndex(index, value).length;
  }

  recordWrite(): void {
    throw new Error('nothing is written');
  }

  onChange(): void {
    // Nothing changes.
  }
}

/** Caches that are read once. `assumes`: what the user may not read is taken for existing. */
export class Snapshot {
  readonly #assumes: boolean;
  readonly #caches: ReadCache<never>[] = [];

  constructor({ assumes = false }: { readonly assumes?: boolean } = {}) {
    this.#assumes = assumes;
  }

  cache<T extends KubeObject>(type: ResourceType, options: CacheOptions<T> = {}): Cache<T> {
    const cache = new ReadCache<T>(type, options, this.#assumes);
    // They are only read here, whatever they hold.
    this.#caches.push(cache as unknown as ReadCache<never>);
    return cache;
  }

  /** Reads them all. Returns what the user may not read of them. */
  async read(kube: Reading, scope: Scope): Promise<Limit[]> {
    await Promise.all(this.#caches.map((cache) => cache.read(kube, scope)));
    return this.#caches.flatMap(({ limit }) => limit ?? []);
  }
}
