import { setMaxListeners } from 'node:events';
import type { Logger } from 'pino';
import type { KubeObject, ResourceType } from '../../api/meta.js';
import type { Cache, CacheOptions, Controller, IndexFunction, SetupContext } from './controller.js';
import { ClusterEventRecorder } from './event-recorder.js';
import type { Kube } from './kube.js';
import { createMetrics, type Metrics } from './metrics.js';
import { Queue } from './queue.js';
import { Reflector } from './reflector.js';
import { Store } from './store.js';
import { work } from './worker.js';

const SYNC_WARNING_MS = 15_000;

export interface ManagerOptions {
  /** The host cluster. */
  readonly kube: Kube;
  readonly log: Logger;
  /** Restrict namespaced caches to this namespace. */
  readonly namespace?: string | undefined;
  /** Milliseconds that running passes may take to end after the signal. */
  readonly shutdownTimeoutMs?: number;
  readonly metrics?: Metrics;
  /** Epoch milliseconds. */
  readonly now?: () => number;
}

interface Informer {
  readonly store: Store<KubeObject>;
  readonly reflector: Reflector<KubeObject>;
}

/** Owns everything that runs: shared caches, queues and workers. Controllers only say what they watch and what a pass does. */
export class Manager implements SetupContext {
  readonly kube: Kube;
  readonly log: Logger;
  readonly now: () => number;
  readonly metrics: Metrics;
  readonly events: ClusterEventRecorder;
  readonly #options: ManagerOptions;
  readonly #informers = new Map<string, Informer>();
  readonly #controllers: { controller: Controller; queue: Queue }[] = [];

  constructor(options: ManagerOptions) {
    this.#options = options;
    this.kube = options.kube;
    this.log = options.log;
    this.now = options.now ?? Date.now;
    this.metrics = options.metrics ?? createMetrics();
    this.events = new ClusterEventRecorder({ kube: this.kube, log: this.log, component: 'fairlead', now: this.now });
  }

  cache<T extends KubeObject>(type: ResourceType, options: CacheOptions<T> = {}): Cache<T> {
    const metadataOnly = options.metadataOnly ?? false;
    const { store, reflector } = this.#informer(type, metadataOnly, options.optional);
    // Whoever cannot do without the type makes all wait for it.
    if (options.optional !== true) reflector.require();
    for (const [name, valuesOf] of Object.entries(options.indexes ?? {})) {
      // One store serves every caller of a type; the caller names the type's TypeScript form.
      store.addIndex(name, valuesOf as unknown as IndexFunction<KubeObject>);
    }
    return store as unknown as Cache<T>;
  }

  add(controller: Controller): void {
    const name = controller.name;
    const queue = new Queue({ observer: this.metrics.observeQueue(name) });
    this.metrics.watchUnfinished(name, () => queue.unfinished());
    for (const watch of controller.watches) {
      watch.cache.onChange((change) => {
        for (const key of watch.toKeys(change)) queue.add(key);
      });
    }
    this.#controllers.push({ controller, queue });
  }

  /** Types whose first list has not come yet. */
  notReady(): string[] {
    const waiting = [...this.#informers.values()].filter(({ reflector }) => !reflector.synced);
    return waiting.map(({ store }) => `cache of ${store.type.plural}.${store.type.group} is not filled`);
  }

  /** Fills the caches, then runs the workers until `signal` is aborted and the last pass has ended (or its time is up). */
  async start(signal: AbortSignal): Promise<void> {
    // Every watch and every worker listens to the one signal: that is no leak.
    setMaxListeners(0, signal);
    const informers = [...this.#informers.values()];
    const watching = informers.map(({ reflector }) => reflector.run(signal));
    await this.#untilSynced(signal);
    if (!signal.aborted)
      this.log.info({ controllers: this.#controllers.map(({ controller }) => controller.name) }, 'running');
    const working = this.#controllers.flatMap(({ controller, queue }) => this.#startWorkers(controller, queue, signal));
    signal.addEventListener('abort', () => this.#closeQueues(), { once: true });
    if (signal.aborted) this.#closeQueues();
    await this.#drained([...watching, ...working], signal);
    await this.events.flush();
  }

  #informer(type: ResourceType, metadataOnly: boolean, optional = false): Informer {
    const key = `${type.group}/${type.version}/${type.plural}/${String(metadataOnly)}`;
    const known = this.#informers.get(key);
    if (known !== undefined) return known;
    const store = new Store<KubeObject>(type, (error) =>
      this.log.error({ err: error, kind: type.kind }, 'a mapping threw'),
    );
    const namespace = type.namespaced ? this.#options.namespace : undefined;
    const reflector = new Reflector({ kube: this.kube, type, store, namespace, metadataOnly, optional, log: this.log });
    const informer = { store, reflector };
    this.#informers.set(key, informer);
    return informer;
  }

  async #untilSynced(signal: AbortSignal): Promise<void> {
    const warning = setInterval(() => this.log.warn({ waitingFor: this.notReady() }, 'caches fill'), SYNC_WARNING_MS);
    const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    const synced = Promise.all([...this.#informers.values()].map(({ reflector }) => reflector.whenSynced));
    await Promise.race([synced, aborted]);
    clearInterval(warning);
  }

  #startWorkers(controller: Controller, queue: Queue, signal: AbortSignal): Promise<void>[] {
    const options = { controller, queue, log: this.log, metrics: this.metrics, signal };
    this.metrics.setConcurrency(controller.name, controller.concurrency);
    return Array.from({ length: controller.concurrency }, () => work(options));
  }

  #closeQueues(): void {
    for (const { queue } of this.#controllers) queue.close();
  }

  /** Everything has ended, or the time that a shutdown may take is over. */
  async #drained(running: Promise<void>[], signal: AbortSignal): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const timeUp = new Promise<void>((resolve) => {
      const arm = (): void => {
        timer = setTimeout(resolve, this.#options.shutdownTimeoutMs ?? 30_000);
      };
      if (signal.aborted) arm();
      else signal.addEventListener('abort', arm, { once: true });
    });
    await Promise.race([Promise.all(running), timeUp]);
    clearTimeout(timer);
  }
}
