import partition from 'lodash/partition.js';
import pLimit from 'p-limit';
import type { Unstructured } from '#api/meta.js';
import { isInterruption, type ObjectFailure } from '#engine/member/member-failure.js';
import { inventoryId, staleEntries, subjectOf, targetOf } from '#engine/member/model/inventory.js';
import { type ClusterContext, failuresText, readLive } from '#engine/flux/objects.js';
import { keyOf } from '#lib/kube/keys.js';
import { keepersOf, neighboursOf } from './holders.js';
import { look, type LookRequest } from './look.js';
import { keptIds, ownerKeyOf, sharersOf, TakenError, TARGET_TAKEN, whyTaken } from './model/holders.js';
import { isIgnored, isOnlyCreated } from './model/objects.js';
import { leftLine } from './model/others.js';
import type { Acted, Synchronization } from './model/types.js';
import type { SyncPass } from './prepare.js';

const PARALLEL = 8;

function idOf(object: Unstructured): string {
  return inventoryId(targetOf(object));
}

/** Those that are applied even if they exist. */
function appliedOf({ objects }: Pick<Synchronization, 'objects'>): Unstructured[] {
  return objects.filter((object) => !isIgnored(object) && !isOnlyCreated(object));
}

/** Ids of the objects that are applied even if they exist. */
export function appliedIds(decision: Pick<Synchronization, 'objects'>): ReadonlySet<string> {
  return new Set(appliedOf(decision).map(idOf));
}

/** Why an object is that of another Kustomization; what else is wrong with it is found when it is applied. */
async function takenOf(request: LookRequest, object: Unstructured): Promise<TakenError[]> {
  try {
    await look(request, object, { isArriving: false });
    return [];
  } catch (error: unknown) {
    if (error instanceof TakenError) return [error];
    if (isInterruption(error)) throw error;
    return [];
  }
}

/** The objects that other Kustomizations have, found before anything is written. */
export async function findTaken(
  decision: Synchronization,
  pass: SyncPass,
  request: LookRequest,
): Promise<readonly TakenError[]> {
  const { kustomization } = pass;
  const known = keptIds(kustomization);
  const arriving = appliedOf(decision).filter((object) => !known.has(idOf(object)));
  if (arriving.length === 0) return [];
  const had = sharersOf(kustomization, neighboursOf(pass), new Set(arriving.map(idOf)));
  const limit = pLimit(PARALLEL);
  const asked = arriving.filter((object) => had.has(idOf(object)));
  return (await Promise.all(asked.map((object) => limit(() => takenOf(request, object))))).flat();
}

/** The end of a pass that has to wait for objects of others. */
export function refused(
  taken: readonly TakenError[],
  others: readonly ObjectFailure[] = [],
): Pick<Acted, 'taken' | 'problem'> {
  const texts = [whyTaken(taken), ...(others.length === 0 ? [] : [failuresText(others)])];
  return { taken, problem: { reason: TARGET_TAKEN, message: texts.join('; ') } };
}

/** The end of a pass in which objects failed. */
export function failed(failures: readonly ObjectFailure[]): Pick<Acted, 'taken' | 'problem'> {
  const [mine, others] = partition(failures, ({ error }) => error instanceof TakenError);
  const taken = mine.flatMap(({ error }) => (error instanceof TakenError ? [error] : []));
  if (taken.length > 0) return refused(taken, others);
  return { problem: { reason: 'ReconciliationFailed', message: failuresText(failures) } };
}

/** The objects that the source lacks and that others have or wait for are let go, even if this one cannot go on. */
export async function letGo({ inventory }: Synchronization, pass: SyncPass): Promise<Pick<Acted, 'left'>> {
  const stale = staleEntries(pass.kustomization.status?.inventory?.entries ?? [], inventory);
  if (stale.length === 0) return {};
  const keepers = await keepersOf(pass, new Set(stale.map(({ id }) => id)));
  return {
    left: new Map([...keepers].map(([id, name]) => [id, leftLine(id, `Kustomization ${name} has it or waits for it`)])),
  };
}

/** The live object; undefined if there is none, or if nobody may say. */
async function readIfPossible(context: ClusterContext, object: Unstructured): Promise<Unstructured | undefined> {
  try {
    return await readLive(context, object);
  } catch (error: unknown) {
    if (isInterruption(error)) throw error;
    return undefined;
  }
}

/**
 * Ids of what this one lists and skips, and another one has by the labels of the live object: an earlier version did not
 * tell this from what is applied.
 */
async function foreignIds({ objects }: Synchronization, pass: SyncPass, { changes }: Acted): Promise<string[]> {
  const { context, kustomization } = pass;
  const known = keptIds(kustomization);
  const skipped = changes.filter(({ id, action }) => action === 'skipped' && known.has(id)).map(({ id }) => id);
  if (skipped.length === 0) return [];
  const sharers = sharersOf(kustomization, neighboursOf(pass), new Set(skipped));
  const own = keyOf(kustomization.metadata);
  const limit = pLimit(PARALLEL);
  const asked = objects.filter((object) => sharers.has(idOf(object)));
  const live = await Promise.all(asked.map((object) => limit(() => readIfPossible(context, object))));
  return live.flatMap((object) => (object === undefined || ownerKeyOf(object) === own ? [] : [idOf(object)]));
}

/** Findings about the objects of others once everything was applied. */
export async function lookAtOthers(
  decision: Synchronization,
  pass: SyncPass,
  acted: Acted,
): Promise<Pick<Acted, 'shared' | 'skipped'>> {
  return { shared: sharedLines(decision, pass), skipped: await foreignIds(decision, pass, acted) };
}

/** A line for each object that another Kustomization applies as well. */
function sharedLines(decision: Synchronization, pass: SyncPass): string[] {
  const applied = appliedOf(decision);
  const sharers = sharersOf(pass.kustomization, neighboursOf(pass), new Set(applied.map(idOf)));
  if (sharers.size === 0) return [];
  return applied.flatMap((object) => {
    const other = sharers.get(idOf(object));
    return other === undefined ? [] : [`${subjectOf(targetOf(object))} with Kustomization ${other}`];
  });
}
