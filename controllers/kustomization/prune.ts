import pLimit from 'p-limit';
import type { Logger } from 'pino';
import type { InventoryEntry } from '#api/flux/common.js';
import type { Unstructured } from '#api/meta.js';
import type { ObjectFacts } from '#engine/deletion/facts.js';
import { mayDelete } from '#engine/deletion/rule.js';
import { inventoryEntry, parseInventoryEntry, subjectOf, targetOf } from '#engine/member/model/inventory.js';
import type { ChangeSet } from '#engine/apply/types.js';
import { dryRunMember } from '#engine/member/dry-run-member.js';
import { apiStatusOf, isServerTrouble } from '#lib/errors.js';
import { isInterruption, reasonText, type ObjectFailure } from '#engine/member/member-failure.js';
import {
  ActionError,
  type ClusterContext,
  objectsWithout,
  tryDeleteByRule,
  type DeleteOptions,
  type Deletion,
} from '#engine/flux/objects.js';
import { inTurn, keepersIn } from './neighbours.js';
import type { Pass } from './pass.js';
import type { SyncPass } from './prepare.js';
import { containerOf, type Keepers } from './model/neighbours.js';
import { staysAsTarget } from './model/namespaces.js';
import { isKept, marksOf, NAME_LABEL, ownerOf, type Owner } from './model/objects.js';

const PARALLEL = 8;
/** As many objects as one event names. */
const MOST_SAID = 100;

interface PruneRequest {
  readonly context: ClusterContext;
  readonly owner: Owner;
  readonly intent: Extract<ObjectFacts['intent'], 'prune' | 'deleted'>;
  readonly log: Logger;
  /** Tells who keeps an object when it is let go. */
  readonly keepers: () => Keepers;
}

function objectOf(entry: InventoryEntry): Unstructured[] {
  const target = parseInventoryEntry(entry);
  if (target === undefined) return [];
  const { apiVersion, kind, name, namespace } = target;
  return [{ apiVersion, kind, metadata: { name, ...(namespace === undefined ? {} : { namespace }) } }];
}

/** What the deletion rule is asked of each object. */
function ruleOf({ context, owner, intent, log, keepers }: PruneRequest, left: Left[]): DeleteOptions {
  return {
    factsOf: (live) => {
      const { id } = inventoryEntry(live);
      const { sharers, claimants, inside } = keepers();
      const container = containerOf(live);
      const { keeper, why } = firstKeeper(
        [sharers.get(id), 'has it too'],
        [claimants.get(id), 'waits for it'],
        [container === undefined ? undefined : inside(container), 'has or wants what would go with it'],
      );
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
      if (keeper !== undefined && mayDelete(facts).guard === 'shared') left.push({ live, keeper, why });
      return facts;
    },
    onLeft: (each) => log.info(each, 'object is left in place'),
  };
}

/** What was to be deleted, what was done to each object, and why it failed. */
interface Pruned extends Deletion, ChangeSet {
  readonly gone: readonly Unstructured[];
  /** A line for each object that stays for another Kustomization. */
  readonly leftLines: readonly string[];
}

/** A live object that stays for another Kustomization. */
interface Left {
  readonly live: Unstructured;
  readonly keeper: string;
  readonly why: Why;
}

type Why = 'has it too' | 'waits for it' | 'has or wants what would go with it';
type Reason = readonly [keeper: string | undefined, why: Why];

function firstKeeper(...[first, ...others]: [Reason, ...Reason[]]): { keeper: string | undefined; why: Why } {
  const [keeper, why] = [first, ...others].find(([name]) => name !== undefined) ?? first;
  return { keeper, why };
}

