import type { KubeObject, ObjectRef, ResourceType } from '#api/meta.js';
import type { Kube, ListPage, ListQuery, WatchEvent, WriteOptions } from '#runtime/client/kube.js';
import { CancelledError, TransientError } from '#lib/errors.js';
import { parseSelector } from '#lib/kube/label-selector.js';
import type { MemoryServer } from './server.js';
import type { Asking } from './writes.js';

/** Hooks around the requests of a client. */
export interface Line {
  /** Called before each write; what it throws is thrown, and nothing is written. */
  readonly beforeWrite?: (() => void) | undefined;
  /** Called after each write that the server took; what it throws is thrown although it was written. */
  readonly afterWrite?: (() => void) | undefined;
  /** Called before each read. */
  readonly beforeRead?: (() => void) | undefined;
}

const UNUSED = 'the world in memory has no such request';

/** One client of the server, as `Kube`: what real reconciliations ask for is answered at once. */
export class MemoryKube implements Kube {
  readonly server = 'memory';
  readonly #server: MemoryServer;
  readonly #actor: string;
  readonly #line: Line;

  constructor(server: MemoryServer, actor: string, line: Line = {}) {
    this.#server = server;
    this.#actor = actor;
    this.#line = line;
  }

  get<T extends KubeObject>(type: ResourceType, ref: ObjectRef): Promise<T | undefined> {
    return this.#read(() => this.#server.get(type, ref) as T | undefined); // the caller names the type, as over HTTP
  }

  list<T extends KubeObject>(type: ResourceType, query: ListQuery = {}): Promise<ListPage<T>> {
    return this.#read(() => {
      const isSelected = parseSelector(query.labelSelector ?? '');
      const found = this.#server.list(type, query.namespace);
      const items = found.filter(({ metadata }) => isSelected(metadata.labels ?? {}));
      return { items: items as T[], resourceVersion: this.#server.version }; // as above
    });
  }

  create<T extends KubeObject>(type: ResourceType, object: T, options: WriteOptions = {}): Promise<T> {
    return this.#write(options, (asking) => this.#server.create(type, object, asking) as T); // as above
  }

  update<T extends KubeObject>(type: ResourceType, object: T, options: WriteOptions = {}): Promise<T> {
    return this.#write(options, (asking) => this.#server.update(type, object, asking) as T); // as above
  }

  apply<T extends KubeObject>(type: ResourceType, object: T, options: Parameters<Kube['apply']>[2]): Promise<T> {
    const { force } = options;
    return this.#write(options, (asking) => this.#server.apply(type, object, { ...asking, force }) as T); // as above
  }

  patch<T extends KubeObject>(...[type, ref, patch, options = {}]: Parameters<Kube['patch']>): Promise<T> {
    return this.#write(options, (asking) => this.#server.patch(type, ref, patch, asking) as T); // as above
  }

  delete(...[type, ref, options = {}]: Parameters<Kube['delete']>): Promise<boolean> {
    return this.#write(options, (asking) => this.#server.delete(type, ref, options, asking));
  }

  watch<T extends KubeObject>(): AsyncIterable<WatchEvent<T>> {
    throw new TypeError(UNUSED);
  }

  read(): Promise<unknown> {
    throw new TypeError(UNUSED);
  }

  stream(): Promise<AsyncIterable<Buffer>> {
    throw new TypeError(UNUSED);
  }

  actingAs(): Kube {
    throw new TypeError(UNUSED);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  async #read<T>(answer: () => T): Promise<T> {
    await Promise.resolve();
    this.#line.beforeRead?.();
    return answer();
  }

  async #write<T>(
    {
      signal,
      dryRun,
      fieldManager,
      subresource,
    }: Pick<WriteOptions, 'signal' | 'dryRun' | 'fieldManager' | 'subresource'>,
    answer: (asking: Asking) => T,
  ): Promise<T> {
    await Promise.resolve();
    if (signal?.aborted === true) throw new CancelledError();
    if (dryRun === true) return answer({ ...this.#asking(fieldManager), dryRun });
    this.#line.beforeWrite?.();
    if (subresource === 'token') throw new TransientError(UNUSED);
    const result = answer({ ...this.#asking(fieldManager), subresource });
    this.#line.afterWrite?.();
    return result;
  }

  #asking(fieldManager: string | undefined): Asking {
    return { actor: this.#actor, manager: fieldManager ?? this.#actor };
  }
}
