import type { ListedObject } from './bucket-index.js';
import { readXml } from './xml.js';

/** One page of the list of a bucket. */
export interface BucketPage {
  readonly objects: ListedObject[];
  /** Of the page that follows. */
  readonly token?: string;
}

/** Bytes: S3 allows no longer key. */
const MAX_KEY = 1_024;
const MAX_ETAG = 256;
const LIST = 'ListBucketResult';
const OBJECT = `${LIST}/Contents`;

/** Text of elements by their names; what repeats is collected in `objects`. */
interface Reading {
  root?: string;
  readonly texts: Map<string, string>;
  readonly objects: Map<string, string>[];
}

function take({ texts, objects }: Reading, path: readonly string[], text: string): void {
  const name = path.at(-1) ?? '';
  const parent = path.slice(0, -1).join('/');
  const outer = parent === LIST ? texts : undefined;
  const target = parent === OBJECT ? objects.at(-1) : outer;
  target?.set(name, (target.get(name) ?? '') + text);
}

function read(xml: string): Reading | undefined {
  const reading: Reading = { texts: new Map(), objects: [] };
  const isRead = readXml(xml, {
    onOpen: (path) => {
      reading.root ??= path[0] ?? '';
      if (path.join('/') === OBJECT) reading.objects.push(new Map());
    },
    onText: (path, text) => take(reading, path, text),
  });
  return isRead ? reading : undefined;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

function objectOf(fields: ReadonlyMap<string, string>, isEncoded: boolean): ListedObject | undefined {
  const [key, etag, size] = ['Key', 'ETag', 'Size'].map((name) => fields.get(name));
  const bytes = Number(size);
  if (key === undefined || etag === undefined || !Number.isSafeInteger(bytes) || bytes < 0) return undefined;
  const object = { key: isEncoded ? decoded(key) : key, etag: unquoted(etag), bytes };
  return Buffer.byteLength(object.key) > MAX_KEY || object.etag.length > MAX_ETAG ? undefined : object;
}

/** An ETag without its quotes. */
export function unquoted(etag: string): string {
  return etag.replace(/^"|"$/g, '');
}

/** What a server answers to ListObjectsV2; undefined when that is something else. */
export function parseBucketPage(xml: string): BucketPage | undefined {
  const reading = read(xml);
  if (reading?.root !== LIST) return undefined;
  const { texts } = reading;
  const objects = reading.objects.map((fields) => objectOf(fields, texts.get('EncodingType') === 'url'));
  if (!objects.every((object) => object !== undefined)) return undefined;
  // A list that ends too soon would be a bucket with less in it: the server must say that it ends.
  const isTruncated = texts.get('IsTruncated')?.trim().toLowerCase();
  if (isTruncated === 'false') return { objects };
  const token = texts.get('NextContinuationToken');
  return isTruncated !== 'true' || token === undefined ? undefined : { objects, token };
}
