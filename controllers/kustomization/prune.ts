import type { Logger } from 'pino';
import type { InventoryEntry } from '#api/flux/common.js';
import type { Unstructured } from '#api/meta.js';
import type { ObjectFacts } from '#engine/deletion/facts.js';
import { mayDelete } from '#engine/deletion/rule.js';
import { inventoryEntry, parseInventoryEntry, subjectOf, targetOf } from '#engine/member/model/inventory.js';
import type { ChangeSet } from '#engine/apply/types.js';
import { dryRunMember } from '#engine/member/dry-run-member.js';
import type { ObjectFailure } from '#engine/member/member-failure.js';
import {
  type ClusterContext,
  objectsWithout,
  tryDeleteByRule,
  type DeleteOptions,
  type Deletion,
} from '#engine/flux/objects.js';
import { inTurn, keepersIn } from './neighbours.js';
import type { Pass } from './pass.js';
import type { SyncPass } from './prepare.js';
import { staysAsTarget } from './model/namespaces.js';
import { isKept, marksOf, NAME_LABEL, ownerOf, type Owner } from './model/objects.js';

/** As many objects as one event names. */
const MOST_SAID = 100;

interface PruneRequest {
  readonly context: ClusterContext;
  readonly owner: Owner;
  readonly intent: Extract<ObjectFacts['intent'], 'prune' | 'deleted'>;
  readonly log: Logger;
  /** Names of others, which get what they have or wait for, by its id. */
  readonly keepers: ReadonlyMap<string, string>;
}

function objectOf(entry: InventoryEntry): Unstructured[] {
  const target = parseInventoryEntry(entry);
  if (target === undefined) return [];
  const { apiVersion, kind, name, namespace } = target;
  return [{ apiVersion, kind, metadata: { name, ...(namespace === undefined ? {} : { namespace }) } }];
}

/** What the deletion rule is asked of each object. */
function ruleOf({ context, owner, intent, log, keepers }: PruneRequest, passed: Passed[]): DeleteOptions {
  return {
    factsOf: (live) => {
      const keeper = keepers.get(inventoryEntry(live).id);
      const facts: ObjectFacts = {
        subject: 'object',
        intent,
        kind: live.kind,
        isKept: isKept(live),
        marks: marksOf(live, owner, context.fieldManager),
        isFromCrds: false,
        staysAsTarget: staysAsTarget(live, owner, intent),
        ...(keeper === undefined ? {} : { sharedWith: `Kustomization ${keeper}` }),
      };
      if (keeper !== undefined && mayDelete(facts).guard === 'shared') passed.push({ live, keeper });
      return facts;
    },
    onLeft: (left) => log.info(left, 'object is left in place'),
  };
}

/** What was to be deleted, what was done to each object, and why it failed. */
interface Pruned extends Deletion, ChangeSet {
  readonly gone: readonly Unstructured[];
  /** A line for each object that stays for another Kustomization. */
  readonly passedOn: readonly string[];
}

/** A live object that stays for another Kustomization. */
interface Passed {
  readonly live: Unstructured;
  readonly keeper: string;
}

/** Gives the object the label of the one that has or wants it, unless it changed meanwhile. */
async function passOn({ context, owner }: PruneRequest, { live, keeper }: Passed): Promise<void> {
  const { member, fieldManager, signal } = context;
  const type = await member.resourceType(live.apiVersion, live.kind, { signal });
  const path = `/metadata/labels/${NAME_LABEL.replaceAll('/', '~1')}`;
  const body = [
    { op: 'test', path: '/metadata/uid', value: live.metadata.uid },
    { op: 'test', path, value: owner.name },
    { op: 'replace', path, value: keeper },
  ] as const;
  await member.kube.patch(type, live.metadata, { type: 'json', body }, { fieldManager, signal });
}

async function passAllOn(
  request: PruneRequest,
  passed: readonly Passed[],
): Promise<Pick<Pruned, 'failures' | 'passedOn'>> {
  const failures: ObjectFailure[] = [];
  const passedOn: string[] = [];
  for (const each of passed) {
    const subject = subjectOf(targetOf(each.live));
    try {
      await passOn(request, each);
      passedOn.push(`${subject} is left in place: Kustomization ${each.keeper} has it too, or waits for it`);
    } catch (error: unknown) {
      failures.push({ subject, error: error instanceof Error ? error : new Error(String(error)) });
    }
  }
  return { failures, passedOn };
}

/**
 * Deletes what an inventory lists, in the engine's order, as far as the deletion rule lets it go; never what is one of
 * `kept`, whatever namespace an entry gives it. What others have or wait for becomes theirs.
 */
async function prune(
  request: PruneRequest,
  entries: readonly InventoryEntry[],
  kept: readonly Unstructured[],
): Promise<Pruned> {
  const gone = await objectsWithout(request.context, entries.flatMap(objectOf), kept);
  const passed: Passed[] = [];
  const { failures, changes, ...deleted } = await tryDeleteByRule(request.context, gone, ruleOf(request, passed));
  const others = await passAllOn(request, passed);
  const failed = new Set(others.failures.map(({ subject }) => subject));
  return {
    ...{ gone, passedOn: others.passedOn, failures: [...failures, ...others.failures] },
    ...deleted,
    changes: changes.filter(({ subject }) => !failed.has(subject)),
  };
}

/** The same in a dry run. */
export function dryPrune(
  pass: SyncPass,
  entries: readonly InventoryEntry[],
  kept: readonly Unstructured[],
): Promise<Pruned> {
  const { context, kustomization, log } = pass;
  const dryContext = { ...context, member: dryRunMember(context.member) };
  const owner = ownerOf(kustomization);
  return prune({ context: dryContext, owner, intent: 'prune', log, keepers: keepersIn(pass, entries) }, entries, kept);
}

export function subjectsOf(objects: readonly Unstructured[]): string[] {
  return objects.map((object) => subjectOf(targetOf(object)));
}

/** Names may be made of secrets. */
function sayPassedOn({ events, kustomization, secrets }: Pass, passedOn: readonly string[]): void {
  if (passedOn.length === 0) return;
  events.record(kustomization, 'Warning', 'PruneSkipped', secrets.mask(passedOn.slice(0, MOST_SAID).join('\n')));
}

/** What is let go, where, and why. */
interface Letting extends Pick<PruneRequest, 'context' | 'intent'> {
  readonly entries: readonly InventoryEntry[];
  /** If given, only what others have or wait for. */
  readonly onlyOthers?: boolean;
}

/** The entries without those that a prune is done with. */
function without(entries: readonly InventoryEntry[], { changes }: Pruned): InventoryEntry[] {
  const done = new Set(changes.map(({ id }) => id));
  return entries.filter(({ id }) => !done.has(id));
}

/**
 * Prunes what a Kustomization lets go, in turn with others that have it too. These see at once that it has it no more.
 * Events say what is left to them.
 */
export function letGo(
  pass: Pass,
  { context, intent, entries, onlyOthers = false }: Letting,
  kept: readonly Unstructured[],
): Promise<Pruned> {
  const { kustomization, log, status } = pass;
  return inTurn(pass, entries, async (keepers, areOthers) => {
    const request = { context, owner: ownerOf(kustomization), intent, log, keepers };
    const pruned = await prune(request, onlyOthers ? entries.filter(({ id }) => keepers.has(id)) : entries, kept);
    sayPassedOn(pass, pruned.passedOn);
    if (areOthers && intent === 'prune') {
      const { inventory } = status.current;
      status.current = { ...status.current, inventory: { entries: without(inventory?.entries ?? [], pruned) } };
      await status.write();
    }
    return pruned;
  });
}
