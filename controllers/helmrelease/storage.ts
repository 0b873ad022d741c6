import { ORIGIN_NAMESPACE_LABEL, ORIGIN_NAME_LABEL, ORIGIN_UID_LABEL } from '#api/flux/annotations.js';
import { secretResource } from '#api/core.js';
import type { KubeObject, ObjectMeta } from '#api/meta.js';
import { listAll, type Kube } from '#runtime/client/kube.js';
import { apiStatusOf, ConflictError, TerminalError } from '#lib/errors.js';
import type { SecretTexts } from '#engine/flux/model/secret-texts.js';
import { keyOf } from '#lib/kube/keys.js';
import { defined } from '#lib/plain.js';
import { FIELD_MANAGER } from './model/ownership.js';
import {
  storageSecretName,
  type ReleaseRecord,
  type ReleaseStatus,
  type StoredRevision,
  lastRevision,
} from './model/release.js';
import { textsOfRecord } from './model/secret-values.js';
import { decodeReleaseAside, encodeRelease } from './release-codec.js';
import { renderedSecrets, type Reading } from './stored-objects.js';

/** Labels in storage that belong to Helm. */
const SYSTEM_LABELS: ReadonlySet<string> = new Set(['name', 'owner', 'status', 'version', 'createdAt', 'modifiedAt']);

/** Labels of the Secret of a revision: Helm's own over `custom` ones; `modifiedAt` is epoch seconds. */
export function storageLabels(
  record: Pick<ReleaseRecord, 'name' | 'version' | 'info'>,
  custom: Readonly<Record<string, string>>,
  nowMs: number,
): Record<string, string> {
  const kept = Object.entries(custom).filter(([key]) => !SYSTEM_LABELS.has(key));
  return {
    ...Object.fromEntries(kept),
    modifiedAt: String(Math.floor(nowMs / 1000)),
    name: record.name,
    owner: 'helm',
    status: record.info.status,
    version: String(record.version),
  };
}

const STORAGE_TYPE = 'helm.sh/release.v1';

interface StorageSecret extends KubeObject {
  type?: string;
  data?: Record<string, string>;
}

/** A revision and its Secret, as read or written. */
export interface StoredRecord {
  readonly record: ReleaseRecord;
  readonly revision: StoredRevision;
  /** Size of the unpacked release, if it was read. */
  readonly bytes?: number;
}

export interface StorageOptions extends Reading {
  readonly kube: Kube;
  readonly namespace: string;
  readonly releaseName: string;
  /** The HelmRelease, a label on each Secret, so that no other one takes over the release by mistake. */
  readonly origin: { readonly name: string; readonly namespace: string; readonly uid?: string | undefined };
  readonly signal: AbortSignal;
  readonly now: () => number;
  /** Collects what revisions may have from Secrets. */
  readonly secrets: SecretTexts;
}

/** The HelmRelease that labels name; undefined: none. */
export function originOf(labels: Readonly<Record<string, string>>): string | undefined {
  const name = labels[ORIGIN_NAME_LABEL];
  const namespace = labels[ORIGIN_NAMESPACE_LABEL];
  return name === undefined || namespace === undefined ? undefined : keyOf({ namespace, name });
}

function revisionOf(metadata: ObjectMeta): StoredRevision | undefined {
  const labels = metadata.labels ?? {};
  const version = Number(labels['version']);
  if (!Number.isInteger(version) || version < 1) return undefined;
  return {
    version,
    // Only Helm and we write this label; an unknown value is treated like the status unknown.
    status: (labels['status'] ?? 'unknown') as ReleaseStatus,
    secretName: metadata.name,
    resourceVersion: metadata.resourceVersion ?? '',
    origin: originOf(labels),
    originUid: labels[ORIGIN_UID_LABEL],
    untouched: (metadata.managedFields ?? []).every(({ manager }) => manager === FIELD_MANAGER),
  };
}

