import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { KubeObject, ResourceType } from '#api/meta.js';
import { backoffDelay } from '#lib/retry/retry.js';
import type { Share } from '#lib/fair-sum.js';
import { CancelledError, TransientError, apiStatusOf, isNotFound } from '#lib/errors.js';
import { keyOf } from '#lib/kube/keys.js';
import { withoutManagedFields } from '#lib/kube/managed-fields.js';
import { defined } from '#lib/plain.js';
import {
  pagesOf,
  type Kube,
  type ListingKube,
  type ListQuery,
  type WatchEvent,
  type WatchQuery,
} from '../client/kube.js';
import type { Store } from './store.js';
import { Weights } from './weights.js';
import { inTurns } from '../turns.js';
import { isSilence } from '../client/watch-stream.js';

const BACKOFF = { baseMs: 200, capMs: 30_000 };
/** A server closes a watch after this many seconds, jittered, so that watches do not reconnect together. */
const WATCH_SECONDS = { from: 300, to: 600 };
/** A watch that the server closed sooner than this counts as a failure, or a broken server would be hit in a loop. */
const SHORT_WATCH_MS = 1_000;
/** Bookmarks come every minute: a connection without one for so long is dead, or its type has none (Events). */
const SILENCE_MS = 150_000;
/** A streamed list that breaks so often is asked for in pages, which are smaller bites. */
const MAX_BROKEN_STREAMS = 3;

export interface ReflectorOptions<T extends KubeObject> {
  readonly kube: ListingKube & Pick<Kube, 'watch'>;
  readonly type: ResourceType;
  readonly store: Store<T>;
  readonly namespace: string | undefined;
  readonly metadataOnly: boolean;
  /** True: a type that is not served counts as one without objects. Otherwise it is waited for. */
  readonly optional?: boolean;
  readonly labelSelector?: string | undefined;
  readonly log: Logger;
  /** What the store keeps of an object; it must keep the metadata that identifies it. `managedFields` never stay. */
  readonly transform?: ((object: T) => T) | undefined;
  /** Hears of the memory that objects, lists that are coming in and parts of events take; default: nobody counts it. */
  readonly share?: Pick<Share, 'grow'>;
  /** The weights of the objects in the store for `share`, if it has some already, by another client. */
  readonly weights?: Weights;
  /** Milliseconds without event or bookmark after which a watch is reopened; default 150 s. */
  readonly silenceMs?: number;
}

/** The objects of a list that is still coming in; the store changes when it is whole. */
interface Coming<T> {
  readonly objects: Map<string, T>;
  readonly weights: Weights;
}

/** Clients whose server said that it streams no lists (the feature WatchList); asked once, not once per type. */
const withoutWatchList = new WeakSet<object>();

/**
 * Keeps a Store equal to the server: lists (as a stream where the server can, else in pages), then watches from there,
 * for ever. Every failure is retried with backoff; a watch that is too old (410) lists again; a type that is not served
 * is waited for; its objects are gone if it is optional.
 */
