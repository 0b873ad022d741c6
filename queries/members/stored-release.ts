import { secretResource } from '#api/core.js';
import type { HelmRelease } from '#api/flux/helm-release.js';
import type { KubeObject } from '#api/meta.js';
import { documentsOf } from '#controllers/helmrelease/model/manifest.js';
import type { ReleaseRecord } from '#controllers/helmrelease/model/release.js';
import { storageSecretName } from '#controllers/helmrelease/model/release.js';
import { currentTarget } from '#engine/flux/model/release-target.js';
import { decodeRelease } from '#controllers/helmrelease/release-codec.js';
import type { Reader, ReachedChild } from './child-member.js';

/** An API server stores no larger Secret; it is the one of a tenant, who may answer with anything. */
const MAX_SECRET_BYTES = 2 * 1024 * 1024;
/** Of a release that is unpacked: far more than a manifest has. */
const MAX_UNPACKED_BYTES = 16 * 1024 * 1024;
/** No API server takes a larger object. */
const MAX_DOCUMENT = 1536 * 1024;

interface StorageSecret extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

/** A release as Helm stores it on a cluster. */
export interface StoredRelease {
  /** As the Secret has it: packed. */
  readonly data: string;
  /** Of objects that name none. */
  readonly namespace: string;
  /** `Secret namespace/name`. */
  readonly where: string;
}

/** The current one of a child; undefined if there is none. Throws what the client throws. */
export async function readStored(
  release: HelmRelease,
  { member }: Pick<ReachedChild, 'member'>,
  { signal }: Pick<Reader, 'signal'>,
): Promise<StoredRelease | undefined> {
  const target = currentTarget(release);
  const version = release.status?.history?.[0]?.version;
  if (target === undefined || version === undefined) return undefined;
  const ref = { namespace: target.storageNamespace, name: storageSecretName(target.releaseName, version) };
  const secret = await member.kube.get<StorageSecret>(secretResource, ref, { signal, maxBytes: MAX_SECRET_BYTES });
  const data = secret?.data?.['release'];
  if (data === undefined) return undefined;
  return { data, namespace: target.namespace, where: `Secret ${ref.namespace}/${ref.name}` };
}

/** It is what a tenant stored: its fields may be anything. Throws an Error if it is no release. */
export function unpackedRelease(data: string): Partial<Record<keyof ReleaseRecord, unknown>> {
  return decodeRelease(data, 'of the release', MAX_UNPACKED_BYTES);
}

/** The documents of a manifest. Throws an Error if one is larger than any object. */
export function* documentsIn(manifest: unknown): Generator<string> {
  for (const document of documentsOf(typeof manifest === 'string' ? manifest : '')) {
    if (document.length > MAX_DOCUMENT) throw new Error('an object of the manifest is larger than any can be');
    yield document;
  }
}

/** What `read` returns, or what is wrong with what a tenant stored. */
export function orProblem<T>(read: () => T): T | { readonly problem: string } {
  try {
    return read();
  } catch (error: unknown) {
    if (!(error instanceof Error)) throw error;
    return { problem: `not a release that can be read: ${error.message}` };
  }
}
