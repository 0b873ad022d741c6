import { readdir, rm, stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import pLimit, { type LimitFunction } from 'p-limit';
import { TransientError } from '#lib/errors.js';
import { linkSignals } from '#runtime/process/signals.js';
import type { ArtifactStore } from '#engine/artifact/types.js';
import type { ResolvedRef } from './model/reference.js';
import { GitError } from './git-error.js';

const POLL_MS = 500;

async function sizeOf(file: string): Promise<number> {
  return stat(file).then(
    ({ size }) => size,
    // Renamed or removed by git in the meantime.
    () => 0,
  );
}

function packFolder(repository: string): string {
  return path.join(repository, 'objects', 'pack');
}

/** How much a bare repository holds, with what git is writing at the moment. */
async function packsOf(repository: string): Promise<{ readonly bytes: number; readonly count: number }> {
  const folder = packFolder(repository);
  const names = await readdir(folder).catch(() => []);
  const sizes = await Promise.all(names.map((name) => sizeOf(path.join(folder, name))));
  const count = names.filter((name) => name.endsWith('.pack')).length;
  return { bytes: sizes.reduce((sum, size) => sum + size, 0), count };
}

/** Removes what a failed fetch leaves behind; no other may run. */
async function removeUnfinished(repository: string): Promise<void> {
  const folder = packFolder(repository);
  const names = await readdir(folder).catch(() => []);
  const unfinished = names.filter((name) => name.startsWith('tmp_'));
  await Promise.all(unfinished.map((name) => rm(path.join(folder, name), { force: true })));
}

/**
 * Ends `work` when the repository grows by more than `maxBytes`: a server need not say how much it sends, nor stop.
 * Throws TransientError `RepositoryTooLarge`.
 */
export async function withinBytes<T>(
  { repository, maxBytes }: { readonly repository: string; readonly maxBytes: number },
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const before = await packsOf(repository);
  const overgrown = new AbortController();
  const linked = linkSignals([signal, overgrown.signal]);
  const timer = setInterval(() => {
    void packsOf(repository).then(({ bytes }) => bytes - before.bytes > maxBytes && overgrown.abort());
  }, POLL_MS);
  try {
    return await work(linked.signal);
  } catch (cause: unknown) {
    if (!overgrown.signal.aborted || signal.aborted) throw cause;
    const message = `the server sent more than ${Math.floor(maxBytes / 1024 / 1024)} MiB for one commit`;
    throw new TransientError(message, { reason: 'RepositoryTooLarge', cause });
  } finally {
    clearInterval(timer);
    linked.unlink();
  }
}

/** What `git ls-remote` told of a target, and since when that is known. */
interface Listing {
  /** Of `performance.now()`, before git was started. */
  readonly startedAt: number;
  readonly candidates: readonly ResolvedRef[];
}

/** What was fetched from one URL with one set of credentials. */
export interface Mirror {
  /** A bare repository, once something was fetched. */
  readonly folder: string;
  isInitialized: boolean;
  /** Nobody else may use it; it goes with its last user. */
  isRetired: boolean;
  /** By the target that was asked for. */
  readonly listings: Map<string, Listing>;
}

/** No listing counts for longer. */
export const LONGEST_SHARED_MS = 30_000;
/** Names of references can be long; what more a target means is asked for each time. */
const MAX_KEPT_CHARACTERS = 16 * 1024;

/** Keeps a listing, and forgets what nobody asks for any more. */
export function keepListing({ listings }: Pick<Mirror, 'listings'>, key: string, listing: Listing): void {
  for (const [other, { startedAt }] of listings) {
    if (startedAt < listing.startedAt - LONGEST_SHARED_MS) listings.delete(other);
  }
  listings.delete(key);
  if (JSON.stringify(listing).length <= MAX_KEPT_CHARACTERS) listings.set(key, listing);
}

/** What is done with a mirror. */
interface MirrorWork<T, U> {
  /** Speaks to the server, and may write to the mirror: never two at once. */
  readonly talk: (mirror: Mirror) => Promise<T>;
  /** Only reads objects: any number at once. */
  readonly read: (mirror: Mirror, found: T) => Promise<U>;
}

/** `Mirrors.use` with the patience of one pass. */
export type MirrorUse = <T, U>(key: string, work: MirrorWork<T, U>) => Promise<U>;

interface Entry extends Mirror {
  readonly turns: LimitFunction;
  readonly dispose: () => Promise<void>;
  users: number;
  bytes: number;
}

interface MirrorLimits {
  /** Bytes of all mirrors. */
  readonly maxBytes: number;
  /** Fetches into one: each leaves a pack behind, and no repository is repacked. */
  readonly maxPacks: number;
  readonly maxMirrors: number;
  /** Of the disk: with less, a failure may be for want of room, and what nobody uses goes. */
  readonly minFreeBytes: number;
}

const LIMITS: MirrorLimits = {
  maxBytes: 2 * 1024 * 1024 * 1024,
  maxPacks: 64,
  maxMirrors: 500,
  minFreeBytes: 64 * 1024 * 1024,
};

function hasLostObjects({ folder }: Mirror, error: unknown): boolean {
  return error instanceof GitError && error.failure === 'ObjectsLost' && error.repository === folder;
}

/**
 * The mirrors of a process, by the identity of what their server was shown. They are a cache: the next process starts
 * without. One that was damaged is thrown away, and so is what was not used for longest when they grow too large.
 */
export class Mirrors {
  readonly #store: Pick<ArtifactStore, 'scratch'>;
  readonly #limits: MirrorLimits;
  /** In the order of their last use. */
  readonly #entries = new Map<string, Entry>();
  /** One new mirror at a time, or two would be made of one key. */
  readonly #opening = pLimit(1);

  constructor(store: Pick<ArtifactStore, 'scratch'>, limits = LIMITS) {
    this.#store = store;
    this.#limits = limits;
  }

  /** A pass that waited `patienceMs` for its turn gets a mirror of its own: a slow fetch delays no other tenant. */
  async use<T, U>(key: string, patienceMs: number, { talk, read }: MirrorWork<T, U>): Promise<U> {
    const shared = await this.#opening(() => this.#enter(key));
    try {
      const turn = await this.#turn(shared, patienceMs, talk);
      if (turn !== undefined) return await this.#read(shared, () => read(shared, turn.found));
    } finally {
      await this.#leave(key, shared);
    }
    const own = await this.#create();
    try {
      return await read(own, await talk(own));
    } finally {
      await own.dispose();
    }
  }

  /** Undefined when it did not come in time. */
  async #turn<T>(
    entry: Entry,
    patienceMs: number,
    talk: MirrorWork<T, unknown>['talk'],
  ): Promise<{ found: T } | undefined> {
    let timer: NodeJS.Timeout | undefined;
    let isOver = false;
    const tooLate = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => {
        isOver = true;
        resolve(undefined);
      }, patienceMs);
    });
    const turn = entry.turns(async () => {
      if (isOver || entry.isRetired) return undefined;
      clearTimeout(timer);
      return { found: await this.#talk(entry, talk) };
    });
    return Promise.race([turn, tooLate]);
  }

  async #talk<T>(entry: Entry, talk: MirrorWork<T, unknown>['talk']): Promise<T> {
    try {
      return await talk(entry);
    } catch (error: unknown) {
      await this.#afterFailure(entry, error);
      await removeUnfinished(entry.folder);
      throw error;
    } finally {
      const { bytes, count } = await packsOf(entry.folder);
      entry.bytes = bytes;
      entry.isRetired ||= count > this.#limits.maxPacks || bytes > this.#limits.maxBytes;
    }
  }

  async #read<U>(entry: Entry, read: () => Promise<U>): Promise<U> {
    try {
      return await read();
    } catch (error: unknown) {
      await this.#afterFailure(entry, error);
      throw error;
    }
  }

  async #afterFailure(entry: Entry, error: unknown): Promise<void> {
    entry.isRetired ||= hasLostObjects(entry, error);
    const disk = await statfs(entry.folder).catch(() => undefined);
    if (disk !== undefined && disk.bavail * disk.bsize < this.#limits.minFreeBytes) await this.#shrink(0);
  }

  async #enter(key: string): Promise<Entry> {
    const known = this.#entries.get(key);
    const entry = known === undefined || known.isRetired ? await this.#create() : known;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    entry.users += 1;
    return entry;
  }

  async #leave(key: string, entry: Entry): Promise<void> {
    entry.users -= 1;
    if (entry.isRetired && this.#entries.get(key) === entry) this.#entries.delete(key);
    if (entry.isRetired && entry.users === 0) await entry.dispose();
    await this.#shrink();
  }

  /** What is in use stays: its bytes count, and go with it when it is too large by itself. */
  async #shrink(maxBytes = this.#limits.maxBytes): Promise<void> {
    let bytes = [...this.#entries.values()].reduce((sum, entry) => sum + entry.bytes, 0);
    for (const [key, entry] of this.#entries) {
      if (bytes <= maxBytes && this.#entries.size <= this.#limits.maxMirrors) return;
      if (entry.users > 0) continue;
      this.#entries.delete(key);
      bytes -= entry.bytes;
      await entry.dispose();
    }
  }

  async #create(): Promise<Entry> {
    const { path: folder, dispose } = await this.#store.scratch('mirror');
    const listings = new Map<string, Listing>();
    return { folder, isInitialized: false, listings, turns: pLimit(1), dispose, users: 0, bytes: 0, isRetired: false };
  }
}
