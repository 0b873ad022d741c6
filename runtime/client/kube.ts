import { ConflictError } from '#lib/errors.js';
import type { UserInfo } from '#api/core.js';
import type { KubeObject, ObjectRef, ResourceType } from '#api/meta.js';
import type { Share } from '#lib/fair-sum.js';
import { describeObject } from '#lib/net/urls.js';
import { defined } from '#lib/plain.js';
import { answersHeld, answerTooLong, type AnswerLimits } from './answer-limits.js';

export interface RequestOptions {
  signal?: AbortSignal | undefined;
  /** Milliseconds until the request is given up as a TransientError; default 30 s. */
  timeoutMs?: number;
  /** Most bytes of the answer; a longer one is a TransientError. Default: that of the client. */
  maxBytes?: number | undefined;
  /** Runs each time the request is about to go to a connection; what it throws is thrown, and nothing is sent. */
  beforeSend?: (() => void) | undefined;
}

export interface ReadOptions extends RequestOptions {
  /** Media types, best first; default: JSON, then text. */
  accept?: string;
  /** The answer as it came: a log may look like JSON, and be none. */
  asText?: boolean;
  /** A limit on this answer and others together. The client's own allowance takes precedence. */
  allowance?: Allowance | undefined;
  /** Server errors (5xx) are returned at once: the client behind the proxy has its own retries. */
  once?: boolean;
}

export interface StreamOptions {
  readonly signal: AbortSignal;
  readonly silenceMs: number;
}

export interface ListQuery extends RequestOptions {
  /** Absent: all namespaces. */
  namespace?: string | undefined;
  labelSelector?: string;
  fieldSelector?: string;
  /** Page size; default 500. */
  limit?: number;
  continueToken?: string;
  /** Ask for PartialObjectMetadata: only `metadata` is filled. */
  metadataOnly?: boolean;
  /** Where objects of the host are large, the page may have fewer than `limit`: all pages are read anyway. */
  mayBeShort?: boolean;
}

export interface ListPage<T> {
  items: T[];
  resourceVersion: string;
  continueToken?: string;
  /** The number of objects to ask for next, after a page that may be short; absent: as many as before. */
  limit?: number;
  /** Characters of the answer, where there was one. */
  characters?: number;
  /** Approximate bytes in memory; only for a server that any tenant may name. */
  parsedBytes?: number;
}

/** What the answers to one client may have together. */
export interface Allowance {
  /** Hears of the bytes of each answer about a kind as they come. What it throws ends the answer, and is thrown. */
  take(kind: string, bytes: number): void;
}

export interface WatchQuery extends ListQuery {
  /** Where a list or an earlier watch ended; empty with `sendInitialEvents`. */
  resourceVersion: string;
  /** Seconds after which the server closes the watch. */
  timeoutSeconds: number;
  /**
   * Milliseconds without a word, not even a bookmark, after which the watch is broken; default: as long as it lasts.
   */
  silenceMs?: number | undefined;
  /** WatchList: begin with everything that is there, as ADDED events up to a bookmark with `initialEventsEnd`. */
  sendInitialEvents?: boolean;
  /** Hears of the memory of what came in of an event that is not whole yet. */
  share?: Pick<Share, 'grow'> | undefined;
}

export type WatchEvent<T> =
  | { type: 'ADDED' | 'MODIFIED' | 'DELETED'; object: T }
  | { type: 'BOOKMARK'; resourceVersion: string; initialEventsEnd?: true }
  /** The server ended the watch with a Status; `code` 410 means: list again. */
  | { type: 'ERROR'; code: number; message: string };

export interface WriteOptions extends RequestOptions {
  fieldManager?: string;
  dryRun?: boolean;
  /** `token` of a ServiceAccount is created, and no object is. */
  subresource?: 'status' | 'token';
}

export interface ApplyOptions extends WriteOptions {
  fieldManager: string;
  /** Take fields over from other managers; without it a conflict is a ConflictError. */
  force?: boolean;
}

export interface DeleteOptions extends RequestOptions {
  propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  /** Preconditions: delete only this very object. */
  uid?: string | undefined;
  resourceVersion?: string | undefined;
  dryRun?: boolean;
}

export type Patch =
  | { type: 'merge'; body: unknown }
  /** RFC 6902 operations. */
  | { type: 'json'; body: readonly object[] };

/**
 * One API server seen with one credential. Raw JSON both ways: no field is ever dropped.
 * Errors: ConflictError (409 Conflict), CancelledError (signal), TransientError (all else, with `status` when the
 * server answered). A missing object is `undefined` from `get` and `false` from `delete`, not an error.
 */
