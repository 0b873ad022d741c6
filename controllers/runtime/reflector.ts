import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { KubeObject, ResourceType } from '../../api/meta.js';
import { listAll, type Kube, type ListQuery, type WatchEvent } from './kube.js';
import { backoffDelay } from './pure/backoff.js';
import { CancelledError, TransientError, apiStatusOf, isNotFound } from './pure/errors.js';
import { withoutManagedFields } from './pure/managed-fields.js';
import type { Store } from './store.js';

const BACKOFF = { baseMs: 200, capMs: 30_000 };
/** A server closes a watch after this many seconds, jittered, so that watches do not reconnect together. */
const WATCH_SECONDS = { from: 300, to: 600 };
/** A watch that the server closed sooner than this counts as a failure, or a broken server would be hit in a loop. */
const SHORT_WATCH_MS = 1_000;

export interface ReflectorOptions<T extends KubeObject> {
  readonly kube: Pick<Kube, 'list' | 'watch'>;
  readonly type: ResourceType;
  readonly store: Store<T>;
  readonly namespace: string | undefined;
  readonly metadataOnly: boolean;
  /** True: a type that is not served counts as one without objects. Otherwise it is waited for. */
  readonly optional?: boolean;
  readonly labelSelector?: string | undefined;
  readonly log: Logger;
}

/**
 * Keeps a Store equal to the server: lists, then watches from there, for ever. Every failure is retried with backoff; a
 * watch that is too old (410) lists again; a type that is not served is waited for; its objects
 * are gone if it is optional.
 */
export class Reflector<T extends KubeObject> {
  readonly #options: ReflectorOptions<T>;
  /** Where the next watch starts; undefined: list first. */
  #resumeAt: string | undefined;
  #failures = 0;
  #optional: boolean;
  #onSynced: () => void = () => undefined;
  readonly whenSynced = new Promise<void>((resolve) => (this.#onSynced = resolve));

  constructor(options: ReflectorOptions<T>) {
    this.#options = options;
    this.#optional = options.optional ?? false;
  }

  /** True after the first full list, or when an optional type turned out not to be served. */
  get synced(): boolean {
    return this.#options.store.synced;
  }

  /** Makes an optional type one that is waited for. */
  require(): void {
    this.#optional = false;
  }

  /** Runs until `signal` is aborted; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        this.#resumeAt ??= await this.#list(signal);
        await this.#watch(this.#resumeAt, signal);
      } catch (error: unknown) {
        if (error instanceof CancelledError) return;
        if (mustListAgain(error)) this.#resumeAt = undefined;
        if (this.#optional && isNotFound(error)) this.#fill([]);
        await this.#rest(error, signal);
      }
    }
  }

  #part(): Pick<ListQuery, 'namespace' | 'metadataOnly' | 'labelSelector'> {
    const { namespace, metadataOnly, labelSelector } = this.#options;
    return { namespace, metadataOnly, ...(labelSelector === undefined ? {} : { labelSelector }) };
  }

  async #list(signal: AbortSignal): Promise<string> {
    const { kube, type } = this.#options;
    const { items, resourceVersion } = await listAll<T>(kube, type, { ...this.#part(), signal });
    this.#fill(items.map(withoutManagedFields));
    this.#options.store.heard(resourceVersion);
    return resourceVersion;
  }

  #fill(objects: readonly T[]): void {
    this.#options.store.replace(objects);
    this.#onSynced();
  }

  async #watch(from: string, signal: AbortSignal): Promise<void> {
    const { kube, type } = this.#options;
    const timeoutSeconds = Math.round(WATCH_SECONDS.from + Math.random() * (WATCH_SECONDS.to - WATCH_SECONDS.from));
    const query = { ...this.#part(), resourceVersion: from, timeoutSeconds, signal };
    const openedAt = performance.now();
    for await (const event of kube.watch<T>(type, query)) this.#take(event);
    if (performance.now() - openedAt < SHORT_WATCH_MS) throw new TransientError('the server closes watches at once');
    this.#failures = 0;
  }

  #take(event: WatchEvent<T>): void {
    switch (event.type) {
      case 'ERROR':
        throw new TransientError(event.message, { status: { code: event.code, reason: '', causes: [] } });
      case 'BOOKMARK':
        this.#failures = 0;
        this.#resumeAt = event.resourceVersion;
        return;
      case 'DELETED':
        this.#options.store.remove(withoutManagedFields(event.object));
        break;
      default:
        this.#options.store.put(withoutManagedFields(event.object));
    }
    this.#failures = 0;
    this.#resumeAt = event.object.metadata.resourceVersion;
  }

  async #rest(error: unknown, signal: AbortSignal): Promise<void> {
    const delayMs = backoffDelay(BACKOFF, this.#failures, Math.random());
    this.#failures += 1;
    const err = error instanceof Error ? error.message : String(error);
    this.#options.log.warn({ kind: this.#options.type.kind, err, delayMs }, 'watch broke, trying again');
    // Aborted: the loop ends by itself.
    await delay(delayMs, undefined, { signal }).catch(() => undefined);
  }
}

/**
 * A cut stream is taken up where it ended, and so is a watch that a busy server put off: a list would cost it more.
 * Every other answer (410, a stream that ended in an error) says that there is no going on from here.
 */
function mustListAgain(error: unknown): boolean {
  const code = apiStatusOf(error)?.code;
  return code !== undefined && code !== 429 && code !== 503;
}
