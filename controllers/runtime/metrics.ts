import { Counter, Gauge, Histogram, Registry } from 'prom-client';

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
  readonly setDepth: (queue: string, keys: number) => void;
  readonly countAdd: (queue: string) => void;
  readonly countRetry: (queue: string) => void;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  return { registry, ...requestMetrics(registry), ...passMetrics(registry), ...queueMetrics(registry) };
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
    help: 'Passes by controller and result.',
    labelNames: ['controller', 'result'],
    registers: [registry],
  });
  const errors = new Counter({
    name: 'controller_runtime_reconcile_errors_total',
    help: 'Passes that failed.',
    ...labels,
  });
  const passTime = new Histogram({
    name: 'controller_runtime_reconcile_time_seconds',
    help: 'Seconds that one pass took.',
    buckets: [0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60, 300],
    ...labels,
  });
  const active = new Gauge({ name: 'controller_runtime_active_workers', help: 'Passes running now.', ...labels });
  const concurrency = new Gauge({
    name: 'controller_runtime_max_concurrent_reconciles',
    help: 'Passes that may run at the same time.',
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

function queueMetrics(registry: Registry): Pick<Metrics, 'setDepth' | 'countAdd' | 'countRetry'> {
  const labels = { labelNames: ['name'] as const, registers: [registry] };
  const depth = new Gauge({ name: 'workqueue_depth', help: 'Keys waiting.', ...labels });
  const adds = new Counter({ name: 'workqueue_adds_total', help: 'Keys added.', ...labels });
  const retries = new Counter({
    name: 'workqueue_retries_total',
    help: 'Keys added again after a failure.',
    ...labels,
  });
  return {
    setDepth: (name, keys) => depth.set({ name }, keys),
    countAdd: (name) => adds.inc({ name }),
    countRetry: (name) => retries.inc({ name }),
  };
}
