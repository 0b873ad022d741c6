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
  readonly setActive: (controller: string, workers: number) => void;
  readonly setDepth: (queue: string, keys: number) => void;
  readonly countAdd: (queue: string) => void;
  readonly countRetry: (queue: string) => void;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const requests = new Counter({
    name: 'rest_client_requests_total',
    help: 'Requests to API servers by verb, kind and HTTP code.',
    labelNames: ['verb', 'kind', 'code'],
    registers,
  });
  const passes = new Counter({
    name: 'controller_runtime_reconcile_total',
    help: 'Passes by controller and result.',
    labelNames: ['controller', 'result'],
    registers,
  });
  const passTime = new Histogram({
    name: 'controller_runtime_reconcile_time_seconds',
    help: 'Seconds that one pass took.',
    labelNames: ['controller'],
    buckets: [0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60, 300],
    registers,
  });
  const active = new Gauge({
    name: 'controller_runtime_active_workers',
    help: 'Passes running now.',
    labelNames: ['controller'],
    registers,
  });
  const depth = new Gauge({ name: 'workqueue_depth', help: 'Keys waiting.', labelNames: ['name'], registers });
  const adds = new Counter({ name: 'workqueue_adds_total', help: 'Keys added.', labelNames: ['name'], registers });
  const retries = new Counter({
    name: 'workqueue_retries_total',
    help: 'Keys added again after a failure.',
    labelNames: ['name'],
    registers,
  });
  return {
    registry,
    countRequest: (verb, kind, code) => requests.inc({ verb, kind, code: String(code) }),
    observePass: (controller, result, seconds) => {
      passes.inc({ controller, result });
      passTime.observe({ controller }, seconds);
    },
    setActive: (controller, workers) => active.set({ controller }, workers),
    setDepth: (name, keys) => depth.set({ name }, keys),
    countAdd: (name) => adds.inc({ name }),
    countRetry: (name) => retries.inc({ name }),
  };
}
