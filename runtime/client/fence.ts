import type { KubeObject, ObjectRef, ResourceType } from '#api/meta.js';
import { apiStatusOf, CancelledError } from '#lib/errors.js';
import type { Kube, RequestOptions } from './kube.js';
import { linkSignals } from '../process/signals.js';

/** A term of leadership: whether this process may write, and for how long. */
export interface LeaderTerm {
  /** Local monotonic milliseconds (`performance.now()`) until which writes may start; undefined: not elected yet. */
  readonly writeUntilMs: number | undefined;
  /** Aborted when the leadership is over, with the reason. */
  readonly lost: AbortSignal;
}

export interface FenceOptions {
  /** Nothing is written before its election. */
  readonly leader: LeaderTerm;
  /** Further terms; each counts from its election on. */
  readonly guards?: readonly LeaderTerm[];
  /** Local monotonic milliseconds; default `performance.now`, which on Linux goes on while the process is stopped. */
  readonly now?: () => number;
}

/**
 * Stands in front of every write of a process. A write starts only before the local deadline, looked up when its bytes
 * are about to go to the connection: also in a process that was stopped and goes on. Writes under way are cut off when
 * the leadership is lost.
 *
 * What remains: bytes that were sent before the deadline may reach the server later. Between the deadline and the
 * moment when another process may take the lease lie (leaseDuration - renewDeadline) for them to land. A network may
 * hold bytes back longer than that, and a process may be stopped between the look at the clock and the send: writes
 * that must not come late carry a resourceVersion. Nor is time counted while the whole machine is suspended.
 */
export class Fence {
  readonly #options: FenceOptions;
  readonly #now: () => number;
  readonly #underWay = new Set<Promise<unknown>>();
  #shut = false;
  #unansweredAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: FenceOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Throws a CancelledError when nothing may be written now. */
  check(): void {
    const { leader, guards = [] } = this.#options;
    const until = [leader.writeUntilMs ?? Number.NEGATIVE_INFINITY, ...guards.map(deadlineOf)];
    if (this.#shut || this.#now() >= Math.min(...until)) {
      throw new CancelledError('not written: this process is not the leader');
    }
  }

  /**
   * Runs one write: with a signal that also ends with the leadership, and the check that its request makes before it
   * goes out.
   */
  async write<T>(options: RequestOptions | undefined, send: (guarded: RequestOptions) => Promise<T>): Promise<T> {
    this.check();
    const { leader, guards = [] } = this.#options;
    const linked = linkSignals([options?.signal, leader.lost, ...guards.map(({ lost }) => lost)]);
    const progress = { sent: false };
    const beforeSend = (): void => {
      this.check();
      progress.sent = true;
    };
    const running = send({ signal: linked.signal, beforeSend });
    this.#underWay.add(running);
    try {
      return await running;
    } catch (error: unknown) {
      if (progress.sent && apiStatusOf(error) === undefined) this.#unansweredAtMs = this.#now();
      throw error;
    } finally {
      this.#underWay.delete(running);
      linked.unlink();
    }
  }

  /** Lets no write start from now on and waits for those under way. */
  async shut(): Promise<void> {
    this.#shut = true;
    await Promise.allSettled(this.#underWay);
  }

  /** True when a write of the last `withinMs` got no answer: the server may still carry it out. */
  unanswered(withinMs: number): boolean {
    return this.#now() - this.#unansweredAtMs < withinMs;
  }
}

function deadlineOf({ writeUntilMs }: LeaderTerm): number {
  return writeUntilMs ?? Number.POSITIVE_INFINITY;
}

/** The reading methods of a client, unchanged, for wrappers. */
export function readsOf(
  kube: Kube,
): Pick<Kube, 'server' | 'source' | 'limits' | 'get' | 'list' | 'watch' | 'read' | 'stream' | 'close'> {
  return {
    server: kube.server,
    source: kube.source,
    limits: kube.limits,
    get: (type, ref, options) => kube.get(type, ref, options),
    list: (type, query) => kube.list(type, query),
    watch: (type, query) => kube.watch(type, query),
    read: (path, options) => kube.read(path, options),
    stream: (path, options) => kube.stream(path, options),
    close: () => kube.close(),
  };
}

/** The client with fenced writes; reads are not fenced. For the host and for every member. */
export function fencedKube(kube: Kube, fence: Fence): Kube {
  return {
    ...readsOf(kube),
    actingAs: (user, allowance) => fencedKube(kube.actingAs(user, allowance), fence),
    create: <T extends KubeObject>(type: ResourceType, object: T, options = {}) =>
      fence.write(options, (guarded) => kube.create<T>(type, object, { ...options, ...guarded })),
    update: <T extends KubeObject>(type: ResourceType, object: T, options = {}) =>
      fence.write(options, (guarded) => kube.update<T>(type, object, { ...options, ...guarded })),
    apply: (type, object, options) =>
      fence.write(options, (guarded) => kube.apply(type, object, { ...options, ...guarded })),
    patch: (type, ref, patch, options) =>
      fence.write(options, (guarded) => kube.patch(type, ref, patch, { ...options, ...guarded })),
    delete: (type: ResourceType, ref: ObjectRef, options) =>
      fence.write(options, (guarded) => kube.delete(type, ref, { ...options, ...guarded })),
  };
}
