import type { Unstructured } from '#api/meta.js';
import { ORIGIN_NAMESPACE_LABEL, ORIGIN_NAME_LABEL } from '#api/flux/annotations.js';
import type { Ignored } from '#engine/drift/compare-object.js';
import { findMissing } from '#engine/drift/missing.js';
import { withKnownKinds } from '#engine/flux/objects.js';
import { inventoryId, parseInventoryEntry, subjectOf, targetOf } from '#engine/member/model/inventory.js';
import { TerminalError } from '#lib/errors.js';
import { inTurns } from '#runtime/turns.js';
import { isToStay, type Look } from './model/missing.js';
import type { ReleasePass } from './prepare.js';
import { objectsOfRelease } from './stored-objects.js';
import { ignoreRules } from './validate.js';

/** Undefined if a rule cannot be read, or takes too long: it is unknown then what may be missing. */
async function unlessTerminal<T>(work: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error: unknown) {
    if (error instanceof TerminalError) return undefined;
    throw error;
  }
}

/** Identities of the objects of a revision that are to stay. Undefined if the rules take too long. */
async function idsToStay(pass: ReleasePass, version: number, ignored: Ignored): Promise<Set<string> | undefined> {
  const { context } = pass;
  const stored = await context.storage.read(version);
  const manifest = stored?.record.manifest ?? '';
  const objects = await withKnownKinds(context, await objectsOfRelease(context, manifest, version));
  const lasting = (object: Unstructured): boolean => isToStay(object) && ignored(object) !== undefined;
  const ids = (object: Unstructured): string[] => (lasting(object) ? [inventoryId(targetOf(object))] : []);
  return unlessTerminal(async () => new Set((await inTurns(objects, ids)).flat()));
}

function originOf({ release: { metadata } }: ReleasePass): string {
  return `${ORIGIN_NAME_LABEL}=${metadata.name},${ORIGIN_NAMESPACE_LABEL}=${metadata.namespace ?? ''}`;
}

/**
 * Finds out which objects in the inventory of the newest revision do not exist any more, without those that may go by
 * themselves or whose drift is ignored. Only if some do not exist, the manifest is read. Writes nothing. Undefined
 * without an inventory.
 */
export async function findMissingObjects(pass: ReleasePass): Promise<Look | undefined> {
  const { context, release, status } = pass;
  const [latest] = status.current.history ?? [];
  const ignored = await unlessTerminal(() => ignoreRules(release.spec));
  const targets = (status.current.inventory?.entries ?? []).flatMap((entry) => parseInventoryEntry(entry) ?? []);
  if (latest === undefined || ignored === undefined || targets.length === 0) return undefined;
  const { member, signal } = context;
  const { missing, unknown } = await findMissing({ member, signal, labelSelector: originOf(pass) }, targets);
  if (missing.length === 0) return { subjects: [], unknown };
  const ids = await idsToStay(pass, latest.version, ignored);
  if (ids === undefined) return undefined;
  const gone = missing.filter((target) => ids.has(inventoryId(target)));
  return { subjects: gone.map((target) => context.secrets.mask(subjectOf(target))), unknown };
}
