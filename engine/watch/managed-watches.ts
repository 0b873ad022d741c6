import partition from 'lodash/partition.js';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { isDeepStrictEqual } from 'node:util';
import type { KubeObject, ResourceType } from '#api/meta.js';
import { FairSum } from '#lib/fair-sum.js';
import { createLru } from '#lib/lru.js';
import { type TokenBucket, tokensAt } from '#lib/retry/token-bucket.js';
import type { Cache, Change } from '#runtime/controller.js';
import { Reflector } from '#runtime/cache/reflector.js';
import { Store } from '#runtime/cache/store.js';
import { Weights } from '#runtime/cache/weights.js';
import type { Member } from '../member/member.js';
import { keptMetadata, type ReadMetadata } from './kept-metadata.js';

function marks({ metadata: { labels = {}, annotations = {} } }: KubeObject): object {
  return { labels, annotations };
}

/**
 * True if a change may be drift, by the metadata that is kept alone: the object is being deleted or was deleted, its
 * generation changed or is missing, or its labels or annotations changed. A new object is not drift: its deletion was.
 */
export function mayBeDrift({ type, object, previous }: Change): boolean {
  if (type !== 'updated' || previous === undefined) return type === 'deleted';
  const { generation } = object.metadata;
  if (generation === undefined || generation !== previous.metadata.generation) return true;
  return !isDeepStrictEqual(marks(object), marks(previous));
}

/** Changes of one owner's objects within this time are reported once. */
const GAP_MS = 200;
/** Two writers that undo each other must not keep both clusters busy: a burst, then one per period. */
const RULE = { burst: 20, refill: 30_000 };

/** The rest of an owner's budget, as of a time in monotonic milliseconds. */
export interface Budget extends TokenBucket {
  /** When the last one was or will be reported. */
  readonly lastAt: number;
}

/** When to report the next change of an owner, and the budget after it. Never before `nowMs`. */
export function spend(budget: Budget | undefined, nowMs: number): { readonly dueAt: number; readonly budget: Budget } {
  const tokens = tokensAt(RULE, budget, nowMs);
  const closeTo = (budget?.lastAt ?? -Infinity) + GAP_MS;
  const dueAt = Math.max(nowMs, closeTo, nowMs + (1 - tokens) * RULE.refill);
  return { dueAt, budget: { tokens: tokens - 1, at: nowMs, lastAt: dueAt } };
}

const DEFAULT_LIMIT = 256;
/** Metadata of tens of thousands of objects. */
const MOST_BYTES = 96 * 1024 * 1024;
/** A watch of too much metadata is not opened again for so long. */
const PAUSE_MS = 600_000;
const REMEMBERED = 1_000;
/** A member whose lists take longer is not waited for. */
const SYNC_MS = 5_000;

export interface Interest {
  /** Default: false. */
  readonly onlyDeletions?: boolean;
}

/**
 * Metadata-only watches of the objects that owners keep on members: one per member and kind, shared by all owners, and
 * ended with the last of them. Only objects with the label are watched.
 */
export interface ManagedWatches extends Pick<Cache<KubeObject>, 'onChange'> {
  /**
   * Sets the kinds that `owner` has on `member`, instead of those of before. Resolves when the watches have their first
   * lists, or after 5 s without them: earlier changes are not reported. True if one of the watches is new to the owner.
   * `onlyDeletions`: no other change is reported to it, it starts none of the last half of all watches, and those that
   * it shares with nobody else end once another owner needs their places.
   */
  keep(owner: string, member: Member, types: readonly ResourceType[], interest?: Interest): Promise<boolean>;
  /** `owner` has no objects any more. */
  drop(owner: string): void;
  close(): Promise<void>;
}

