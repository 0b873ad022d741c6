import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { QueueObserver } from '../queue/queue.js';

/** The buckets of client-go's queue, in seconds: a pass that waits is fast or very slow. */
const QUEUE_BUCKETS = [1e-3, 1e-2, 0.1, 1, 10, 60, 300];

/** Counts one request to an API server; code 0 means that no answer came. */
export type RequestCounter = (verb: string, kind: string, code: number) => void;

/** How a pass ended, as controller-runtime labels it. */
export type PassResult = 'success' | 'error' | 'requeue' | 'requeue_after';

/** Prometheus metrics under the names that controller-runtime and client-go use, so that existing dashboards work. */
export interface Metrics {
  readonly registry: Registry;
  readonly countRequest: RequestCounter;
  /** One finished pass; `seconds` of wall time. */
  readonly observePass: (controller: string, result: PassResult, seconds: number) => void;
  /** How many more (1) or fewer (-1) passes run now. */
  readonly addActive: (controller: string, passes: 1 | -1) => void;
  readonly setConcurrency: (controller: string, workers: number) => void;
  /** The observer of a new queue of this name. */
  readonly observeQueue: (name: string) => QueueObserver;
  /** Asks at each scrape how long the keys in hand have been worked on, in milliseconds. */
  readonly watchUnfinished: (name: string, unfinished: () => readonly number[]) => void;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  // Memory, CPU, handles and the lag of the event loop of this process.
  collectDefaultMetrics({ register: registry });
  return {
    registry,
    ...requestMetrics(registry),
    ...passMetrics(registry),
    ...queueMetrics(registry),
    ...unfinishedMetrics(registry),
  };
}

function requestMetrics(registry: Registry): Pick<Metrics, 'countRequest'> {
  const requests = new Counter({
    name: 'rest_client_requests_total',
    help: 'Requests to API servers by verb, kind and HTTP code.',
    labelNames: ['verb', 'kind', 'code'],
    registers: [registry],
  });
  return { countRequest: (verb, kind, code) => requests.inc({ verb, kind, code: String(code) }) };
}

function passMetrics(registry: Registry): Pick<Metrics, 'observePass' | 'addActive' | 'setConcurrency'> {
  const labels = { labelNames: ['controller'] as const, registers: [registry] };
  const passes = new Counter({
    name: 'controller_runtime_reconcile_total',
    help: 'Reconciliations by controller and result.',
    labelNames: ['controller', 'result'],
    registers: [registry],
  });
  const errors = new Counter({
    name: 'controller_runtime_reconcile_errors_total',
    help: 'Failed reconciliations.',
    ...labels,
  });
  const passTime = new Histogram({
    name: 'controller_runtime_reconcile_time_seconds',
    help: 'Seconds per reconciliation.',
    buckets: [0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60, 300],
    ...labels,
  });
  const active = new Gauge({
    name: 'controller_runtime_active_workers',
    help: 'Reconciliations running now.',
    ...labels,
  });
  const concurrency = new Gauge({
    name: 'controller_runtime_max_concurrent_reconciles',
    help: 'Maximum of concurrent reconciliations, without the additional ones for namespaces that have none.',
    ...labels,
  });
  return {
    observePass: (controller, result, seconds) => {
      passes.inc({ controller, result });
      if (result === 'error') errors.inc({ controller });
      passTime.observe({ controller }, seconds);
    },
    addActive: (controller, change) => active.inc({ controller }, change),
    setConcurrency: (controller, workers) => concurrency.set({ controller }, workers),
  };
}

function queueMetrics(registry: Registry): Pick<Metrics, 'observeQueue'> {
  const labels = { labelNames: ['name'] as const, registers: [registry] };
  const times = { ...labels, buckets: QUEUE_BUCKETS };
  const depth = new Gauge({ name: 'workqueue_depth', help: 'Keys waiting in the queue.', ...labels });
  const adds = new Counter({ name: 'workqueue_adds_total', help: 'Keys added to the queue.', ...labels });
  const retries = new Counter({
    name: 'workqueue_retries_total',
    help: 'Keys added again after a failure.',
    ...labels,
  });
  const waits = new Histogram({
    name: 'workqueue_queue_duration_seconds',
    help: 'Seconds that keys wait in the queue.',
    ...times,
  });
  const works = new Histogram({
    name: 'workqueue_work_duration_seconds',
    help: 'Seconds that keys are processed.',
    ...times,
  });
  return {
    observeQueue: (name) => ({
      added: () => adds.inc({ name }),
      retried: () => retries.inc({ name }),
      depth: (keys) => depth.set({ name }, keys),
      waited: (ms) => waits.observe({ name }, ms / 1_000),
      worked: (ms) => works.observe({ name }, ms / 1_000),
    }),
  };
}

function unfinishedMetrics(registry: Registry): Pick<Metrics, 'watchUnfinished'> {
  const queues = new Map<string, () => readonly number[]>();
  const gauge = (name: string, help: string, of: (unfinished: readonly number[]) => number): Gauge<'name'> =>
    new Gauge({
      name,
      help,
      labelNames: ['name'],
      registers: [registry],
      collect() {
        for (const [queue, unfinished] of queues) this.set({ name: queue }, of(unfinished()) / 1_000);
      },
    });
  gauge('workqueue_unfinished_work_seconds', 'Seconds spent so far on the keys being processed, in total.', (times) =>
    times.reduce((sum, ms) => sum + ms, 0),
  );
  gauge('workqueue_longest_running_processor_seconds', 'Seconds spent on the oldest key being processed.', (times) =>
    Math.max(0, ...times),
  );
  return { watchUnfinished: (name, unfinished) => void queues.set(name, unfinished) };
}