export interface Kube {
  /** URL of the API server, for messages. */
  readonly server: string;
  /** Names the object with the credential, for messages. */
  readonly source?: string | undefined;
  /** Limits on the server's answers; absent: none. */
  readonly limits?: AnswerLimits | undefined;
  get<T extends KubeObject>(type: ResourceType, ref: ObjectRef, options?: RequestOptions): Promise<T | undefined>;
  /** One page. */
  list<T extends KubeObject>(type: ResourceType, query?: ListQuery): Promise<ListPage<T>>;
  /** Ends when the server closes the stream; throws on a broken one. */
  watch<T extends KubeObject>(type: ResourceType, query: WatchQuery): AsyncIterable<WatchEvent<T>>;
  create<T extends KubeObject>(type: ResourceType, object: T, options?: WriteOptions): Promise<T>;
  /** PUT; carries the object's resourceVersion. */
  update<T extends KubeObject>(type: ResourceType, object: T, options?: WriteOptions): Promise<T>;
  /** Server-side apply. `object.metadata.managedFields` must be absent. */
  apply<T extends KubeObject>(type: ResourceType, object: T, options: ApplyOptions): Promise<T>;
  patch<T extends KubeObject>(type: ResourceType, ref: ObjectRef, patch: Patch, options?: WriteOptions): Promise<T>;
  /** True when the object existed. */
  delete(type: ResourceType, ref: ObjectRef, options?: DeleteOptions): Promise<boolean>;
  /** GET of any path (discovery, /version, /readyz): the parsed JSON, or text where the server sends text. */
  read(path: string, options?: ReadOptions): Promise<unknown>;
  /** GET of a path whose answer comes bit by bit, e.g. a log that is followed; silence may last for `silenceMs`. */
  stream(path: string, options: StreamOptions): Promise<AsyncIterable<Buffer>>;
  /**
   * The same server over the same connections, asked in the name of another user; closing it closes nothing. Streams and watches
   * have no part in the allowance.
   */
  actingAs(user: string | UserInfo, allowance?: Allowance): Kube;
  /** Closes the connection pool. */
  close(): Promise<void>;
}

/** A client that lists. It has limits if any tenant may name its server. */
export type ListingKube = Pick<Kube, 'list'> & Partial<Pick<Kube, 'server' | 'source' | 'limits'>>;

/** Throws a TransientError `AnswerTooLong` if the pages of a list so far exceed the limits of their server. */
function checkPages({ server, source, limits }: ListingKube, attempt: string, read: AnswerLimits['list']): void {
  if (limits === undefined) return;
  for (const what of ['pages', 'objects', 'bytes'] as const) {
    const most = limits.list[what];
    if (read[what] > most) throw answerTooLong({ attempt, server, source }, `more than ${most} ${what} of one list`);
  }
}

/** All pages of a list. */
export async function listAll<T extends KubeObject>(
  kube: ListingKube,
  type: ResourceType,
  query: ListQuery = {},
): Promise<ListPage<T>> {
  const items: T[] = [];
  let resourceVersion = '';
  for await (const page of pagesOf<T>(kube, type, query, () => (items.length = 0))) {
    for (const item of page.items) items.push(item);
    ({ resourceVersion } = page);
  }
  return { items, resourceVersion };
}

/**
 * The pages of such a list, for a reader that keeps little of each. `free` drops what the reader keeps: then the list
 * ends with the error `AnswerTooLong`.
 */
export async function* pagesOf<T extends KubeObject>(
  kube: ListingKube,
  type: ResourceType,
  query: ListQuery,
  free: () => void,
): AsyncIterable<ListPage<T>> {
  const attempt = `cannot list ${describeObject(type.kind, { name: type.plural, namespace: query.namespace })}`;
  const { server, source, limits = {} } = kube;
  const share = answersHeld({ attempt, server, source }, limits, free);
  try {
    let [bytes, objects, limit] = [0, 0, query.limit];
    let page = await kube.list<T>(type, { ...query, mayBeShort: true });
    for (let pages = 1; ; pages += 1) {
      const { items, continueToken, parsedBytes = 0 } = page;
      limit = page.limit ?? limit;
      bytes += parsedBytes;
      objects += items.length;
      share.grow(parsedBytes);
      yield page;
      // Throws if the reader was made to drop what it kept.
      share.grow(0);
      if (continueToken === undefined) return;
      checkPages(kube, attempt, { pages: pages + 1, objects, bytes });
      page = await kube.list<T>(type, { ...query, mayBeShort: true, continueToken, ...defined({ limit }) });
    }
  } finally {
    share.end();
  }
}

/** Controllers write the status meanwhile; nobody writes all the time. */
const ATTEMPTS = 10;

/** Reads and writes again when somebody else wrote in between. The last ConflictError is thrown. */
export async function retryConflicts<T>(readAndWrite: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await readAndWrite();
    } catch (error: unknown) {
      if (!(error instanceof ConflictError) || attempt === ATTEMPTS) throw error;
    }
  }
}
