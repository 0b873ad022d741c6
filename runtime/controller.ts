import type { Logger } from 'pino';
import type { KubeObject, ResourceType } from '#api/meta.js';
import type { EventRecorder } from './event-recorder.js';
import type { Kube } from './client/kube.js';
import type { Offload } from './isolation/offload.js';

/** What a pass may use of its surroundings. */
export interface PassContext {
  /** Aborted on shutdown or on a lost lease. */
  readonly signal: AbortSignal;
  /** Carries controller, key and one id per pass. */
  readonly log: Logger;
}

/** What a pass wants next. No field: nothing until something watched changes. */
export interface Result {
  /** Milliseconds until the key is reconciled again, even without a change. */
  requeueAfterMs?: number;
}

/** Why a key is queued; `previous` is the cached object before the change. */
export interface Change<T extends KubeObject = KubeObject> {
  readonly type: 'added' | 'updated' | 'deleted';
  readonly object: T;
  readonly previous?: T;
}

/** True for a change that matters to a reconciliation: not our own status writes or the heartbeats of others. */
export function isWorthAPass({ type, object, previous }: Change): boolean {
  if (type !== 'updated' || previous === undefined) return true;
  const [now, before] = [object.metadata, previous.metadata];
  const annotations = JSON.stringify(now.annotations ?? {}) !== JSON.stringify(before.annotations ?? {});
  return annotations || now.generation !== before.generation || now.deletionTimestamp !== before.deletionTimestamp;
}

/**
 * Read side of a shared informer: a cache of one resource type. Objects are frozen by convention: never mutate them.
 */
export interface Cache<T extends KubeObject> {
  readonly type: ResourceType;
  /** True once everything that the server has was read; until then, what is missing here may yet be there. */
  readonly synced: boolean;
  /** False: the type is optional, and the server did not know it when it was last asked. */
  readonly served: boolean;
  get(ref: { name: string; namespace?: string | undefined }): T | undefined;
  list(namespace?: string): T[];
  /** Objects for which the index function gave `value`. Throws on an unknown index. */
  byIndex(index: string, value: string): T[];
  /** How many these are, at no cost, however many. */
  countByIndex(index: string, value: string): number;
  /**
   * Takes the answer to a write of ours, so that the next pass sees it although the watch has not brought it yet. An
   * answer that is older than what the watch brought is ignored. Only for objects that this cache would hold, whole.
   */
  recordWrite(object: T): void;
  /** Calls back for each change from now on, after the cache has it. */
  onChange(handler: (change: Change<T>) => void): void;
}

export type IndexFunction<T extends KubeObject> = (object: T) => string[];

/** One watched type and how its changes name keys of the controller. */
export interface Watch<T extends KubeObject = KubeObject> {
  readonly cache: Pick<Cache<T>, 'onChange'>;
  /** Pure. Called for each change; the event itself is dropped. */
  toKeys(change: Change<T>): string[];
  /**
   * Milliseconds that a key of this change may wait for further changes, so that many of them are one pass; 0 by
   * default. A change that does not wait takes along what waited until then.
   */
  delayMs?(key: string, change: Change<T>): number;
}

/** One RBAC rule that the controller needs; config/generate.ts turns them into manifests. */
export interface Permission {
  readonly group: string;
  readonly resources: readonly string[];
  /** Only objects of these names; all by default. `create` cannot be limited so. */
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** One controller: what it watches and the pass over one key. The runtime owns queue, workers, retries and shutdown. */
export interface Controller {
  readonly name: string;
  /** Passes at the same time, and as many again for namespaces that have none; never two on one key. */
  readonly concurrency: number;
  readonly watches: readonly Watch[];
  /** Level-based and idempotent. Throws a ControllerError to be retried by its class. */
  readonly reconcile: (key: string, context: PassContext) => Promise<Result>;
}

/** How a type is cached. */
export interface CacheOptions<T extends KubeObject> {
  readonly indexes?: Readonly<Record<string, IndexFunction<T>>>;
  readonly metadataOnly?: boolean;
  /** Only objects with these labels; all by default. */
  readonly labelSelector?: string;
  /**
   * True: while the type is not served, the cache is empty and complete; otherwise its users wait until it
   * is served.
   */
  readonly optional?: boolean;
  /**
   * True: its users start even if it cannot be read, e.g. without permission, and must ask whether it is synced;
   * otherwise they wait until it is.
   */
  readonly mayFail?: boolean;
  /** What the cache keeps of an object: all by default. The same function for every caller who shares the cache. */
  readonly transform?: (object: KubeObject) => KubeObject;
}

/** Everything that a kind's `setup.ts` gets to build its Controller. */
export interface SetupContext {
  /** The host cluster. */
  readonly kube: Kube;
  readonly events: EventRecorder;
  readonly log: Logger;
  /** For what users write and what may take long. */
  readonly offload: Pick<Offload, 'run'>;
  /** The shared informer of a type; the same one for every caller who asks alike. Indexes are added before start. */
  cache<T extends KubeObject>(type: ResourceType, options?: CacheOptions<T>): Cache<T>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Milliseconds of a clock that nobody sets. Default: that of the process. */
  readonly steadyNow?: () => number;
}