function secretOf(record: ReleaseRecord, options: StorageOptions, resourceVersion?: string): StorageSecret {
  const { name, namespace, uid } = options.origin;
  const origin = {
    ...{ [ORIGIN_NAME_LABEL]: name, [ORIGIN_NAMESPACE_LABEL]: namespace },
    ...(uid === undefined ? {} : { [ORIGIN_UID_LABEL]: uid }),
  };
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: storageSecretName(record.name, record.version),
      namespace: options.namespace,
      labels: storageLabels(record, origin, options.now()),
      ...defined({ resourceVersion }),
    },
    type: STORAGE_TYPE,
    data: { release: encodeRelease(record) },
  };
}

/** The API server's limit for a Secret, minus the growth of a record while its hooks run. */
const MAX_RELEASE_BYTES = 1024 * 1024 - 4096;

/** The API server would reject it as well, but its message names neither the release nor the remedy. */
function rejectTooLarge({ name, version, chart, manifest }: ReleaseRecord, secret: StorageSecret): void {
  const bytes = Buffer.byteLength(secret.data?.['release'] ?? '', 'base64');
  if (bytes <= MAX_RELEASE_BYTES) return;
  throw new TerminalError(
    'StateError',
    `release ${name}.v${version} takes ${bytes} bytes in Helm's storage, and a Secret holds ${MAX_RELEASE_BYTES}: ` +
      `its manifest has ${manifest.length} characters, and all files of chart ${chart.metadata.name} are stored with it; ` +
      'leave files out by .helmignore, or split the chart',
  );
}

function stored(record: ReleaseRecord, secret: StorageSecret): StoredRecord {
  const revision = revisionOf(secret.metadata);
  if (revision === undefined) {
    throw new ConflictError(`Secret ${keyOf(secret.metadata)} lost its Helm labels while it was written`);
  }
  return { record, revision };
}

function rejectTaken(error: unknown): never {
  if (apiStatusOf(error)?.reason !== 'AlreadyExists') throw error;
  throw new ConflictError('another writer created this revision in the meantime', { cause: error });
}

/**
 * Helm's release storage for one release on one member: one Secret per revision. Every write is create-only or carries
 * the resourceVersion that was read, so that of two writers one gets a ConflictError. Does not connect until it is used.
 */
export class ReleaseStorage {
  readonly #options: StorageOptions;
  readonly #write: { readonly fieldManager: string; readonly signal: AbortSignal };
  /** Versions of Secrets that were marked: in a dry run they stay, and count as marked all the same. */
  readonly #marked = new Set<string>();

  constructor(options: StorageOptions) {
    this.#options = options;
    this.#write = { fieldManager: FIELD_MANAGER, signal: options.signal };
  }

  /** Where the records are. */
  get namespace(): string {
    return this.#options.namespace;
  }

