import type { Logger } from 'pino';
import type { InventoryEntry } from '#api/flux/common.js';
import type { Unstructured } from '#api/meta.js';
import type { ObjectFacts } from '#engine/deletion/facts.js';
import { parseInventoryEntry, subjectOf, targetOf } from '#engine/member/model/inventory.js';
import type { ChangeSet } from '#engine/apply/types.js';
import { dryRunMember } from '#engine/member/dry-run-member.js';
import {
  type ClusterContext,
  objectsWithout,
  tryDeleteByRule,
  type DeleteOptions,
  type Deletion,
} from '#engine/flux/objects.js';
import { staysAsTarget } from './model/namespaces.js';
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

/** What the deletion rule is asked of each object. */
function ruleOf({ context, owner, intent, log }: PruneRequest): DeleteOptions {
  return {
    factsOf: (live) => ({
      subject: 'object',
      intent,
      kind: live.kind,
      isKept: isKept(live),
      marks: marksOf(live, owner, context.fieldManager),
      isFromCrds: false,
      staysAsTarget: staysAsTarget(live, owner, intent),
    }),
    onLeft: (left) => log.info(left, 'object is left in place'),
  };
}

/** What was to be deleted, what was done to each object, and why it failed. */
interface Pruned extends Deletion, ChangeSet {
  readonly gone: readonly Unstructured[];
}

/**
 * Deletes what an inventory lists, in the engine's order, as far as the deletion rule lets it go; never what is one of
 * `kept`, whatever namespace an entry gives it.
 */
export async function prune(
  request: PruneRequest,
  entries: readonly InventoryEntry[],
  kept: readonly Unstructured[],
): Promise<Pruned> {
  const gone = await objectsWithout(request.context, entries.flatMap(objectOf), kept);
  return { gone, ...(await tryDeleteByRule(request.context, gone, ruleOf(request))) };
}

/** The same in a dry run. */
export function dryPrune(
  request: PruneRequest,
  entries: readonly InventoryEntry[],
  kept: readonly Unstructured[],
): Promise<Pruned> {
  return prune(
    { ...request, context: { ...request.context, member: dryRunMember(request.context.member) } },
    entries,
    kept,
  );
}

export function subjectsOf(objects: readonly Unstructured[]): string[] {
  return objects.map((object) => subjectOf(targetOf(object)));
}
