import { setMaxListeners } from 'node:events';
import isEqual from 'lodash/isEqual.js';
import type { Logger } from 'pino';
import type { KubeObject, ResourceType } from '#api/meta.js';
import type { Cache, CacheOptions, Controller, IndexFunction, SetupContext } from './controller.js';
import { ClusterEventRecorder } from './event-recorder.js';
import type { Kube } from './client/kube.js';
import { createMetrics, type Metrics } from './process/metrics.js';
import { createOffload, type Offload } from './isolation/offload.js';
import { Queue } from './queue/queue.js';
import { Reflector, type ReflectorOptions } from './cache/reflector.js';
import { Shutdown } from './process/shutdown.js';
import { untilAborted } from './process/signals.js';
import { Store } from './cache/store.js';
import { work } from './queue/worker.js';

const SYNC_WARNING_MS = 15_000;
const DEFAULT_SHUTDOWN_MS = 30_000;
/** Waiting events must not delay the release of the leases, which the next leader waits for. */
const EVENTS_LIMIT_MS = 5_000;

export interface ManagerOptions {
  /** The host cluster. */
  readonly kube: Kube;
  readonly log: Logger;
  /** Restrict namespaced caches to this namespace. */
  readonly namespace?: string | undefined;
  /** Milliseconds that running passes may take to end before they are cancelled. */
  readonly shutdownTimeoutMs?: number;
  readonly metrics?: Metrics;
  readonly offload?: Offload;
  /** Epoch milliseconds. */
  readonly now?: () => number;
}

/** What of a type an informer holds. */
type Part = Pick<ReflectorOptions<KubeObject>, 'metadataOnly' | 'labelSelector' | 'transform'>;

interface Informer {
  readonly key: Part & Pick<ResourceType, 'group' | 'version' | 'plural'>;
  readonly store: Store<KubeObject>;
  readonly reflector: Reflector<KubeObject>;
}

/** A controller, and the caches that were asked for while it was set up: it starts when these are filled. */
interface Running {
  readonly controller: Controller;
  readonly queue: Queue;
  /** Of each cache, when the controller may use it. */
  readonly usable: readonly Promise<void>[];
  /** Resolves when it may work. */
  readonly elected: Promise<void>;
}

/**
 * Owns everything that runs: shared caches, queues and workers. Controllers only say what they watch and what a pass
 * does.
 */
export class Manager {
  readonly kube: Kube;
  readonly log: Logger;
  readonly now: () => number;
  readonly metrics: Metrics;
  readonly events: ClusterEventRecorder;
  readonly #offload: Offload;
  readonly #options: ManagerOptions;
  readonly #informers: Informer[] = [];
  /** Those that somebody waits for. */
  readonly #required = new Set<Informer>();
  readonly #controllers: Running[] = [];
  #phase: 'new' | 'started' | 'stopping' = 'new';

  constructor(options: ManagerOptions) {
    this.#options = options;
    this.kube = options.kube;
    this.log = options.log;
    this.now = options.now ?? Date.now;
    this.metrics = options.metrics ?? createMetrics();
    this.#offload = options.offload ?? createOffload();
    const { kube, log, now } = this;
    const isBusy = (): boolean => this.#controllers.some(({ queue }) => queue.depth > 0);
    this.events = new ClusterEventRecorder({ kube, log, component: 'fairlead', now, isBusy });
  }