/** Gives an object the label of another one that has it too, unless the object changed meanwhile. */
async function passOn({ context, owner }: PruneRequest, { live, keeper }: Left): Promise<void> {
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

/**
 * Why an object could not be passed on. It stays in any case: a Kustomization that is deleted does not wait for a label
 * that is refused, only for a server in trouble.
 */
async function passedOn(request: PruneRequest, left: Left): Promise<ObjectFailure[]> {
  try {
    await passOn(request, left);
    return [];
  } catch (error: unknown) {
    if (isInterruption(error)) throw error;
    const [{ keeper }, subject, status] = [left, subjectOf(targetOf(left.live)), apiStatusOf(error)];
    request.log.warn({ object: subject, keeper, code: status?.code }, 'object cannot get the label of its keeper');
    const isRefused = status !== undefined && !isServerTrouble(error);
    if (request.intent === 'deleted' && isRefused) return [];
    const reason = `it stays, as Kustomization ${keeper} has it too, and cannot get its label: ${reasonText(error)}`;
    return [{ subject, error: new ActionError(reason, { cause: error }) }];
  }
}

function leftLine({ live, keeper, why }: Left): string {
  return `${subjectOf(targetOf(live))} is left in place: Kustomization ${keeper} ${why}`;
}

/**
 * Deletes what an inventory lists, in the engine's order, as far as the deletion rule lets it go; never what is one of
 * `kept`, whatever namespace an entry gives it. What others have too is theirs from then on.
 */
async function prune(
  request: PruneRequest,
  entries: readonly InventoryEntry[],
  kept: readonly Unstructured[],
): Promise<Pruned> {
  const gone = await objectsWithout(request.context, entries.flatMap(objectOf), kept);
  const left: Left[] = [];
  const { failures, changes, ...deleted } = await tryDeleteByRule(request.context, gone, ruleOf(request, left));
  const limit = pLimit(PARALLEL);
  const shared = left.filter(({ why }) => why === 'has it too');
  const failed = (await Promise.all(shared.map((each) => limit(() => passedOn(request, each))))).flat();
  const refused = new Set(failed.map(({ subject }) => subject));
  return {
    ...{ gone, leftLines: left.map(leftLine), failures: [...failures, ...failed] },
    ...deleted,
    changes: changes.filter(({ subject }) => !refused.has(subject)),
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
  const request = { context: dryContext, owner: ownerOf(kustomization), intent: 'prune', log } as const;
  return prune({ ...request, keepers: keepersIn(pass, entries) }, entries, kept);
}

export function subjectsOf(objects: readonly Unstructured[]): string[] {
  return objects.map((object) => subjectOf(targetOf(object)));
}

/** Tells which objects are left to others; names may be made of secrets. */
export function sayLeft({ events, kustomization, secrets }: Pass, lines: readonly string[]): void {
  if (lines.length === 0) return;
  const more = lines.length > MOST_SAID ? [`and ${lines.length - MOST_SAID} more`] : [];
  const text = [...lines.slice(0, MOST_SAID), ...more].join('\n');
  events.record(kustomization, 'Warning', 'PruneSkipped', secrets.mask(text));
}

/** Objects that are let go, where, and why. */
interface Letting extends Pick<PruneRequest, 'context' | 'intent'> {
  readonly entries: readonly InventoryEntry[];
}

/** The entries without those that a prune is done with. */
function without(entries: readonly InventoryEntry[], { changes }: Pruned): InventoryEntry[] {
  const done = new Set(changes.map(({ id }) => id));
  return entries.filter(({ id }) => !done.has(id));
}

/**
 * Prunes what a Kustomization lets go, in turn with others that have it too, and who see at once that it has it no more.
 * An event says what is left to others.
 */
export function letGo(
  pass: Pass,
  { context, intent, entries }: Letting,
  kept: readonly Unstructured[],
): Promise<Pruned> {
  const { kustomization, log, status } = pass;
  return inTurn(pass, entries, async () => {
    // Asked for each object, as they are then: a large prune takes minutes.
    const keepers = keepersIn(pass, entries);
    const pruned = await prune({ context, owner: ownerOf(kustomization), intent, log, keepers }, entries, kept);
    sayLeft(pass, pruned.leftLines);
    if (intent === 'prune' && pruned.leftLines.length > 0) {
      const { inventory } = status.current;
      status.current = { ...status.current, inventory: { entries: without(inventory?.entries ?? [], pruned) } };
      await status.write();
    }
    return pruned;
  });
}
