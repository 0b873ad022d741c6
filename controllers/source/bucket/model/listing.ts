import { createHash } from 'node:crypto';
import { readXml } from './xml.js';
import { IGNORE_FILE, ignoreOf } from '../../model/ignore.js';

/** One page of the list of a bucket. */
export interface BucketPage {
  readonly objects: ListedObject[];
  /** The token of the page that follows. */
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

/** Reads the answer of a server to ListObjectsV2; undefined if it is something else. */
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

/** An object of a bucket as its list has it. */
export interface ListedObject {
  readonly key: string;
  /** Without quotes. */
  readonly etag: string;
  readonly bytes: number;
}

export interface IndexQuery {
  readonly objects: readonly ListedObject[];
  readonly specIgnore: string | undefined;
  /** Content of the ignore file of the bucket, if it has one. */
  readonly ignoreFile: string | undefined;
  /** Of an artifact. */
  readonly limits: { readonly maxFiles: number; readonly maxBytes: number };
}

/** The objects to fetch, or why not all of them can be files. */
export type IndexAnswer =
  { readonly objects: ListedObject[]; readonly revision: string } | { readonly problem: string };

const WAY_OUT = 'rename it, or exclude it by spec.ignore';
const MAX_SEGMENT_BYTES = 255;
/** A NUL, and half of a character. */
const NO_NAME = /\0|\p{Surrogate}/u;

function isSegment(segment: string): boolean {
  const isName = segment !== '' && segment !== '.' && segment !== '..' && !NO_NAME.test(segment);
  return isName && Buffer.byteLength(segment) <= MAX_SEGMENT_BYTES;
}

/** The folders above a key. */
function foldersOf(key: string): string[] {
  const segments = key.split('/').slice(0, -1);
  return segments.map((_segment, index) => segments.slice(0, index + 1).join('/'));
}

function problemOf(objects: readonly ListedObject[], { maxFiles, maxBytes }: IndexQuery['limits']): string | undefined {
  const odd = objects.find(({ key }) => !key.split('/').every(isSegment));
  if (odd !== undefined) return `object ${JSON.stringify(odd.key)} has a key that is no path of a file: ${WAY_OUT}`;
  const folders = new Set(objects.flatMap(({ key }) => foldersOf(key)));
  // The ignore file becomes part of the artifact, too.
  const both = [IGNORE_FILE, ...objects.map(({ key }) => key)].find((key) => folders.has(key));
  if (both !== undefined) return `object ${JSON.stringify(both)} is a file and a folder: ${WAY_OUT}`;
  if (objects.length > maxFiles) return `there are more than ${maxFiles} objects: exclude some by spec.ignore`;
  const bytes = objects.reduce((sum, object) => sum + object.bytes, 0);
  return bytes > maxBytes ? `the objects have more than ${maxBytes} bytes: exclude some by spec.ignore` : undefined;
}

/**
 * The objects of a bucket that its artifact has: no folders, nothing that the ignore file or `spec.ignore` leaves out.
 * Unlike those of a repository, they have no default exclusions (Flux, fetchEtagIndex).
 */
export function indexOf({ objects, specIgnore, ignoreFile, limits }: IndexQuery): IndexAnswer {
  const ignore = ignoreOf([ignoreFile ?? '', specIgnore ?? '']);
  // A key that is overwritten while it is listed may be on two pages.
  const last = new Map(objects.map((object) => [object.key, object]));
  const kept = [...last.values()].filter(({ key }) => !key.endsWith('/') && key !== IGNORE_FILE && !ignore(key));
  const problem = problemOf(kept, limits);
  return problem === undefined ? { objects: kept, revision: indexRevision(kept) } : { problem };
}

/** The revision of an index: a digest of its keys, in the order of their bytes, and ETags (Flux, index.Digester). */
export function indexRevision(objects: readonly Pick<ListedObject, 'key' | 'etag'>[]): string {
  const lines = objects.map(({ key, etag }) => ({ key: Buffer.from(key), line: `${key} ${etag}\n` }));
  lines.sort((a, b) => Buffer.compare(a.key, b.key));
  const hash = createHash('sha256');
  for (const { line } of lines) hash.update(line);
  return `sha256:${hash.digest('hex')}`;
}
