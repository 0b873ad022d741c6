import type { ObjectRef, ResourceType } from '#api/meta.js';
import { objectPath, queryString, type Query } from '#lib/net/urls.js';
import type { ListQuery, WatchQuery, WriteOptions } from './kube.js';

/** The subject of a list or watch, for messages. */
export function listRef(type: ResourceType, query: ListQuery): ObjectRef {
  return { name: type.plural, namespace: query.namespace };
}

function selectors(query: ListQuery): Query {
  return { labelSelector: query.labelSelector, fieldSelector: query.fieldSelector };
}

/** The query parameters of one page of a list. */
export function listParameters(query: ListQuery): Query {
  return {
    ...selectors(query),
    limit: query.limit,
    continue: query.continueToken,
  };
}

/** The query parameters of a watch. */
export function watchParameters(query: WatchQuery): Query {
  const { resourceVersion, timeoutSeconds, sendInitialEvents } = query;
  return {
    ...selectors(query),
    watch: true,
    allowWatchBookmarks: true,
    timeoutSeconds,
    ...(sendInitialEvents === true ? { sendInitialEvents, resourceVersionMatch: 'NotOlderThan' } : { resourceVersion }),
  };
}

/** The query parameters of a write. */
export function writeParameters(options: WriteOptions): Query {
  return { fieldManager: options.fieldManager, dryRun: options.dryRun === true ? 'All' : undefined };
}

/** Path and parameters of a write to an object that exists. */
export function writePath(type: ResourceType, ref: ObjectRef, options: WriteOptions, extra: Query = {}): string {
  return objectPath(type, ref, options.subresource) + queryString({ ...writeParameters(options), ...extra });
}
