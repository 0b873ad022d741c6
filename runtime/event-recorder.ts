import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import { eventResource } from '#api/core.js';
import type { KubeObject } from '#api/meta.js';
import { timestamp } from '#lib/kube/conditions.js';
import { isNotFound } from '#lib/errors.js';
import { keyOf } from '#lib/kube/keys.js';
import { takeToken, type TokenBucket } from '#lib/retry/token-bucket.js';
import { BackgroundQueue } from './queue/background-queue.js';
import type { Kube } from './client/kube.js';
import { systemTimers } from './queue/queue.js';

/** Writes core/v1 Events on the host cluster; never throws, never blocks a pass. */
export interface EventRecorder {
  /** `reason` PascalCase; the same event within some minutes is counted, not repeated. */
  record(object: KubeObject, type: 'Normal' | 'Warning', reason: string, message: string): void;
}

/** The same event within this time is only counted; the count is written with the next one after it. */
const AGGREGATE_MS = 600_000;
/** API servers drop an event after this time: the next one is a new event. */
const EVENT_LIFE_MS = 3_600_000;
/** Room for a dot and the hash in a name of 253 characters. */
const MAX_NAME = 236;
const MAX_MESSAGE = 1_024;
/** Per object: enough for an Application with a hundred destinations, but no flood of events. */
const PER_OBJECT = { burst: 100, refill: 30_000 };
const WRITE_TIMEOUT_MS = 5_000;

interface CoreEvent extends KubeObject {
  involvedObject: object;
  type: string;
  reason: string;
  message: string;
  count: number;
  firstTimestamp: string;
  lastTimestamp: string;
  source: { component: string };
  reportingComponent: string;
}

/** An event that was written, and how often it was recorded since. */
interface Written {
  readonly event: CoreEvent;
  /** Epoch milliseconds. */
  at: number;
  count: number;
}

export interface EventRecorderOptions {
  readonly kube: Kube;
  readonly log: Logger;
  /** Who reports, e.g. `fairlead`. */
  readonly component: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** True while passes wait for a worker; default: never. */
  readonly isBusy?: () => boolean;
}

/**
 * Writes core/v1 Events in the background: at most one write per (object, type, reason, message) in ten minutes, and
 * for one object no more than a hundred at once and then one in half a minute. Events are a courtesy and passes are
 * not: they are written while no pass waits for a worker, at the latest ten seconds after they happened, and dropped if
 * thousands wait.
 */
export class ClusterEventRecorder implements EventRecorder {
  readonly #options: EventRecorderOptions;
  /** In order of `at`, oldest first. */
  readonly #written = new Map<string, Written>();
  /** The remaining events of each object, by UID or name; in order of `at`. */
  readonly #buckets = new Map<string, TokenBucket>();
  readonly #background: BackgroundQueue;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#background = new BackgroundQueue({ timers: systemTimers, isBusy: options.isBusy ?? (() => false) });
  }

  record(object: KubeObject, type: 'Normal' | 'Warning', reason: string, message: string): void {
    const { component, now: clock } = this.#options;
    const now = clock();
    this.#forgetOld(now);
    const { kind, metadata } = object;
    const identity = JSON.stringify([kind, metadata.namespace, metadata.name, metadata.uid, type, reason, message]);
    const known = this.#written.get(identity);
    if (known !== undefined) known.count += 1;
    if (known !== undefined && now - known.at < AGGREGATE_MS) return;
    if (!this.#mayTell(object, now)) return;
    const written = known ?? {
      event: eventOf(object, { type, reason, message, now, component, identity }),
      at: now,
      count: 1,
    };
    written.at = now;
    this.#written.delete(identity); // Set again, so that it is the newest.
    this.#written.set(identity, written);
    const event = { ...written.event, count: written.count, lastTimestamp: timestamp(written.at) };
    this.#background.add(() => this.#write(event));
  }

  /** Resolves when all that was recorded is written or given up: for want of an answer, or of time. */
  flush(limitMs: number): Promise<void> {
    return this.#background.flush(limitMs);
  }

  async #write(event: CoreEvent): Promise<void> {
    try {
      if (event.count > 1 && (await this.#recount(event))) return;
      await this.#options.kube.create(eventResource, event, { timeoutMs: WRITE_TIMEOUT_MS });
    } catch (error: unknown) {
      const err = error instanceof Error ? error.message : String(error);
      this.#options.log.debug({ err, reason: event.reason }, 'event not written');
    }
  }

  /** False when the event is gone from the server. */
  async #recount({ metadata, count, lastTimestamp }: CoreEvent): Promise<boolean> {
    const patch = { type: 'merge', body: { count, lastTimestamp } } as const;
    try {
      await this.#options.kube.patch(eventResource, metadata, patch, { timeoutMs: WRITE_TIMEOUT_MS });
      return true;
    } catch (error: unknown) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  #mayTell({ kind, metadata }: KubeObject, now: number): boolean {
    const object = metadata.uid ?? `${kind} ${keyOf(metadata)}`;
    const { taken, ...bucket } = takeToken(PER_OBJECT, this.#buckets.get(object), now);
    this.#buckets.delete(object); // Set again, so that it is the newest.
    this.#buckets.set(object, bucket);
    return taken;
  }

  #forgetOld(now: number): void {
    dropWhile(this.#written, ({ at }) => now - at >= EVENT_LIFE_MS);
    dropWhile(this.#buckets, ({ at }) => now - at >= EVENT_LIFE_MS);
  }
}

/** Deletes entries from the front for as long as `isOld` holds. */
function dropWhile<V>(entries: Map<string, V>, isOld: (value: V) => boolean): void {
  for (const [key, value] of entries) {
    if (!isOld(value)) return;
    entries.delete(key);
  }
}

interface EventFacts {
  type: 'Normal' | 'Warning';
  reason: string;
  message: string;
  now: number;
  component: string;
  /** Identifies the event. */
  identity: string;
}

function eventOf(object: KubeObject, facts: EventFacts): CoreEvent {
  const { name, namespace, uid, resourceVersion } = object.metadata;
  const at = timestamp(facts.now);
  const suffix = createHash('sha256').update(`${facts.now} ${facts.identity}`).digest('hex').slice(0, 16);
  return {
    apiVersion: 'v1',
    kind: 'Event',
    // An event of a cluster-scoped object lives in `default`.
    metadata: { name: `${name.slice(0, MAX_NAME)}.${suffix}`, namespace: namespace ?? 'default' },
    involvedObject: { apiVersion: object.apiVersion, kind: object.kind, name, namespace, uid, resourceVersion },
    type: facts.type,
    reason: facts.reason,
    message: facts.message.slice(0, MAX_MESSAGE),
    count: 1,
    firstTimestamp: at,
    lastTimestamp: at,
    source: { component: facts.component },
    reportingComponent: facts.component,
  };
}
