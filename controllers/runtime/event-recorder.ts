import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import type { KubeObject, ResourceType } from '../../api/meta.js';
import type { EventRecorder } from './events.js';
import type { Kube } from './kube.js';
import { timestamp } from './pure/conditions.js';

const EVENT: ResourceType = { group: '', version: 'v1', kind: 'Event', plural: 'events', namespaced: true };
/** The same event within this time is not written again. */
const AGGREGATE_MS = 600_000;
/** Events that may be under way at once; more are dropped, since events are a courtesy and passes are not. */
const MAX_PENDING = 200;
const MAX_MESSAGE = 1_024;

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

export interface EventRecorderOptions {
  readonly kube: Kube;
  readonly log: Logger;
  /** Who reports, e.g. `fairlead`. */
  readonly component: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Writes core/v1 Events in the background: at most one per (object, type, reason, message) in ten minutes. */
export class ClusterEventRecorder implements EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #recent = new Map<string, number>();
  readonly #pending = new Set<Promise<void>>();

  constructor(options: EventRecorderOptions) {
    this.#options = options;
  }

  record(object: KubeObject, type: 'Normal' | 'Warning', reason: string, message: string): void {
    const now = this.#options.now();
    const identity = JSON.stringify([object.metadata.uid, type, reason, message]);
    if (now - (this.#recent.get(identity) ?? -Infinity) < AGGREGATE_MS || this.#pending.size >= MAX_PENDING) return;
    this.#recent.set(identity, now);
    this.#forgetOld(now);
    const writing = this.#write(eventOf(object, { type, reason, message, now, component: this.#options.component }));
    this.#pending.add(writing);
    void writing.finally(() => this.#pending.delete(writing));
  }

  /** Resolves when the events that are under way are written or given up. */
  async flush(): Promise<void> {
    await Promise.all(this.#pending);
  }

  async #write(event: CoreEvent): Promise<void> {
    try {
      await this.#options.kube.create(EVENT, event, { timeoutMs: 5_000 });
    } catch (error: unknown) {
      const err = error instanceof Error ? error.message : String(error);
      this.#options.log.debug({ err, reason: event.reason }, 'event not written');
    }
  }

  #forgetOld(now: number): void {
    for (const [identity, at] of this.#recent) {
      if (now - at < AGGREGATE_MS) return; // Insertion order is time order.
      this.#recent.delete(identity);
    }
  }
}

interface EventFacts {
  type: 'Normal' | 'Warning';
  reason: string;
  message: string;
  now: number;
  component: string;
}

function eventOf(object: KubeObject, facts: EventFacts): CoreEvent {
  const { name, namespace = 'default', uid, resourceVersion } = object.metadata;
  const at = timestamp(facts.now);
  const suffix = createHash('sha256').update(`${facts.now}${facts.reason}${facts.message}`).digest('hex').slice(0, 16);
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `${name}.${suffix}`, namespace },
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
