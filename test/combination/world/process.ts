import type { KubeObject, ResourceType } from '#api/meta.js';
import { madeSourceControllers } from '#controllers/application/made-sources.js';
import type { Policy } from '#controllers/application/model/policy/policy.js';
import { applicationController } from '#controllers/application/setup.js';
import { Identities } from '#controllers/cluster/identities.js';
import type { Controller, SetupContext } from '#runtime/controller.js';
import { createLogger } from '#runtime/process/log.js';
import { PartialError } from '#lib/errors.js';
import { requeueAfterError, requeueAfterResult, type Requeue } from '#runtime/queue/worker.js';
import { templateControllers } from '#controllers/template/setup.js';
import { MemoryKube } from './client.js';
import { Informers } from './informers.js';
import type { MemoryServer } from './server.js';

const FIRST_BACKOFF_MS = 1_000;
const LONGEST_BACKOFF_MS = 300_000;
const SILENT = createLogger('silent');

/** Thrown into a process that is killed in the middle of a request. */
class ProcessDied extends Error {
  override readonly name = 'ProcessDied';
}

/** A key of one controller that is queued. */
interface Queued {
  readonly controller: Controller;
  readonly key: string;
  dueAtMs: number;
  readonly order: number;
}

/** An event that a controller recorded. */
export interface Told {
  readonly kind: string;
  readonly key: string;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
}

/** The surroundings of a process. */
export interface Surroundings {
  readonly server: MemoryServer;
  readonly nowMs: () => number;
  readonly isServed: (type: ResourceType) => boolean;
  readonly isEngineExternal: boolean;
  /** Default: that of Fairlead. */
  readonly policy?: Policy | undefined;
}

/** Errors of a program, not of its surroundings: none may ever happen. */
function isBug(error: unknown): boolean {
  if (error instanceof PartialError) return error.errors.some(isBug);
  return error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError;
}

/**
 * One process of the real controllers of Applications, templates and made sources: their caches, their queue, and what
 * they remember. Nothing runs by itself; `runDue` runs what is due.
 */
export class ControllerProcess {
  readonly #around: Surroundings;
  readonly #informers: Informers;
  readonly #queue = new Map<string, Queued>();
  readonly #failures = new Map<string, number>();
  readonly #stop = new AbortController();
  #order = 0;
  #writesLeft = Infinity;
  isDead = false;
  /** Passes so far. */
  passes = 0;
  readonly identities: Identities;
  readonly told: Told[] = [];
  readonly bugs: unknown[] = [];

  constructor(around: Surroundings) {
    this.#around = around;
    const { server, nowMs, isServed, isEngineExternal, policy } = around;
    this.identities = new Identities({ now: nowMs });
    this.#informers = new Informers(server, (error) => this.bugs.push(error));
    const context: SetupContext = {
      kube: new MemoryKube(server, 'controller', {
        beforeWrite: () => this.#checkAlive(),
        beforeRead: () => this.#checkAlive(),
        afterWrite: () => this.#countWrite(),
      }),
      events: {
        record: ({ kind, metadata }, type, reason, message) =>
          this.told.push({ kind, key: `${metadata.namespace ?? ''}/${metadata.name}`, type, reason, message }),
      },
      log: SILENT,
      offload: { run: async (task, input) => task.run(input) },
      cache: (type, options) => this.#informers.cache(type, options),
      now: nowMs,
      steadyNow: nowMs,
    };
    const rules = {
      ...{ allowCrossNamespace: true, controllerNamespace: 'fairlead-system' },
      ...{ identities: this.identities, isEngineExternal, policy },
    };
    const controllers = [
      applicationController(context, rules),
      ...madeSourceControllers(context, rules),
      ...templateControllers(context, rules),
    ];
    for (const controller of controllers) this.#watch(controller);
    this.#informers.start(isServed);
  }

  /** The time at which the next key is due; undefined: none is queued. */
  get nextDueMs(): number | undefined {
    const times = [...this.#queue.values()].map(({ dueAtMs }) => dueAtMs);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** True while caches do not have all that happened. */
  get isStale(): boolean {
    return this.#informers.isLate;
  }

  /** From now on, news of these kinds comes late. */
  delayNews(types: readonly ResourceType[]): void {
    for (const type of types) this.#informers.hold(type);
  }

  /** Delivers the late news. */
  releaseNews(): void {
    this.#informers.release();
  }

  /** News arrives, except for what is late. */
  deliver(): void {
    this.#informers.deliver();
  }

  /** The process is killed after so many more writes, just before it hears the answer. */
  dieAfter(writes: number): void {
    this.#writesLeft = writes;
  }

  /** True while `dieAfter` is still to come. */
  get isToDie(): boolean {
    return this.#writesLeft !== Infinity;
  }

  /** Every key of Applications is reconciled once more, as after an unrelated event. */
  wakeAll(objects: readonly KubeObject[]): void {
    const controller = this.#controllers.get('application');
    if (controller === undefined) return;
    for (const { metadata } of objects) this.#add(controller, `${metadata.namespace ?? ''}/${metadata.name}`, 0);
  }

  /** Reconciles the key that is due first; false: none is due. */
  async runDue(): Promise<boolean> {
    const now = this.#around.nowMs();
    const due = [...this.#queue.values()].filter(({ dueAtMs }) => dueAtMs <= now);
    const [next] = due.sort((a, b) => a.dueAtMs - b.dueAtMs || a.order - b.order);
    if (next === undefined || this.isDead) return false;
    const name = nameOf(next.controller, next.key);
    this.#queue.delete(name);
    const requeue = await this.#pass(next);
    this.#settle(next, name, requeue);
    return true;
  }

  readonly #controllers = new Map<string, Controller>();

  #watch(controller: Controller): void {
    this.#controllers.set(controller.name, controller);
    for (const watch of controller.watches) {
      watch.cache.onChange((change) => {
        for (const key of watch.toKeys(change)) this.#add(controller, key, watch.delayMs?.(key, change) ?? 0);
      });
    }
  }

  #add(controller: Controller, key: string, delayMs: number): void {
    const dueAtMs = this.#around.nowMs() + delayMs;
    const name = nameOf(controller, key);
    const known = this.#queue.get(name);
    if (known === undefined) this.#queue.set(name, { controller, key, dueAtMs, order: (this.#order += 1) });
    else known.dueAtMs = Math.min(known.dueAtMs, dueAtMs);
  }

  async #pass({ controller, key }: Queued): Promise<Requeue> {
    this.passes += 1;
    try {
      return requeueAfterResult(await controller.reconcile(key, { signal: this.#stop.signal, log: SILENT }));
    } catch (error: unknown) {
      if (!this.isDead && isBug(error)) this.bugs.push(error);
      return requeueAfterError(error, 0);
    }
  }

  #settle({ controller, key }: Queued, name: string, requeue: Requeue): void {
    if (requeue.action !== 'backoff') this.#failures.delete(name);
    if (requeue.action === 'after') this.#add(controller, key, requeue.delayMs);
    if (requeue.action !== 'backoff') return;
    const failures = this.#failures.get(name) ?? 0;
    this.#failures.set(name, failures + 1);
    const backoffMs = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** failures);
    this.#add(controller, key, Math.max(backoffMs, requeue.atLeastMs));
  }

  #checkAlive(): void {
    if (this.isDead) throw new ProcessDied();
  }

  #countWrite(): void {
    this.#writesLeft -= 1;
    if (this.#writesLeft > 0) return;
    this.isDead = true;
    throw new ProcessDied();
  }
}

function nameOf(controller: Controller, key: string): string {
  return `${controller.name} ${key}`;
}