export class Reflector<T extends KubeObject> {
  readonly #options: ReflectorOptions<T>;
  /** Where the next watch starts; undefined: list first. */
  #resumeAt: string | undefined;
  #failures = 0;
  readonly #weights: Weights;
  #optional: boolean;
  #running: Promise<void> = Promise.resolve();
  #onSynced: () => void = () => undefined;
  #onTried: () => void = () => undefined;
  readonly whenSynced = new Promise<void>((resolve) => (this.#onSynced = resolve));
  /** Resolves when it is synced, or its first attempt has failed. */
  readonly whenTried = new Promise<void>((resolve) => (this.#onTried = resolve));

  constructor(options: ReflectorOptions<T>) {
    this.#options = options;
    this.#weights = options.weights ?? new Weights(options.share);
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

  /** Runs until `signal` is aborted; never rejects. A second run begins when the first has ended: never two watches. */
  run(signal: AbortSignal): Promise<void> {
    this.#running = this.#running.then(() => this.#loop(signal));
    return this.#running;
  }

  async #loop(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#follow(signal);
      } catch (error: unknown) {
        if (error instanceof CancelledError) return;
        if (this.#wasIdle(error)) continue;
        if (mustListAgain(error)) this.#resumeAt = undefined;
        const isUnserved = this.#optional && isNotFound(error);
        if (isUnserved) this.#notServed();
        this.#onTried();
        await this.#rest(error, isUnserved ? 'debug' : 'warn', signal);
      }
    }
  }

  /** Some types have no bookmarks: if silence only means that nothing happened, the watch is reopened for nothing. */
  #wasIdle(error: unknown): boolean {
    if (this.#resumeAt === undefined || !isSilence(error)) return false;
    this.#options.log.debug({ kind: this.#options.type.kind }, 'watch was silent for too long, restarting it');
    return true;
  }

  async #follow(signal: AbortSignal): Promise<void> {
    if (this.#resumeAt === undefined && this.#mayStreamList()) return this.#streamList(signal);
    this.#resumeAt ??= await this.#list(signal);
    return this.#watch({ resourceVersion: this.#resumeAt }, signal);
  }

  #mayStreamList(): boolean {
    return this.#failures < MAX_BROKEN_STREAMS && !withoutWatchList.has(this.#options.kube);
  }

  async #streamList(signal: AbortSignal): Promise<void> {
    try {
      await this.#watch({ resourceVersion: '', sendInitialEvents: true }, signal);
    } catch (error: unknown) {
      if (this.#resumeAt !== undefined || !saysNoWatchList(error)) throw error;
      withoutWatchList.add(this.#options.kube);
    }
  }

  #part(): Pick<ListQuery, 'namespace' | 'metadataOnly' | 'labelSelector'> {
    const { namespace, metadataOnly, labelSelector } = this.#options;
    return { namespace, metadataOnly, ...defined({ labelSelector }) };
  }

  async #list(signal: AbortSignal): Promise<string> {
    const { kube, type } = this.#options;
    const coming = this.#coming();
    try {
      let resourceVersion = '';
      for await (const page of pagesOf<T>(kube, type, { ...this.#part(), signal }, () => coming.objects.clear())) {
        await inTurns(page.items, (item) => this.#add(item, coming));
        ({ resourceVersion } = page);
      }
      if (signal.aborted) throw new CancelledError(`the list of ${type.plural} came too late`);
      this.#fill(coming, resourceVersion);
      return resourceVersion;
    } catch (error: unknown) {
      coming.weights.clear();
      throw error;
    }
  }

  #coming(): Coming<T> {
    return { objects: new Map(), weights: new Weights(this.#options.share) };
  }

  #add(object: T, { objects, weights }: Coming<T>): void {
    const kept = this.#kept(object);
    objects.set(keyOf(object.metadata), kept);
    weights.put(kept);
  }

  #fill({ objects, weights }: Coming<T>, upTo?: string): void {
    this.#options.store.replace([...objects.values()], upTo);
    this.#weights.replaceBy(weights);
    this.#announce();
  }

  #notServed(): void {
    this.#options.store.notServed();
    this.#weights.clear();
    this.#announce();
  }

  #announce(): void {
    this.#onSynced();
    this.#onTried();
  }

  async #watch(from: Pick<WatchQuery, 'resourceVersion' | 'sendInitialEvents'>, signal: AbortSignal): Promise<void> {
    const { kube, type, share, silenceMs = SILENCE_MS } = this.#options;
    const timeoutSeconds = Math.round(WATCH_SECONDS.from + Math.random() * (WATCH_SECONDS.to - WATCH_SECONDS.from));
    const query = { ...from, ...this.#part(), timeoutSeconds, silenceMs, signal, share };
    const openedAt = performance.now();
    let coming = from.sendInitialEvents === true ? this.#coming() : undefined;
    try {
      for await (const event of kube.watch<T>(type, query)) {
        if (signal.aborted) throw new CancelledError(`an event of ${type.plural} came too late`);
        if (coming === undefined) this.#take(event);
        else if (this.#takeInitial(event, coming)) coming = undefined;
      }
    } finally {
      coming?.weights.clear();
    }
    if (performance.now() - openedAt < SHORT_WATCH_MS)
      throw new TransientError('the server closes watches immediately');
    if (coming !== undefined) throw new TransientError('the server closed the watch before its list was complete');
    this.#failures = 0;
  }

  /** True when the list is whole. */
  #takeInitial(event: WatchEvent<T>, coming: Coming<T>): boolean {
    switch (event.type) {
      case 'ERROR':
        throw endOfWatch(event);
      case 'BOOKMARK':
        if (event.initialEventsEnd !== true) return false;
        this.#fill(coming, event.resourceVersion);
        this.#advance(event.resourceVersion);
        return true;
      case 'DELETED':
        coming.objects.delete(keyOf(event.object.metadata));
        coming.weights.remove(event.object);
        return false;
      default:
        this.#add(event.object, coming);
        return false;
    }
  }

  #take(event: WatchEvent<T>): void {
    switch (event.type) {
      case 'ERROR':
        throw endOfWatch(event);
      case 'BOOKMARK':
        this.#advance(event.resourceVersion);
        return;
      case 'DELETED':
        this.#options.store.remove(this.#kept(event.object));
        this.#weights.remove(event.object);
        break;
      default: {
        const kept = this.#kept(event.object);
        this.#options.store.put(kept);
        this.#weights.put(kept);
      }
    }
    this.#advance(event.object.metadata.resourceVersion);
  }

  #advance(resourceVersion: string | undefined): void {
    this.#failures = 0;
    if (resourceVersion !== undefined && resourceVersion !== '') this.#resumeAt = resourceVersion;
  }

  #kept(object: T): T {
    const lean = withoutManagedFields(object);
    return this.#options.transform?.(lean) ?? lean;
  }

  async #rest(error: unknown, level: 'debug' | 'warn', signal: AbortSignal): Promise<void> {
    const asked = error instanceof TransientError ? (error.retryAfterMs ?? 0) : 0;
    // In addition to the Retry-After of the server: not all clients with the same one retry together.
    const delayMs = asked + backoffDelay(BACKOFF, this.#failures, Math.random());
    this.#failures += 1;
    const err = error instanceof Error ? error.message : String(error);
    this.#options.log[level]({ kind: this.#options.type.kind, err, delayMs }, 'watch failed, retrying');
    // Aborted: the loop ends by itself.
    await delay(delayMs, undefined, { signal }).catch(() => undefined);
  }
}

function endOfWatch({ message, code }: { message: string; code: number }): TransientError {
  return new TransientError(message, { status: { code, reason: '', causes: [] } });
}

/** Busy, or a gateway without an answer: the server itself can go on from there, and a list would cost it more. */
const COME_AGAIN: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/**
 * A cut stream is taken up where it ended, and so is a watch that a busy server put off. Every other answer (410, a
 * stream that ended in an error) says that there is no going on from here.
 */
function mustListAgain(error: unknown): boolean {
  // The objects of the watch exceeded its limit. Listing again replaces them.
  if (error instanceof TransientError && error.reason === 'AnswerTooLong') return true;
  const code = apiStatusOf(error)?.code;
  return code !== undefined && !COME_AGAIN.has(code);
}

/** Servers without the feature refuse its parameters. */
function saysNoWatchList(error: unknown): boolean {
  const code = apiStatusOf(error)?.code;
  return code === 400 || code === 422;
}