  /**
   * Adds what `build` makes. The context knows whose caches it hands out, so that a type which the cluster does not
   * serve holds back the controllers that need it and no other one; they also wait for `elected` (default: at once).
   * Throws a TypeError once the manager has started.
   */
  setup(
    build: (context: SetupContext) => Controller | readonly Controller[],
    elected: Promise<void> = Promise.resolve(),
  ): void {
    if (this.#phase !== 'new') throw new TypeError('a controller is set up before the manager starts');
    const usable: Promise<void>[] = [];
    const { kube, events, log, now } = this;
    const context: SetupContext = {
      kube,
      events,
      log,
      now,
      offload: this.#offload,
      cache: <T extends KubeObject>(type: ResourceType, options: CacheOptions<T> = {}): Cache<T> => {
        if (this.#phase !== 'new') throw new TypeError(`the cache of ${type.kind} is asked for after the start`);
        const { metadataOnly = false, labelSelector, transform, optional = false, mayFail = false } = options;
        const informer = this.#informer(type, { metadataOnly, labelSelector, transform }, optional);
        // One caller that requires the type is enough to wait for it.
        if (!optional) informer.reflector.require();
        if (!mayFail) this.#required.add(informer);
        usable.push(mayFail ? informer.reflector.whenTried : informer.reflector.whenSynced);
        return cacheOf(informer.store, options.indexes ?? {});
      },
    };
    for (const controller of [build(context)].flat()) this.#add({ controller, usable, elected });
  }

  /** Why this process should get no traffic: types whose first list has not come yet, or the shutdown. */
  notReady(): string[] {
    if (this.#phase === 'stopping') return ['shutting down'];
    const waiting = [...this.#required].filter(({ reflector }) => !reflector.synced);
    return waiting.map(({ store }) => `cache of ${store.type.plural}.${store.type.group} is not synced`);
  }

  /**
   * Fills the caches and runs each controller once its own are. After `stop` no pass begins, and what runs may end; it
   * is cancelled with `cancel`, or when its time is up. Resolves when the last pass has ended, or is given up.
   */
  async start(stop: AbortSignal, cancel?: AbortSignal): Promise<void> {
    this.#phase = 'started';
    const timeoutMs = this.#options.shutdownTimeoutMs ?? DEFAULT_SHUTDOWN_MS;
    const shutdown = new Shutdown({ stop, cancel, timeoutMs });
    const watching = new AbortController();
    // Every watch listens to the one signal: that is no leak.
    setMaxListeners(0, watching.signal);
    const warning = setInterval(() => this.#warnOfEmptyCaches(), SYNC_WARNING_MS);
    const stopNow = (): void => this.#stop(timeoutMs);
    if (shutdown.stopping.aborted) stopNow();
    else shutdown.stopping.addEventListener('abort', stopNow, { once: true });
    const watches = [...this.#informers].map(({ reflector }) => reflector.run(watching.signal));
    const working = this.#controllers.map((each) => this.#run(each, shutdown));
    // Passes that end see what happens until then.
    await shutdown.drained(Promise.all(working));
    watching.abort();
    await Promise.all(watches);
    clearInterval(warning);
    await this.#offload.close();
    await this.events.flush(EVENTS_LIMIT_MS);
  }

  #add(added: Omit<Running, 'queue'>): void {
    const { controller } = added;
    const { name, concurrency } = controller;
    const queue = new Queue({ observer: this.metrics.observeQueue(name), shared: concurrency });
    this.metrics.watchUnfinished(name, () => queue.unfinished());
    for (const watch of controller.watches) {
      watch.cache.onChange((change) => {
        for (const key of watch.toKeys(change)) queue.addAfter(key, watch.delayMs?.(key, change) ?? 0);
      });
    }
    this.#controllers.push({ ...added, queue });
  }

  #informer(type: ResourceType, part: Part, optional: boolean): Informer {
    const { group, version, plural } = type;
    const key = { group, version, plural, ...part };
    const known = this.#informers.find((informer) => isEqual(informer.key, key));
    if (known !== undefined) return known;
    const store = new Store<KubeObject>(type, (error) =>
      this.log.error({ err: error, kind: type.kind }, 'event handler failed'),
    );
    const namespace = type.namespaced ? this.#options.namespace : undefined;
    const reflector = new Reflector({ kube: this.kube, type, store, namespace, ...part, optional, log: this.log });
    const informer = { key, store, reflector };
    this.#informers.push(informer);
    return informer;
  }

  async #run({ controller, queue, usable, elected }: Running, shutdown: Shutdown): Promise<void> {
    const { stopping, cancelling } = shutdown;
    await Promise.race([Promise.all([elected, ...usable]), untilAborted(stopping)]);
    if (stopping.aborted) return;
    this.log.info({ controller: controller.name }, 'running');
    this.metrics.setConcurrency(controller.name, controller.concurrency);
    const options = { controller, queue, log: this.log, metrics: this.metrics, signal: cancelling };
    // As many again for namespaces of which nothing runs, see Queue.
    await Promise.all(Array.from({ length: 2 * controller.concurrency }, () => work(options)));
  }

  #warnOfEmptyCaches(): void {
    const waitingFor = this.notReady();
    if (waitingFor.length > 0) this.log.warn({ waitingFor }, 'waiting for caches to sync');
  }

  #stop(timeoutMs: number): void {
    this.#phase = 'stopping';
    for (const { queue } of this.#controllers) queue.close();
    const running = this.#controllers.flatMap(({ queue }) => queue.unfinished()).length;
    if (running > 0) this.log.info({ running, timeoutMs }, 'shutting down: waiting for running reconciliations');
  }
}

function cacheOf<T extends KubeObject>(
  store: Store<KubeObject>,
  indexes: Readonly<Record<string, IndexFunction<T>>>,
): Cache<T> {
  // One store serves every caller of a type; the caller names the type's TypeScript form.
  for (const [name, valuesOf] of Object.entries(indexes)) {
    store.addIndex(name, valuesOf as unknown as IndexFunction<KubeObject>);
  }
  return store as unknown as Cache<T>;
}
