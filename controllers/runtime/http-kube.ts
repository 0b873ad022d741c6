import type { KubeObject, ObjectRef, ResourceType } from '../../api/meta.js';
import type {
  ApplyOptions,
  DeleteOptions,
  Kube,
  ListPage,
  ListQuery,
  Patch,
  RequestOptions,
  WatchEvent,
  WatchQuery,
  WriteOptions,
} from './kube.js';
import { isNotFound } from './pure/errors.js';
import { parseJson, printJson } from './pure/lossless-json.js';
import { collectionPath, describeObject, objectPath, queryString, type Query } from './pure/urls.js';
import { Transport, type Call, type TransportOptions } from './transport.js';
import { decodeWatch } from './watch-stream.js';

const PAGE_SIZE = 500;
const METADATA_ONLY = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';
const METADATA_ONLY_WATCH = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json';
const APPLY_PATCH = 'application/apply-patch+yaml';
const PATCH_TYPES = { merge: 'application/merge-patch+json', json: 'application/json-patch+json' } as const;

interface ListBody<T> {
  items?: T[];
  metadata?: { resourceVersion?: string; continue?: string };
}

/** One API server seen with one credential, over one connection pool. */
export function createKube(options: TransportOptions): Kube {
  return new HttpKube(new Transport(options));
}

class HttpKube implements Kube {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  get server(): string {
    return this.#transport.server;
  }

  async get<T extends KubeObject>(
    type: ResourceType,
    ref: ObjectRef,
    options: RequestOptions = {},
  ): Promise<T | undefined> {
    try {
      return await this.#object<T>({ ...call('GET', 'get', type, ref, options), path: objectPath(type, ref) });
    } catch (error: unknown) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async list<T extends KubeObject>(type: ResourceType, query: ListQuery = {}): Promise<ListPage<T>> {
    const path = collectionPath(type, query.namespace) + queryString(listParameters(query));
    const text = await this.#transport.send({
      ...call('GET', 'list', type, listRef(type, query), query),
      path,
      ...(query.metadataOnly === true ? { accept: METADATA_ONLY } : {}),
    });
    return listPage<T>(type, parseJson(text) as ListBody<T>);
  }

  async *watch<T extends KubeObject>(type: ResourceType, query: WatchQuery): AsyncIterable<WatchEvent<T>> {
    const { limit: _limit, ...parameters } = listParameters(query);
    const path =
      collectionPath(type, query.namespace) +
      queryString({
        ...parameters,
        watch: true,
        allowWatchBookmarks: true,
        resourceVersion: query.resourceVersion,
        timeoutSeconds: query.timeoutSeconds,
      });
    const request = { ...call('GET', 'watch', type, listRef(type, query), query), path };
    const body = await this.#transport.stream(
      query.metadataOnly === true ? { ...request, accept: METADATA_ONLY_WATCH } : request,
    );
    yield* decodeWatch<T>(body, request.attempt, query.signal);
  }

  create<T extends KubeObject>(type: ResourceType, object: T, options: WriteOptions = {}): Promise<T> {
    const path = collectionPath(type, object.metadata.namespace) + queryString(writeParameters(options));
    return this.#object<T>({
      ...call('POST', 'create', type, object.metadata, options),
      path,
      ...jsonBody(object, 'application/json'),
    });
  }

  update<T extends KubeObject>(type: ResourceType, object: T, options: WriteOptions = {}): Promise<T> {
    return this.#object<T>({
      ...call('PUT', 'update', type, object.metadata, options),
      path: writePath(type, object.metadata, options),
      ...jsonBody(object, 'application/json'),
    });
  }

  apply<T extends KubeObject>(type: ResourceType, object: T, options: ApplyOptions): Promise<T> {
    return this.#object<T>({
      ...call('PATCH', 'apply', type, object.metadata, options),
      path: writePath(type, object.metadata, options, { force: options.force }),
      ...jsonBody(object, APPLY_PATCH),
    });
  }

  patch<T extends KubeObject>(
    type: ResourceType,
    ref: ObjectRef,
    patch: Patch,
    options: WriteOptions = {},
  ): Promise<T> {
    return this.#object<T>({
      ...call('PATCH', 'patch', type, ref, options),
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
      await this.#transport.send({
        ...call('DELETE', 'delete', type, ref, options),
        path: objectPath(type, ref),
        ...jsonBody(body, 'application/json'),
      });
      return true;
    } catch (error: unknown) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  async read(path: string, options: RequestOptions = {}): Promise<unknown> {
    const { signal, timeoutMs } = options;
    const text = await this.#transport.send({
      method: 'GET',
      path,
      attempt: `cannot read ${path}`,
      verb: 'get',
      kind: 'path',
      accept: 'application/json, text/plain',
      signal,
      timeoutMs,
    });
    return /^\s*[[{]/.test(text) ? parseJson(text) : text;
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  async #object<T>(request: Call): Promise<T> {
    return parseJson(await this.#transport.send(request)) as T;
  }
}

function call(
  method: Call['method'],
  verb: string,
  type: ResourceType,
  ref: ObjectRef,
  options: RequestOptions,
): Omit<Call, 'path'> {
  const attempt = `cannot ${verb} ${describeObject(type.kind, ref)}`;
  return { method, verb, kind: type.kind, attempt, signal: options.signal, timeoutMs: options.timeoutMs };
}

function jsonBody(body: unknown, contentType: string): { body: string; contentType: string } {
  return { body: printJson(body), contentType };
}

function listRef(type: ResourceType, query: ListQuery): ObjectRef {
  return { name: type.plural, namespace: query.namespace };
}

function listParameters(query: ListQuery): Query {
  return {
    labelSelector: query.labelSelector,
    fieldSelector: query.fieldSelector,
    limit: query.limit ?? PAGE_SIZE,
    continue: query.continueToken,
  };
}

function writeParameters(options: WriteOptions): Query {
  return { fieldManager: options.fieldManager, dryRun: options.dryRun === true ? 'All' : undefined };
}

function writePath(type: ResourceType, ref: ObjectRef, options: WriteOptions, extra: Query = {}): string {
  return objectPath(type, ref, options.subresource) + queryString({ ...writeParameters(options), ...extra });
}

/** List items carry no apiVersion and kind of their own; every object of ours does. */
function listPage<T extends KubeObject>(type: ResourceType, body: ListBody<T>): ListPage<T> {
  const apiVersion = type.group === '' ? type.version : `${type.group}/${type.version}`;
  const items = (body.items ?? []).map((item) => ({ ...item, apiVersion, kind: type.kind }));
  const token = body.metadata?.continue ?? '';
  const resourceVersion = body.metadata?.resourceVersion ?? '';
  return token === '' ? { items, resourceVersion } : { items, resourceVersion, continueToken: token };
}
