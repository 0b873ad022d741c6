import { mkdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import pLimit from 'p-limit';
import type { BucketStatus } from '#api/flux/bucket.js';
import { DEFAULT_LIMITS, packDirectory } from '#engine/artifact/archive.js';
import type { PassContext } from '#runtime/controller.js';
import { TerminalError } from '#lib/errors.js';
import { artifactOwner, type Deps } from '../deps.js';
import { indexRevision, type ListedObject } from './model/listing.js';
import { bucketPlace, type BucketPlace } from './model/place.js';
import { stsProblem } from './model/sts.js';
import { IGNORE_FILE } from '../model/ignore.js';
import { notSupported, type Bucket } from '../model/source.js';
import type { Fetched } from '../pass.js';
import { openBucket } from './access.js';
import type { ObjectStore } from './object-store.js';
import { indexTask, parsePageTask } from './tasks.js';

const DOWNLOADS_AT_ONCE = 16;
/** Those that are excluded count, too. */
const MAX_LISTED = 200_000;
const MAX_PAGES = 1_000;
/** Of all keys and ETags. */
const MAX_LIST_CHARACTERS = 16 * 1024 * 1024;

/** One pass over a Bucket. */
interface Pull {
  readonly deps: Deps;
  readonly bucket: Bucket;
  readonly objects: ObjectStore;
}

/** What is in the artifact. */
interface Content {
  readonly objects: readonly ListedObject[];
  readonly revision: string;
  /** Part of it as well, though not of the revision. */
  readonly ignoreFile: string | undefined;
}

const WITH_S3 = 'use a server with the S3 API and spec.provider generic';
const WITH_KEYS = 'name a Secret with accesskey and secretkey in spec.secretRef instead';

/** What is asked for and not supported, and what to do instead. */
function unsupported({ spec }: Bucket): readonly [field: string, wayOut: string] | undefined {
  const { provider = 'generic', serviceAccountName, secretRef } = spec;
  if (provider === 'gcp' || provider === 'azure') return [`spec.provider ${provider}`, WITH_S3];
  if (provider === 'aws' && secretRef === undefined) return ['spec.provider aws without spec.secretRef', WITH_KEYS];
  return serviceAccountName === undefined ? undefined : ['spec.serviceAccountName', WITH_KEYS];
}

function validPlace(bucket: Bucket): BucketPlace {
  const sts = stsProblem(bucket.spec);
  if (sts !== undefined) throw new TerminalError(sts.reason, sts.problem);
  const found = unsupported(bucket);
  if (found !== undefined) throw notSupported(...found);
  const answer = bucketPlace(bucket.spec);
  if ('problem' in answer) throw new TerminalError('URLInvalid', answer.problem);
  return answer.place;
}

function tenantOf({ metadata }: Bucket): string {
  return metadata.namespace ?? '';
}

async function listed({ deps, bucket, objects }: Pull): Promise<ListedObject[]> {
  const found: ListedObject[] = [];
  let characters = 0;
  let token: string | undefined;
  for (let pages = 0; ; pages += 1) {
    const page = await parsePageTask.ask(
      deps.offload,
      await objects.page(bucket.spec.prefix ?? '', token),
      tenantOf(bucket),
    );
    if (page === undefined) throw objects.failure('answers with something else than a list of its objects');
    for (const object of page.objects) {
      found.push(object);
      characters += object.key.length + object.etag.length;
    }
    ({ token } = page);
    if (token === undefined) return found;
    if (found.length > MAX_LISTED || pages > MAX_PAGES || characters > MAX_LIST_CHARACTERS) {
      throw objects.failure(`has more than ${MAX_LISTED} objects, or too long keys: name some of them by spec.prefix`);
    }
  }
}

/** The ignore file is at the root, which a prefix leaves out of the list. */
async function ignoreFileOf({ bucket, objects }: Pull, found: readonly ListedObject[]): Promise<string | undefined> {
  const isListed = found.some(({ key }) => key === IGNORE_FILE);
  if (!isListed && (bucket.spec.prefix ?? '') === '') return undefined;
  const file = await objects.ignoreFile(IGNORE_FILE);
  if (isListed && file === undefined) throw objects.failure(`changed while it was fetched: ${IGNORE_FILE} is gone`);
  return file;
}

async function look(pull: Pull): Promise<Content> {
  const { deps, bucket, objects } = pull;
  const found = await listed(pull);
  const ignoreFile = await ignoreFileOf(pull, found);
  const query = { objects: found, specIgnore: bucket.spec.ignore, ignoreFile, limits: DEFAULT_LIMITS };
  const answer = await indexTask.ask(deps.offload, query, tenantOf(bucket));
  if ('problem' in answer) throw objects.failure(`cannot be fetched: ${answer.problem}`);
  return { ...answer, ignoreFile };
}

async function saveObject({ objects }: Pull, object: ListedObject, folder: string): Promise<ListedObject> {
  const file = path.join(folder, object.key);
  await mkdir(path.dirname(file), { recursive: true });
  const etag = await objects.save(object, file);
  const shown = `changed while it was fetched: object ${JSON.stringify(object.key)}`;
  if (etag === undefined) throw objects.failure(`${shown} is gone`);
  // An answer may break off and look complete.
  const { size } = await stat(file);
  if (size !== object.bytes) throw objects.failure(`${shown} has ${size} bytes instead of ${object.bytes}`);
  return { ...object, etag };
}

/**
 * Objects with the ETags that they were fetched with. One that has gone or has another size than the list says ends it:
 * what was made of an incomplete bucket would be pruned. Nothing is written any more when it fails.
 */
async function download(pull: Pull, content: Content, folder: string): Promise<ListedObject[]> {
  const limit = pLimit(DOWNLOADS_AT_ONCE);
  const ended = new AbortController();
  const saved = content.objects.map((object) =>
    limit(() => {
      ended.signal.throwIfAborted();
      return saveObject(pull, object, folder);
    }),
  );
  try {
    return await Promise.all(saved);
  } catch (error: unknown) {
    ended.abort();
    await pull.objects.close();
    await Promise.allSettled(saved);
    throw error;
  }
}

function fetched(revision: string, fields: Fetched<BucketStatus>['fields']): Fetched<BucketStatus> {
  return { reason: 'Succeeded', message: `stored artifact: revision '${revision}'`, fields };
}

async function isCurrent({ deps, bucket }: Pull, revision: string): Promise<boolean> {
  const artifact = bucket.status?.artifact;
  return artifact?.revision === revision && (await deps.store.locate(artifact)) !== undefined;
}

async function store(pull: Pull, content: Content, folder: string): Promise<Fetched<BucketStatus>> {
  const { deps, bucket } = pull;
  const objects = await download(pull, content, folder);
  const isAsListed = objects.every(({ etag }, index) => etag === content.objects[index]?.etag);
  const revision = isAsListed ? content.revision : indexRevision(objects);
  if (content.ignoreFile !== undefined) await writeFile(path.join(folder, IGNORE_FILE), content.ignoreFile);
  const name = `${revision.slice(revision.indexOf(':') + 1)}.tar.gz`;
  const write = (file: string): Promise<void> => packDirectory(folder, file);
  const artifact = await deps.store.put(artifactOwner(bucket), name, revision, write);
  return fetched(revision, { artifact, url: artifact.url, observedIgnore: bucket.spec.ignore });
}

async function pullInto(pull: Pull): Promise<Fetched<BucketStatus>> {
  const { deps, bucket } = pull;
  const content = await look(pull);
  const { revision } = content;
  if (await isCurrent(pull, revision)) return fetched(revision, { observedIgnore: bucket.spec.ignore });
  const scratch = await deps.store.scratch('bucket');
  try {
    const folder = path.join(scratch.path, 'tree');
    await mkdir(folder);
    return await store(pull, content, folder);
  } finally {
    await scratch.dispose();
  }
}

/**
 * The objects of a bucket as an artifact; an unchanged bucket costs its list. Errors: TerminalError `URLInvalid` |
 * `InvalidSTSConfiguration` | `FeatureNotSupported`; TransientError `BucketOperationFailed` | `AuthenticationFailed`; WaitingError
 * `AuthenticationFailed`.
 */
export async function fetchBucket(deps: Deps, bucket: Bucket, { signal }: PassContext): Promise<Fetched<BucketStatus>> {
  const objects = await openBucket(deps, bucket, { place: validPlace(bucket), signal });
  try {
    return await pullInto({ deps, bucket, objects });
  } finally {
    await objects.close();
  }
}
