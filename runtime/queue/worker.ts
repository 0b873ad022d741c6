import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import {
  CancelledError,
  ConflictError,
  ControllerError,
  PartialError,
  TerminalError,
  TransientError,
  WaitingError,
} from '#lib/errors.js';
import type { Controller, Result } from '../controller.js';
import type { Metrics } from '../process/metrics.js';
import type { Queue } from './queue.js';

/** What happens to a key after its reconciliation. */
export type Requeue =
  | { action: 'forget' }
  | { action: 'after'; delayMs: number }
  | { action: 'backoff'; atLeastMs: number }
  | { action: 'drop' };

/** Jitter of fixed waits, so that keys that wait for the same thing are not all retried at once. */
const WAIT_JITTER = 0.1;

/** Nothing is reconciled again sooner by itself: a mistake must not become a busy loop. */
const LEAST_WAIT_MS = 100;

function after(delayMs: number): Requeue {
  return { action: 'after', delayMs: Math.max(LEAST_WAIT_MS, delayMs) };
}

/** The one place where a result becomes a requeue. */
export function requeueAfterResult({ requeueAfterMs }: Result): Requeue {
  return requeueAfterMs === undefined ? { action: 'forget' } : after(requeueAfterMs);
}

/** The one place where an error becomes a retry: by class, never by message. `random` is in [0, 1). */
export function requeueAfterError(error: unknown, random: number): Requeue {
  if (error instanceof CancelledError) return { action: 'drop' };
  if (error instanceof TerminalError) return { action: 'forget' };
  if (error instanceof WaitingError) {
    return after(error.retryAfterMs * (1 + WAIT_JITTER * random));
  }
  if (error instanceof PartialError) return worst(error.errors.map((each) => requeueAfterError(each, random)));
  if (error instanceof TransientError) return { action: 'backoff', atLeastMs: error.retryAfterMs ?? 0 };
  return { action: 'backoff', atLeastMs: 0 };
}

const SEVERITY: readonly Requeue['action'][] = ['backoff', 'after', 'drop', 'forget'];

/** Of several backoffs, the longest Retry-After applies; of several waits, the shortest. */
function worst(requeues: readonly Requeue[]): Requeue {
  const order = [...requeues].sort(
    (a, b) => SEVERITY.indexOf(a.action) - SEVERITY.indexOf(b.action) || waitOf(a) - waitOf(b),
  );
  return order[0] ?? { action: 'backoff', atLeastMs: 0 };
}

function waitOf(requeue: Requeue): number {
  if (requeue.action === 'backoff') return -requeue.atLeastMs;
  return requeue.action === 'after' ? requeue.delayMs : 0;
}

export interface WorkerOptions {
  readonly controller: Controller;
  readonly queue: Queue;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly signal: AbortSignal;
}

/** Reconciles keys until the queue is closed; resolves when the last reconciliation has ended. */
export async function work(options: WorkerOptions): Promise<void> {
  for (let key = await options.queue.take(); key !== undefined; key = await options.queue.take()) {
    const requeue = await pass(key, options);
    settle(key, requeue, options.queue);
  }
}

function settle(key: string, requeue: Requeue, queue: Queue): void {
  if (requeue.action !== 'backoff') queue.forget(key);
  if (requeue.action === 'after') queue.addAfter(key, requeue.delayMs);
  if (requeue.action === 'backoff') queue.addRateLimited(key, requeue.atLeastMs);
  queue.done(key);
}

async function pass(key: string, options: WorkerOptions): Promise<Requeue> {
  const { controller, metrics, signal } = options;
  const log = options.log.child({ controller: controller.name, key, reconcileId: randomUUID() });
  const startedAt = performance.now();
  metrics.addActive(controller.name, 1);
  const seconds = (): number => (performance.now() - startedAt) / 1_000;
  try {
    const result = await controller.reconcile(key, { signal, log });
    metrics.observePass(controller.name, result.requeueAfterMs === undefined ? 'success' : 'requeue_after', seconds());
    log.debug({ requeueAfterMs: result.requeueAfterMs }, 'reconciled');
    return requeueAfterResult(result);
  } catch (error: unknown) {
    metrics.observePass(controller.name, error instanceof WaitingError ? 'requeue_after' : 'error', seconds());
    logFailure(error, log);
    return requeueAfterError(error, Math.random());
  } finally {
    metrics.addActive(controller.name, -1);
  }
}

function logFailure(error: unknown, log: Logger): void {
  if (error instanceof CancelledError) return;
  if (error instanceof WaitingError || error instanceof ConflictError) {
    log.debug({ reason: error.reason, err: error.message }, 'waiting');
  } else if (error instanceof ControllerError) {
    log.warn({ reason: error.reason, err: error.message }, 'reconcile failed');
  } else {
    log.error({ reason: 'InternalError', err: error }, 'unexpected error in reconcile');
  }
}