export interface ManagedWatchesOptions {
  /** Label that all watched objects have. */
  readonly label: string;
  /** All that `ownerOf` and handlers read of the metadata, beside what names an object. */
  readonly reads: ReadMetadata;
  /** The owner of a changed object. */
  readonly ownerOf: (change: Change) => string | undefined;
  readonly log: Logger;
  /** Maximum number of watches; beyond it, owners rely on their interval. Default 256. */
  readonly limit?: number;
  /**
   * Maximum memory of what all watches of members keep, and also of what those of the host keep. Beyond it, the largest
   * watch of the namespace whose members have most ends, and its owners rely on their interval. Default 96 MiB.
   */
  readonly mostBytes?: number;
}

/** One kind on one member, with whatever credential it is watched. */
interface Watched {
  readonly owners: Set<string>;
  /** What the watch saw last. */
  readonly store: Store<KubeObject>;
  /** That of the store; absent before the first watch. */
  readonly weights?: Weights;
}

interface Watching extends Watched {
  readonly member: Member;
  readonly abort: AbortController;
  readonly synced: Promise<void>;
  readonly ended: Promise<void>;
}

/** The state of an owner: at most one pending change, and its budget. */
interface Pending {
  budget: Budget;
  timer: NodeJS.Timeout | undefined;
}

function watchKey({ key }: Member, { group, version, plural }: ResourceType): string {
  return `${key} ${group}/${version}/${plural}`;
}

class SharedWatches implements ManagedWatches {
  readonly #options: ManagedWatchesOptions;
  readonly #watching = new Map<string, Watching>();
  readonly #pending = new Map<string, Pending>();
  /** Owners to which only deletions are reported. */
  readonly #undemanding = new Set<string>();
  readonly #handlers: ((change: Change) => void)[] = [];
  readonly #members: FairSum;
  /** All tenants share the watches of the host: those of members must not end them. */
  readonly #host: FairSum;
  /** When watches of too much metadata may be opened again. */
  readonly #paused = createLru<number>(REMEMBERED);
  #toldOfLimit = false;
  #closed = false;

  constructor(options: ManagedWatchesOptions) {
    this.#options = options;
    this.#members = new FairSum(options.mostBytes ?? MOST_BYTES, 'largest');
    this.#host = new FairSum(options.mostBytes ?? MOST_BYTES, 'largest');
  }

  onChange(handler: (change: Change) => void): void {
    this.#handlers.push(handler);
  }

