import { setTimeout as delay } from 'node:timers/promises';
import type { ObjectRef } from '#api/meta.js';
import { metricsOf } from '#bench/controller.js';
import { eventually } from '#bench/scenarios/eventually.js';
import type { Controller } from '#runtime/controller.js';
import { keyOf } from '#lib/kube/keys.js';
import type { ControllerProcess } from '#sandbox/controller-process.js';

/** What follows a pass comes sooner. */
const REST_MS = 1_000;

/** The count of passes once it has been the same for a second; undefined: one is under way. */
async function atRest(count: () => number | undefined | Promise<number | undefined>): Promise<number> {
  for (let before: number | undefined; ;) {
    const now = await count();
    if (now !== undefined && now === before) return now;
    before = now;
    await delay(REST_MS);
  }
}

/** Passes so far by controller, of all or of one; undefined while one is under way, or waits for its turn. */
async function passesOf(
  controller: ControllerProcess,
  only = '[^"]+',
): Promise<ReadonlyMap<string, number> | undefined> {
  const text = await metricsOf(controller);
  const busy = new RegExp(`^(controller_runtime_active_workers|workqueue_depth)\\{\\w+="${only}".*\\} [1-9]`, 'm');
  if (busy.test(text)) return undefined;
  const passes = new Map<string, number>();
  const counts = new RegExp(`^controller_runtime_reconcile_total\\{controller="(${only})".*\\} (\\d+)`, 'gm');
  for (const [, name = '', count] of text.matchAll(counts)) {
    passes.set(name, (passes.get(name) ?? 0) + Number(count));
  }
  return passes;
}

/** Passes in a process of its own, of all controllers or of one, once no other one follows. */
export function passesAtRest(controller: ControllerProcess, only?: string): Promise<number> {
  return atRest(async () => {
    const passes = await passesOf(controller, only);
    return passes === undefined ? undefined : [...passes.values()].reduce((sum, count) => sum + count, 0);
  });
}

/** Counts passes over keys, whatever becomes of them. */
export class PassCounter {
  readonly #ended = new Map<string, number>();
  readonly #underWay: string[] = [];

  /** The controller, with passes that are counted. */
  readonly counted = (controller: Controller): Controller => ({
    ...controller,
    reconcile: async (key, context) => {
      this.#underWay.push(key);
      try {
        return await controller.reconcile(key, context);
      } finally {
        this.#underWay.splice(this.#underWay.indexOf(key), 1);
        this.#ended.set(key, this.#endedOf(key) + 1);
      }
    },
  });

  /** Passes so far, once no other one follows: over all objects, or over one. */
  atRest(ref?: ObjectRef): Promise<number> {
    const isMeant = (key: string): boolean => ref === undefined || key === keyOf(ref);
    const sum = (): number =>
      [...this.#ended].reduce((total, [key, count]) => (isMeant(key) ? total + count : total), 0);
    return atRest(() => (this.#underWay.some(isMeant) ? undefined : sum()));
  }

  /** Runs `work`, which calls for a pass over the object, and waits until it was made and no other one follows. */
  async after(ref: ObjectRef, work: () => Promise<unknown>): Promise<void> {
    const key = keyOf(ref);
    // One that is under way is not the one that is called for.
    await eventually(() => {
      if (this.#underWay.includes(key)) throw new Error(`a pass over ${key} is under way`);
    });
    const before = this.#endedOf(key);
    await work();
    await eventually(() => {
      if (this.#endedOf(key) === before) throw new Error(`no pass over ${key} since`);
    });
    await this.atRest(ref);
  }

  #endedOf(key: string): number {
    return this.#ended.get(key) ?? 0;
  }
}
