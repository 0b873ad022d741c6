import { secretResource } from '#api/core.js';
import type { HelmRelease } from '#api/flux/helm-release.js';
import type { KubeObject } from '#api/meta.js';
import { parseInventoryEntry, type ObjectTarget } from '../engine/apply/model/inventory.js';
import { currentTarget } from '../flux/helmrelease/model/target.js';
import { storageSecretName } from '../flux/helmrelease/model/release.js';
import { answerOf } from '../runtime/offload.js';
import type { Reader, ReachedChild } from './child-member.js';
import { storedObjectsTask, type StoredObjects } from './stored-objects.js';

/** An API server stores no larger Secret; it is the one of a tenant, who may answer with anything. */
const MAX_SECRET_BYTES = 2 * 1024 * 1024;

interface StorageSecret extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

/** From Helm's storage: Flux before 2.8 writes no inventory. Throws an Error that says why it cannot be read. */
async function storedObjects(
  release: HelmRelease,
  { member }: ReachedChild,
  { signal, offload, namespace }: Reader,
): Promise<readonly ObjectTarget[]> {
  const target = currentTarget(release);
  const version = release.status?.history?.[0]?.version;
  if (target === undefined || version === undefined) return [];
  const name = storageSecretName(target.releaseName, version);
  const ref = { namespace: target.storageNamespace, name };
  const secret = await member.kube.get<StorageSecret>(secretResource, ref, { signal, maxBytes: MAX_SECRET_BYTES });
  const data = secret?.data?.['release'];
  if (data === undefined) return [];
  const question = JSON.stringify({ data, namespace: target.namespace });
  const found = await answerOf<StoredObjects>(offload.run(storedObjectsTask, question, namespace), ({ message }) => ({
    problem: message,
  }));
  if ('problem' in found) throw new Error(`Secret ${ref.namespace}/${name}: ${found.problem}`);
  return found.objects;
}

/** The objects of the release of a child, as its inventory has them, else as Helm stored them. */
export async function releaseObjects(reached: ReachedChild, reader: Reader): Promise<readonly ObjectTarget[]> {
  const { child } = reached;
  const entries = child.status?.inventory?.entries;
  if (entries !== undefined) return entries.flatMap((entry) => parseInventoryEntry(entry) ?? []);
  return child.kind === 'HelmRelease' ? storedObjects(child as HelmRelease, reached, reader) : [];
}
