import { secretResource } from '#api/core.js';
import type { HelmRelease } from '#api/flux/helm-release.js';
import type { KubeObject } from '#api/meta.js';
import { parseInventoryEntry, targetOf, type ObjectTarget } from '../engine/apply/model/inventory.js';
import { currentTarget } from '../flux/helmrelease/model/target.js';
import { storageSecretName } from '../flux/helmrelease/model/release.js';
import { objectsOfRelease } from '../flux/helmrelease/read-rendered.js';
import { decodeRelease } from '../flux/helmrelease/release-codec.js';
import { keyOf } from '../runtime/pure/keys.js';
import type { ReachedChild } from './child-member.js';

/** Of a release that is unpacked: far more than a manifest has. */
const MAX_UNPACKED_BYTES = 16 * 1024 * 1024;

interface StorageSecret extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

/** From Helm's storage: Flux before 2.8 writes no inventory. */
async function storedObjects(
  release: HelmRelease,
  { member }: ReachedChild,
  signal: AbortSignal,
): Promise<ObjectTarget[]> {
  const target = currentTarget(release);
  const version = release.status?.history?.[0]?.version;
  if (target === undefined || version === undefined) return [];
  const ref = { namespace: target.storageNamespace, name: storageSecretName(target.releaseName, version) };
  const secret = await member.kube.get<StorageSecret>(secretResource, ref, { signal });
  const data = secret?.data?.['release'];
  if (data === undefined) return [];
  const { manifest } = decodeRelease(data, keyOf(ref), MAX_UNPACKED_BYTES);
  const objects = await objectsOfRelease(manifest);
  return objects.map((object) => ({ ...targetOf(object), namespace: object.metadata.namespace ?? target.namespace }));
}

/** The objects of the release of a child, as its inventory has them, else as Helm stored them. */
export async function releaseObjects(reached: ReachedChild, signal: AbortSignal): Promise<ObjectTarget[]> {
  const { child } = reached;
  const entries = child.status?.inventory?.entries;
  if (entries !== undefined) return entries.flatMap((entry) => parseInventoryEntry(entry) ?? []);
  return child.kind === 'HelmRelease' ? storedObjects(child as HelmRelease, reached, signal) : [];
}
