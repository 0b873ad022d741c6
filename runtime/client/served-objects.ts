import { apiVersionOf, type KubeObject, type ResourceType } from '#api/meta.js';
import { TransientError } from '#lib/errors.js';
import { isMap, type PlainMap } from '#lib/plain.js';
import type { Answering } from './answer-limits.js';

/** Kubernetes has versions of up to 20 digits; others may be any text. They are kept, and sent back in URLs. */
const MOST_VERSION = 1_024;

/** The error for an answer that no API server gives; `what`: e.g. `an object without a name`. */
function oddAnswer({ attempt, server = 'the server' }: Answering, what: string): TransientError {
  const said = `answered with ${what}: something else answers in place of the API server`;
  return new TransientError(`${attempt}: ${server} ${said}`, { publicMessage: `${attempt}: the server ${said}` });
}

function isText(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string';
}

function isVersion(value: unknown): value is string | undefined {
  return isText(value) && (value?.length ?? 0) <= MOST_VERSION;
}

/** What is wrong with an object, as far as it identifies it. */
function oddityOf(object: unknown): string | undefined {
  if (!isMap(object)) return 'no object';
  const { metadata } = object;
  if (!isMap(metadata)) return 'an object without metadata';
  if (typeof metadata['name'] !== 'string') return 'an object without a name';
  if (!isText(metadata['namespace'])) return 'an object whose namespace is no text';
  return isVersion(metadata['resourceVersion']) ? undefined : 'an object whose resourceVersion is no short text';
}

/**
 * Items of a list carry no apiVersion and kind, and metadata-only ones those of PartialObjectMetadata; ours carry their
 * own. Throws a TransientError for what is no object, or has no texts that identify it: a server may send anything.
 */
export function typed<T extends KubeObject>(type: ResourceType, object: unknown, asked: Answering): T {
  const oddity = oddityOf(object);
  if (oddity !== undefined) throw oddAnswer(asked, oddity);
  // What it has beside its metadata is checked by whoever reads it.
  return { ...(object as T), apiVersion: apiVersionOf(type), kind: type.kind };
}

/** The metadata of a bookmark. Throws a TransientError if it is none. */
export function bookmarked(object: unknown, asked: Answering): { resourceVersion: string; annotations: PlainMap } {
  const metadata = isMap(object) ? object['metadata'] : undefined;
  const { resourceVersion = '', annotations } = isMap(metadata) ? metadata : { resourceVersion: null };
  if (typeof resourceVersion !== 'string' || !isVersion(resourceVersion)) throw oddAnswer(asked, 'an odd bookmark');
  return { resourceVersion, annotations: isMap(annotations) ? annotations : {} };
}
