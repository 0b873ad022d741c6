import type { UserInfo } from '#api/core.js';
import type { KubeObject, ObjectRef, ResourceType } from '#api/meta.js';
import { isNotFound, TransientError } from '#lib/errors.js';
import { printJson, printJsonForYaml } from '#lib/json/lossless-json.js';
import { parseHolding } from '#lib/json/held-fields.js';
import { parsedBytes, parseServed } from '#lib/json/nesting.js';
import { collectionPath, describeObject, objectPath, queryString } from '#lib/net/urls.js';
import type { AnswerLimits, AnswerSize, Answering } from './answer-limits.js';
import type {
  Allowance,
  ApplyOptions,
  DeleteOptions,
  Kube,
  ListPage,
  ListQuery,
  Patch,
  ReadOptions,
  RequestOptions,
  StreamOptions,
  WatchEvent,
  WatchQuery,
  WriteOptions,
} from './kube.js';
import { listParameters, listRef, watchParameters, writeParameters, writePath } from './parameters.js';
import { listPage, parseAnswer } from './served-objects.js';
import { Transport, type Call, type TransportOptions } from './transport.js';
import { decodeWatch } from './watch-stream.js';

const PAGE_SIZE = 500;
/** Objects can have 1.5 MB each: a page that is longer is asked for with fewer of them. One object may have any length. */
const PAGE_BYTES = 16 * 1024 * 1024;
const FEWER = 8;
/** How deep the items of a list are. */
const LIST_LEVEL = 3;
/** A server that has not closed a watch this long after it should have is gone. */
const WATCH_GRACE_MS = 30_000;
const METADATA_ONLY = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';
const METADATA_ONLY_WATCH = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json';
const JSON_OR_TEXT = 'application/json, text/plain';
/** The server reads such a body as YAML, and there is no type for JSON. */
const APPLY_PATCH = 'application/apply-patch+yaml';
/**
 * An apply refuses fields that the schema does not have in any case. For what is left of the validation, keys given
 * twice, the server would parse the object a second time, and JSON that was printed has none.
 */
const APPLY_VALIDATION = { fieldValidation: 'Ignore' };
const PATCH_TYPES = { merge: 'application/merge-patch+json', json: 'application/json-patch+json' } as const;

/** One API server seen with one credential, over one connection pool. */
export function createKube(options: TransportOptions): Kube {
  return new HttpKube(new Transport(options));
}

/** In whose name is asked, and what the answers may have; who asks in its own name owns the connections. */
type Asking = Pick<Call, 'actAs' | 'allowance'>;

type PageQuery = ListQuery & { readonly limit: number };

class HttpKube implements Kube {
  readonly #transport: Transport;
  readonly #asking: Asking | undefined;

  constructor(transport: Transport, asking?: Asking) {
    this.#transport = transport;
    this.#asking = asking;
  }

  get server(): string {
    return this.#transport.server;
  }

  get limits(): AnswerLimits | undefined {
    return this.#transport.limits;
  }

  get source(): string | undefined {
    return this.#transport.source;
  }

