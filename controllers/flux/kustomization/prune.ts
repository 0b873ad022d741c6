import type { InventoryEntry } from '#api/flux/common.js';
import type { Unstructured } from '#api/meta.js';
import type { Logger } from 'pino';
import type { ObjectFacts } from '../../deletion/facts.js';
import { parseInventoryEntry, subjectOf, targetOf } from '../../engine/apply/model/inventory.js';
import type { ClusterContext } from '../shared/cluster-context.js';
import { deleteByRule, type Deletion } from '../shared/delete-objects.js';
import { objectsWithout } from '../shared/objects.js';
import { isKept, marksOf, type Owner } from './model/objects.js';

export interface PruneRequest {
  readonly context: ClusterContext;
  readonly owner: Owner;
  readonly intent: Extract<ObjectFacts['intent'], 'prune' | 'deleted'>;
  readonly log: Logger;
}

function objectOf(entry: InventoryEntry): Unstructured[] {
  const target = parseInventoryEntry(entry);
  if (target === undefined) return [];
  const { apiVersion, kind, name, namespace } = target;
  return [{ apiVersion, kind, metadata: { name, ...(namespace === undefined ? {} : { namespace }) } }];
}

/**
 * Deletes what an inventory lists, in the engine's order, as far as the deletion rule lets it go; never what is one of
 * `kept`, whatever namespace an entry gives it.
 */
export async function prune(
  { context, owner, intent, log }: PruneRequest,
  entries: readonly InventoryEntry[],
  kept: readonly Unstructured[],
): Promise<Deletion> {
  const gone = await objectsWithout(context, entries.flatMap(objectOf), kept);
  return deleteByRule(context, gone, {
    factsOf: (live) => ({
      subject: 'object',
      intent,
      kind: live.kind,
      isKept: isKept(live),
      marks: marksOf(live, owner, context.fieldManager),
      isFromCrds: false,
    }),
    onLeft: (left) => log.info(left, 'object is left in place'),
  });
}

export function subjectsOf(objects: readonly Unstructured[]): string[] {
  return objects.map((object) => subjectOf(targetOf(object)));
}