  async keep(
    owner: string,
    member: Member,
    types: readonly ResourceType[],
    { onlyDeletions = false }: Interest = {},
  ): Promise<boolean> {
    if (this.#closed) return false;
    if (onlyDeletions) this.#undemanding.add(owner);
    else this.#undemanding.delete(owner);
    const wanted = new Map(types.map((type) => [watchKey(member, type), type]));
    this.#release(owner, wanted);
    // A new watch takes the place of none that is wanted, too.
    const [known, others] = partition([...wanted], ([key]) => this.#watching.has(key));
    const joined: Watching[] = [];
    for (const [key, type] of [...known, ...others]) {
      const watching = this.#watch(key, member, type, onlyDeletions);
      if (watching === undefined || watching.owners.has(owner)) continue;
      watching.owners.add(owner);
      joined.push(watching);
    }
    if (joined.length === 0) return false;
    const synced = Promise.all(joined.map((each) => each.synced));
    await Promise.race([synced, delay(SYNC_MS, undefined, { ref: false })]);
    return true;
  }

  drop(owner: string): void {
    this.#release(owner, new Map());
    this.#undemanding.delete(owner);
    clearTimeout(this.#pending.get(owner)?.timer);
    this.#pending.delete(owner);
  }

  async close(): Promise<void> {
    this.#closed = true;
    const ended = [...this.#watching.values()].map((watching) => watching.ended);
    for (const { abort } of this.#watching.values()) abort.abort();
    for (const { timer } of this.#pending.values()) clearTimeout(timer);
    this.#watching.clear();
    this.#pending.clear();
    await Promise.all(ended);
  }

  #release(owner: string, kept: ReadonlyMap<string, ResourceType>): void {
    for (const [key, { owners, abort }] of this.#watching) {
      if (kept.has(key) || !owners.delete(owner) || owners.size > 0) continue;
      abort.abort();
      this.#watching.delete(key);
    }
  }

  #watch(key: string, member: Member, type: ResourceType, isUndemanding: boolean): Watching | undefined {
    const known = this.#watching.get(key);
    if (known?.member === member) return known;
    if ((this.#paused.get(key) ?? 0) > performance.now()) return undefined;
    if (known === undefined && !this.#findPlace(isUndemanding)) return undefined;
    // Another client of the same member: its credential was rotated. What changes between the two watches shows in the
    // first list of the new one.
    known?.abort.abort();
    const watching = this.#start(key, member, type, known ?? this.#watched(type));
    this.#watching.set(key, watching);
    return watching;
  }

  /** Drift that is to be corrected comes before objects that are only missed. */
  #findPlace(isUndemanding: boolean): boolean {
    const { limit = DEFAULT_LIMIT } = this.#options;
    if (isUndemanding) return this.#watching.size < limit / 2;
    if (this.#watching.size < limit || this.#makePlace()) return true;
    this.#tellOfLimit(limit);
    return false;
  }

  /** Ends one watch that only tells of deletions. Its owners rely on their interval then. */
  #makePlace(): boolean {
    for (const [key, { owners, abort }] of this.#watching) {
      if (![...owners].every((owner) => this.#undemanding.has(owner))) continue;
      abort.abort();
      this.#watching.delete(key);
      return true;
    }
    return false;
  }

  #tellOfLimit(limit: number): void {
    if (!this.#toldOfLimit)
      this.#options.log.warn({ limit }, 'too many kinds to watch: drift of some is only detected at the interval');
    this.#toldOfLimit = true;
  }

  #watched(type: ResourceType): Watched {
    const owners = new Set<string>();
    const store = new Store<KubeObject>(type, (error) =>
      this.#options.log.error({ err: error, kind: type.kind }, 'event handler failed'),
    );
    store.onChange((change) => {
      if (mayBeDrift(change)) this.#take(change, owners);
    });
    return { owners, store };
  }

  #start(key: string, member: Member, type: ResourceType, { owners, store, ...before }: Watched): Watching {
    const log = this.#options.log.child({ member: member.key });
    const abort = new AbortController();
    const [tenant = '', isOfTenant] = member.key.split('/', 2);
    const sum = isOfTenant === undefined ? this.#host : this.#members;
    const share = sum.share(tenant, () => {
      if (!abort.signal.aborted) this.#watching.delete(key);
      abort.abort();
      this.#paused.set(key, performance.now() + PAUSE_MS);
      log.warn(
        { kind: type.kind },
        'too much metadata to watch: drift of these objects is only detected at the interval',
      );
    });
    abort.signal.addEventListener('abort', () => share.end());
    const weights = new Weights(share, before.weights);
    const options = { kube: member.kube, type, store, namespace: undefined, metadataOnly: true, share, log };
    const { label: labelSelector, reads } = this.#options;
    const transform = (object: KubeObject): KubeObject => keptMetadata(object, reads);
    const reflector = new Reflector({ ...options, labelSelector, transform, weights });
    const { whenSynced: synced } = reflector;
    return { member, owners, store, weights, abort, synced, ended: reflector.run(abort.signal) };
  }

  #take(change: Change, owners: ReadonlySet<string>): void {
    const owner = this.#options.ownerOf(change);
    if (owner === undefined || !owners.has(owner)) return;
    if (change.type !== 'deleted' && this.#undemanding.has(owner)) return;
    const known = this.#pending.get(owner);
    if (known?.timer !== undefined) return;
    const now = performance.now();
    const { dueAt, budget } = spend(known?.budget, now);
    const pending: Pending = { budget, timer: undefined };
    this.#pending.set(owner, pending);
    pending.timer = setTimeout(() => {
      pending.timer = undefined;
      for (const handler of this.#handlers) handler(change);
    }, dueAt - now);
    pending.timer.unref();
  }
}

/** Watches nothing until an owner reports its objects. */
export function createManagedWatches(options: ManagedWatchesOptions): ManagedWatches {
  return new SharedWatches(options);
}