  async get<T extends KubeObject>(
    type: ResourceType,
    ref: ObjectRef,
    options: RequestOptions = {},
  ): Promise<T | undefined> {
    try {
      return await this.#object<T>({
        ...call('GET', type, ref, { verb: 'get', ...options }),
        path: objectPath(type, ref),
      });
    } catch (error: unknown) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  list<T extends KubeObject>(type: ResourceType, query: ListQuery = {}): Promise<ListPage<T>> {
    const { limit = PAGE_SIZE, mayBeShort = false, maxBytes } = query;
    // Another server has its own limits.
    if (!mayBeShort || this.limits !== undefined || maxBytes !== undefined)
      return this.#page<T>(type, { ...query, limit });
    return this.#shortPage(type, { ...query, limit });
  }

  async #shortPage<T extends KubeObject>(type: ResourceType, query: PageQuery): Promise<ListPage<T>> {
    const { limit } = query;
    try {
      const page = await this.#page<T>(type, { ...query, ...(limit > 1 ? { maxBytes: PAGE_BYTES } : {}) });
      // Small ones may follow: short pages of them would be thousands of requests.
      const isSmall = (page.characters ?? 0) * FEWER < PAGE_BYTES;
      return { ...page, limit: isSmall ? Math.min(limit * FEWER, PAGE_SIZE) : limit };
    } catch (error: unknown) {
      const isTooLong = error instanceof TransientError && error.reason === 'AnswerTooLong';
      if (!isTooLong || limit === 1) throw error;
      return this.#shortPage<T>(type, { ...query, limit: Math.ceil(limit / FEWER) });
    }
  }

  async #page<T extends KubeObject>(type: ResourceType, query: PageQuery): Promise<ListPage<T>> {
    const path = collectionPath(type, query.namespace) + queryString(listParameters(query));
    const request = {
      ...call('GET', type, listRef(type, query), { verb: 'list', ...query }),
      path,
      ...(query.metadataOnly === true ? { accept: METADATA_ONLY } : {}),
    };
    const text = await this.#send(request, query.metadataOnly === true ? this.limits?.object : this.limits?.page);
    const asked = this.#asked(request.attempt);
    const page = listPage<T>(type, parseAnswer(text, asked, this.#parsing(LIST_LEVEL)), asked);
    const size = { characters: text.length };
    // The memory is counted only for a server that any tenant may name.
    return { ...page, ...size, ...(this.limits === undefined ? {} : { parsedBytes: parsedBytes(text) }) };
  }

  async *watch<T extends KubeObject>(type: ResourceType, query: WatchQuery): AsyncIterable<WatchEvent<T>> {
    const request = {
      ...call('GET', type, listRef(type, query), { verb: 'watch', ...query }),
      path: collectionPath(type, query.namespace) + queryString(watchParameters(query)),
      timeoutMs: query.silenceMs ?? query.timeoutSeconds * 1_000 + WATCH_GRACE_MS,
    };
    const body = await this.#transport.stream({
      ...request,
      ...(query.metadataOnly === true ? { accept: METADATA_ONLY_WATCH } : {}),
      actAs: this.#asking?.actAs,
    });
    const { limits } = this;
    const { signal, share } = query;
    const most = { most: limits?.object, mostInAll: limits?.list.bytes };
    yield* decodeWatch<T>(body, { ...this.#asked(request.attempt), type, signal, share, ...most });
  }

  create<T extends KubeObject>(type: ResourceType, object: T, options: WriteOptions = {}): Promise<T> {
    const { metadata } = object;
    const place =
      options.subresource === undefined
        ? collectionPath(type, metadata.namespace)
        : objectPath(type, metadata, options.subresource);
    const path = place + queryString(writeParameters(options));
    return this.#object<T>({
      ...call('POST', type, object.metadata, { verb: 'create', ...options }),
      path,
      ...jsonBody(object, 'application/json'),
    });
  }

  update<T extends KubeObject>(type: ResourceType, object: T, options: WriteOptions = {}): Promise<T> {
    return this.#object<T>({
      ...call('PUT', type, object.metadata, { verb: 'update', ...options }),
      path: writePath(type, object.metadata, options),
      ...jsonBody(object, 'application/json'),
    });
  }

  apply<T extends KubeObject>(type: ResourceType, object: T, options: ApplyOptions): Promise<T> {
    return this.#object<T>({
      ...call('PATCH', type, object.metadata, { verb: 'apply', ...options }),
      path: writePath(type, object.metadata, options, { force: options.force, ...APPLY_VALIDATION }),
      body: printJsonForYaml(object),
      contentType: APPLY_PATCH,
    });
  }

  patch<T extends KubeObject>(
    type: ResourceType,
    ref: ObjectRef,
    patch: Patch,
    options: WriteOptions = {},
  ): Promise<T> {
    return this.#object<T>({
      ...call('PATCH', type, ref, { verb: 'patch', ...options }),
      path: writePath(type, ref, options),
      ...jsonBody(patch.body, PATCH_TYPES[patch.type]),
    });
  }

  async delete(type: ResourceType, ref: ObjectRef, options: DeleteOptions = {}): Promise<boolean> {
    const { uid, resourceVersion } = options;
    const body = {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      propagationPolicy: options.propagationPolicy,
      ...(options.dryRun === true ? { dryRun: ['All'] } : {}),
      ...(uid === undefined && resourceVersion === undefined ? {} : { preconditions: { uid, resourceVersion } }),
    };
    try {
      await this.#send({
        ...call('DELETE', type, ref, { verb: 'delete', ...options }),
        // The body decides; the URL shows in an audit log that nothing is deleted.
        path: objectPath(type, ref) + queryString(writeParameters(options)),
        ...jsonBody(body, 'application/json'),
      });
      return true;
    } catch (error: unknown) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  async read(path: string, options: ReadOptions = {}): Promise<unknown> {
    const { signal, timeoutMs, maxBytes, allowance, once, accept = JSON_OR_TEXT } = options;
    const attempt = `cannot read ${path}`;
    const text = await this.#send({
      method: 'GET',
      path,
      ...{ attempt, accept, signal, timeoutMs, maxBytes, allowance, once },
      // A log may have any number of marks.
      ...(options.asText === true ? { maxMarks: Infinity } : {}),
      verb: 'get',
      kind: 'path',
    });
    return options.asText !== true && /^\s*[[{]/.test(text) ? parseAnswer(text, this.#asked(attempt)) : text;
  }

  stream(path: string, { signal, silenceMs: timeoutMs }: StreamOptions): Promise<AsyncIterable<Buffer>> {
    const attempt = `cannot read ${path}`;
    const request = { method: 'GET', verb: 'get', kind: 'path', path, attempt, accept: JSON_OR_TEXT } as const;
    return this.#transport.stream({ ...request, signal, timeoutMs, actAs: this.#asking?.actAs });
  }

  actingAs(user: string | UserInfo, allowance?: Allowance): Kube {
    const actAs = typeof user === 'string' ? { username: user } : user;
    return new HttpKube(this.#transport, { actAs, allowance });
  }

  close(): Promise<void> {
    return this.#asking === undefined ? this.#transport.close() : Promise.resolve();
  }

  #asked(attempt: string): Answering {
    const { server, source } = this;
    return { attempt, server, source };
  }

  #send(request: Call, size: AnswerSize | undefined = this.limits?.page): Promise<string> {
    const { maxBytes = size?.bytes, maxMarks = size?.marks } = request;
    const { allowance = request.allowance, actAs } = this.#asking ?? {};
    return this.#transport.send({ ...request, maxBytes, maxMarks, actAs, allowance });
  }

  async #object<T>(request: Call): Promise<T> {
    // Whoever cannot trust the server checks it.
    const text = await this.#send(request, this.limits?.object);
    return parseAnswer(text, this.#asked(request.attempt), this.#parsing(1)) as T;
  }

  /** A server that any tenant may name has limits; the host has all that tenants write. */
  #parsing(level: number): (text: string) => unknown {
    return this.limits === undefined ? (text) => parseHolding(text, level) : parseServed;
  }
}

function call(
  method: Call['method'],
  type: ResourceType,
  ref: ObjectRef,
  options: RequestOptions & { verb: string },
): Omit<Call, 'path'> {
  const { verb, signal, timeoutMs, maxBytes, beforeSend } = options;
  const attempt = `cannot ${verb} ${describeObject(type.kind, ref)}`;
  return { method, verb, kind: type.kind, attempt, signal, timeoutMs, maxBytes, beforeSend };
}

function jsonBody(body: unknown, contentType: string): { body: string; contentType: string } {
  return { body: printJson(body), contentType };
}