  /** Newest last; read from metadata only. */
  async revisions(): Promise<StoredRevision[]> {
    const { kube, namespace, releaseName, signal } = this.#options;
    const labelSelector = `owner=helm,name=${releaseName}`;
    const { items } = await listAll(kube, secretResource, { namespace, labelSelector, metadataOnly: true, signal });
    const revisions = items.flatMap((item) => this.#asMarked(revisionOf(item.metadata)));
    return revisions.sort((a, b) => a.version - b.version);
  }

  /**
   * Undefined if the revision was deleted meanwhile. Throws TerminalError `StateError` if its Secret has no release.
   */
  async read(version: number): Promise<StoredRecord | undefined> {
    const { kube, namespace, releaseName, signal } = this.#options;
    const ref = { namespace, name: storageSecretName(releaseName, version) };
    const secret = await kube.get<StorageSecret>(secretResource, ref, { signal });
    if (secret === undefined) return undefined;
    const { record, bytes } = await decodeReleaseAside(secret.data?.['release'] ?? '', keyOf(ref));
    const rendered = await renderedSecrets(this.#options, record, `Secret ${keyOf(ref)}`);
    this.#options.secrets.add(`revision ${keyOf(ref)}`, () => textsOfRecord(record, rendered));
    return { ...stored(record, secret), bytes };
  }

  async create(record: ReleaseRecord): Promise<StoredRecord> {
    const secret = secretOf(record, this.#options);
    rejectTooLarge(record, secret);
    const where = keyOf(secret.metadata);
    const rendered = await renderedSecrets(this.#options, record, `Secret ${where}`);
    this.#options.secrets.add(`revision ${where}`, () => rendered);
    return stored(record, await this.#options.kube.create(secretResource, secret, this.#write).catch(rejectTaken));
  }

  async update({ revision }: StoredRecord, next: ReleaseRecord): Promise<StoredRecord> {
    const secret = secretOf(next, this.#options, revision.resourceVersion);
    return stored(next, await this.#options.kube.update(secretResource, secret, this.#write));
  }

  /**
   * Says of a revision that this HelmRelease has it now. Throws ConflictError if it changed since it was read. No patch:
   * accounts with the documented permissions cannot send one.
   */
  async mark({ secretName, resourceVersion }: StoredRevision): Promise<void> {
    const { kube, namespace, origin, signal } = this.#options;
    const ref = { namespace, name: secretName };
    const secret = await kube.get<StorageSecret>(secretResource, ref, { signal });
    if (secret === undefined) throw new ConflictError(`Secret ${keyOf(ref)} was deleted before it was marked`);
    const labels = { ...secret.metadata.labels, ...defined({ [ORIGIN_UID_LABEL]: origin.uid }) };
    const metadata = { ...secret.metadata, resourceVersion, labels };
    await kube.update(secretResource, { ...secret, metadata }, this.#write);
    this.#marked.add(`${secretName} ${resourceVersion}`);
  }

  #asMarked(revision: StoredRevision | undefined): StoredRevision[] {
    if (revision === undefined) return [];
    const isMarked = this.#marked.has(`${revision.secretName} ${revision.resourceVersion}`);
    return [isMarked ? { ...revision, originUid: this.#options.origin.uid } : revision];
  }

  async delete({ secretName, resourceVersion }: StoredRevision): Promise<void> {
    const { kube, namespace, signal } = this.#options;
    await kube.delete(secretResource, { namespace, name: secretName }, { resourceVersion, signal });
  }
}

function tooMuchHeld(releaseName: string, secretName: string): TerminalError {
  return new TerminalError(
    'StateError',
    `the revisions of release ${releaseName} in Helm's storage since its last deployed one, up to Secret ${secretName}, have ` +
      `more than ${MAX_HELD_BYTES} bytes when they are unpacked: delete Secrets of failed revisions that are not needed any more`,
  );
}

/** The revisions whose objects may be on the cluster: the last deployed one and all later ones. */
function liveRevisions(revisions: readonly StoredRevision[]): StoredRevision[] {
  const deployed = lastRevision(revisions.filter(({ status }) => status === 'deployed'));
  const from = deployed?.version ?? lastRevision(revisions)?.version ?? 0;
  return revisions.filter(({ version, status }) => version >= from || status === 'deployed');
}

/**
 * An upgrade holds all revisions in memory at once: this is enough for three of the largest, or dozens of large ones.
 */
const MAX_HELD_BYTES = 96 * 1024 * 1024;

/**
 * The records of revisions, oldest first. Revisions that were deleted meanwhile are skipped. Throws TerminalError
 * `StateError` if the records are too large to hold.
 */
export async function readRecords(
  { storage, releaseName }: { readonly storage: Pick<ReleaseStorage, 'read'>; readonly releaseName: string },
  revisions: readonly StoredRevision[],
): Promise<StoredRecord[]> {
  const records: StoredRecord[] = [];
  let held = 0;
  for (const { version, secretName } of liveRevisions(revisions)) {
    const found = await storage.read(version);
    if (found === undefined) continue;
    records.push(found);
    held += found.bytes ?? 0;
    if (held > MAX_HELD_BYTES) throw tooMuchHeld(releaseName, secretName);
  }
  return records;
}

/** RFC 3339 of now, as Helm stores times. */
export function timestamp({ now }: { readonly now: () => number }): string {
  return new Date(now()).toISOString();
}
