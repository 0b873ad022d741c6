import type { HelmRelease } from '#api/flux/helm-release.js';
import { parseInventoryEntry, type ObjectTarget } from '#engine/member/model/inventory.js';
import { answerOf } from '#runtime/isolation/offload.js';
import type { Reader, ReachedChild } from './child-member.js';
import { storedObjectsTask, type StoredObjects } from './stored-objects.js';
import { readStored } from './stored-release.js';

/** From Helm's storage: Flux before 2.8 writes no inventory. Throws an Error that says why it cannot be read. */
async function storedObjects(
  release: HelmRelease,
  reached: ReachedChild,
  reader: Reader,
): Promise<readonly ObjectTarget[]> {
  const stored = await readStored(release, reached, reader);
  if (stored === undefined) return [];
  const { data, namespace, where } = stored;
  const answer = reader.offload.run(storedObjectsTask, JSON.stringify({ data, namespace }), reader.namespace);
  const found = await answerOf<StoredObjects>(answer, ({ message }) => ({ problem: message }));
  if ('problem' in found) throw new Error(`${where}: ${found.problem}`);
  return found.objects;
}

/** Those that the inventory of a child names; undefined if it has none. */
export function inventoryObjects({ status }: ReachedChild['child']): readonly ObjectTarget[] | undefined {
  return status?.inventory?.entries.flatMap((entry) => parseInventoryEntry(entry) ?? []);
}

/** The objects of the release of a child, as its inventory has them, else as Helm stored them. */
export async function releaseObjects(reached: ReachedChild, reader: Reader): Promise<readonly ObjectTarget[]> {
  const { child } = reached;
  const known = inventoryObjects(child);
  if (known !== undefined) return known;
  return child.kind === 'HelmRelease' ? storedObjects(child as HelmRelease, reached, reader) : [];
}
