import type { Logger } from 'pino';
import type { InventoryEntry } from '#api/flux/common.js';
import type { Unstructured } from '#api/meta.js';
import type { ObjectFacts } from '#engine/deletion/facts.js';
import { mayDelete } from '#engine/deletion/rule.js';
import { inventoryEntry, parseInventoryEntry, subjectOf, targetOf } from '#engine/member/model/inventory.js';
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
import { leftLine } from './model/others.js';

export interface PruneRequest {
  readonly context: ClusterContext;
  readonly owner: Owner;
  readonly intent: Extract<ObjectFacts['intent'], 'prune' | 'deleted'>;
  readonly log: Logger;
  /** Names of other Kustomizations that keep objects: by id, of those given. */
  readonly keepersOf: (ids: ReadonlySet<string>) => Promise<ReadonlyMap<string, string>>;
}

function objectOf(entry: InventoryEntry): Unstructured[] {
  const target = parseInventoryEntry(entry);
  if (target === undefined) return [];
  const { apiVersion, kind, name, namespace } = target;
  return [{ apiVersion, kind, metadata: { name, ...(namespace === undefined ? {} : { namespace }) } }];
}

/** The facts of each object for the deletion rule. `left` gets those that stay for another Kustomization. */
function ruleOf(
  { context, owner, intent, log }: PruneRequest,
  keepers: ReadonlyMap<string, string>,
  left: Map<string, string>,
): DeleteOptions {
  const factsOf = (live: Unstructured): ObjectFacts => {
    const name = keepers.get(inventoryEntry(live).id);
    return {
      subject: 'object',
      intent,
      kind: live.kind,
      isKept: isKept(live),
      marks: marksOf(live, owner, context.fieldManager),
      isFromCrds: false,
      sharedWith: name === undefined ? undefined : `Kustomization ${name}`,
      staysAsTarget: staysAsTarget(live, owner, intent),
    };
  };
  return {
    factsOf: (live) => {
      const facts = factsOf(live);
      const { guard, why } = mayDelete(facts);
      const { id } = inventoryEntry(live);
      left.delete(id);
      if (guard === 'shared') left.set(id, leftLine(subjectOf(targetOf(live)), why));
      return facts;
    },
    // Another one may take it meanwhile.
    isExact: true,
    onLeft: (each) => log.info(each, 'object is left in place'),
  };
}

/** What was to be deleted, what was done to each object, and why it failed. */
interface Pruned extends Deletion, ChangeSet {
  readonly gone: readonly Unstructured[];
  /** Objects that stay for other Kustomizations: by id, a line for each. */
  readonly left: ReadonlyMap<string, string>;
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
  const left = new Map<string, string>();
  const keepers = await request.keepersOf(new Set(gone.map((object) => inventoryEntry(object).id)));
  return { gone, left, ...(await tryDeleteByRule(request.context, gone, ruleOf(request, keepers, left))) };
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
