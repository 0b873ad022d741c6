import { apiVersionOf, type KubeObject, type ResourceType } from '#api/meta.js';
import { TransientError } from '#lib/errors.js';
import { parseServed } from '#lib/json/nesting.js';
import { isMap, type PlainMap } from '#lib/plain.js';
import type { Answering } from './answer-limits.js';
import type { ListPage } from './kube.js';

/** Kubernetes has versions of up to 20 digits; others may be any text. They are kept, and sent back in URLs. */
const MOST_VERSION = 1_024;
const SHOWN_OF_KIND = 100;

/** The error for an answer that no API server gives; `what`: e.g. `an object without a name`. */
function oddAnswer({ attempt, server = 'the server' }: Answering, what: string): TransientError {
  const said = `answered with ${what}: something else answers in place of the API server`;
  return new TransientError(`${attempt}: ${server} ${said}`, { publicMessage: `${attempt}: the server ${said}` });
}

/** The value that a server answered in JSON; throws a TransientError if it is none. */
export function parseAnswer(text: string, asked: Answering, parse: (text: string) => unknown = parseServed): unknown {
  try {
    return parse(text);
  } catch {
    // The parser's message quotes the answer, which may hold secrets.
    throw oddAnswer(asked, 'no JSON');
  }
}

function isVersion(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MOST_VERSION;
}

/** The problem of an object, as far as it identifies it. */
function oddityOf(object: unknown): string | undefined {
  if (!isMap(object)) return 'no object';
  const { metadata } = object;
  if (!isMap(metadata)) return 'an object without metadata';
  const { name, namespace = '', resourceVersion = '' } = metadata;
  if (typeof name !== 'string') return 'an object without a name';
  if (typeof namespace !== 'string') return 'an object whose namespace is no text';
  return isVersion(resourceVersion) ? undefined : 'an object whose resourceVersion is no short text';
}

/**
 * Items of a list carry no apiVersion and kind, and metadata-only ones those of PartialObjectMetadata; ours carry their
 * own. Throws a TransientError for what is no object, or has no texts that identify it: a server may send anything.
 */
export function typed<T extends KubeObject>(type: ResourceType, object: unknown, asked: Answering): T {
  const oddity = oddityOf(object);
  if (oddity !== undefined) throw oddAnswer(asked, oddity);
  // The rest of it is checked by whoever reads it.
  return { ...(object as T), apiVersion: apiVersionOf(type), kind: type.kind };
}

/**
 * The items of a list. Go prints a list without items as null. Anything else has none because it is no list: to take it
 * for an empty one would mean that all objects are gone.
 */
function itemsOf({ items, kind }: PlainMap): unknown[] | undefined {
  if (Array.isArray(items)) return items as unknown[]; // of anything
  return items === null && typeof kind === 'string' && kind.endsWith('List') ? [] : undefined;
}

/** The thing that came in place of a list, for a message. */
function kindOf(answer: unknown): string {
  const kind = isMap(answer) ? answer['kind'] : undefined;
  return typeof kind === 'string' ? `no list but ${JSON.stringify(kind.slice(0, SHOWN_OF_KIND))}` : 'no list';
}

/** Where a list was read, and continues. */
function placeIn({ metadata = {} }: PlainMap): { resourceVersion: string; token: string } | undefined {
  if (!isMap(metadata)) return undefined;
  const { resourceVersion = '', continue: token = '' } = metadata;
  return isVersion(resourceVersion) && typeof token === 'string' ? { resourceVersion, token } : undefined;
}

/** The page of a list that a server answered with. Throws a TransientError if it is none. */
export function listPage<T extends KubeObject>(type: ResourceType, answer: unknown, asked: Answering): ListPage<T> {
  const items = isMap(answer) ? itemsOf(answer) : undefined;
  if (!isMap(answer) || items === undefined) throw oddAnswer(asked, kindOf(answer));
  const place = placeIn(answer);
  if (place === undefined) throw oddAnswer(asked, 'a list with odd metadata');
  const { resourceVersion, token } = place;
  const page = { items: items.map((item) => typed<T>(type, item, asked)), resourceVersion };
  return token === '' ? page : { ...page, continueToken: token };
}

/** The metadata of a bookmark. Throws a TransientError if it is none. */
export function bookmarked(object: unknown, asked: Answering): { resourceVersion: string; annotations: PlainMap } {
  const metadata = isMap(object) ? object['metadata'] : undefined;
  const { resourceVersion = '', annotations } = isMap(metadata) ? metadata : { resourceVersion: null };
  if (!isVersion(resourceVersion)) throw oddAnswer(asked, 'an odd bookmark');
  return { resourceVersion, annotations: isMap(annotations) ? annotations : {} };
}
