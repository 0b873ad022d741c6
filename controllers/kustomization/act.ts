import once from 'lodash/once.js';
import partition from 'lodash/partition.js';
import pick from 'lodash/pick.js';
import pLimit from 'p-limit';
import { kustomizationResource, type KustomizationStatus } from '#api/flux/kustomization.js';
import type { Unstructured } from '#api/meta.js';
import type { ObjectFailure } from '#engine/member/member-failure.js';
import { inventoryEntry, staleEntries, subjectOf, targetOf } from '#engine/member/model/inventory.js';
import { CancelledError } from '#lib/errors.js';
import { waitForHealthy } from '#engine/health/wait.js';
import { printDuration } from '#lib/duration.js';
import { writeFresh } from '#engine/flux/fresh.js';
import { progressing, withCondition } from '#engine/flux/model/progress.js';
import { failuresText, readLive, refuseInterruption } from '#engine/flux/objects.js';
import { report } from '#engine/flux/write-status.js';
import { holderOf, keepersOf } from './holders.js';
import { look, type LookRequest } from './look.js';
import { checksAfter, keepsInventory } from './model/after-apply.js';
import { candidatesOf, sharersOf, TakenError, TARGET_TAKEN, waitersOf, whyTaken } from './model/holders.js';
import { isIgnored, isOnlyCreated, ownerOf } from './model/objects.js';
import { timeoutMs } from './model/timing.js';
import type { Acted, Plan, Synchronization } from './model/types.js';
import type { SyncPass } from './prepare.js';
import { prune, subjectsOf } from './prune.js';
import { applyStaged } from './staged-apply.js';
import { momentOf } from './pass.js';

const PARALLEL = 8;
/** Milliseconds in which most checks are over. */
const SILENCE_MS = 1_000;

/** What is about to be created is in the inventory before it exists; nothing is pruned by an old read. */
async function writeAhead(decision: Synchronization, pass: SyncPass): Promise<void> {
  const known = pass.kustomization.status?.inventory?.entries ?? [];
  if (keepsInventory(decision, known)) return;
  report({ status: { ...pass.status.current, inventory: { entries: [...decision.ahead] } } }, pass);
  const { kube, kustomization: object, signal, status } = pass;
  await writeFresh({ kube, type: kustomizationResource, object, status }, signal);
}

function lookRequest(pass: SyncPass): LookRequest {
  const { context, ignored, kustomization } = pass;
  const force = kustomization.spec.force === true;
  return { context, ignored, owner: ownerOf(kustomization), force, holderOf: holderOf(pass) };
}

function idsOf(objects: readonly Unstructured[]): ReadonlySet<string> {
  return new Set(objects.map((object) => inventoryEntry(object).id));
}

/** Why an object is that of another Kustomization; what else is wrong with it is found when it is applied. */
async function takenOf(request: LookRequest, object: Unstructured): Promise<TakenError[]> {
  try {
    const live = await readLive(request.context, object);
    if (live === undefined || (await request.holderOf(live)) === undefined) return [];
    await look(request, object, { isArriving: false });
    return [];
  } catch (error: unknown) {
    if (error instanceof CancelledError) throw error;
    return error instanceof TakenError ? [error] : [];
  }
}

/** The objects that other Kustomizations have, found before anything is written. */
async function findTaken({ objects }: Synchronization, pass: SyncPass): Promise<TakenError[]> {
  const { kustomization, kustomizations } = pass;
  const known = new Set((kustomization.status?.inventory?.entries ?? []).map(({ id }) => id));
  const arriving = objects.filter((object) => !known.has(inventoryEntry(object).id));
  if (arriving.length === 0) return [];
  const candidates = candidatesOf(kustomization, kustomizations.list(), idsOf(arriving));
  const asked = arriving.filter((object) => candidates.has(inventoryEntry(object).id));
  if (asked.length === 0) return [];
  const request = lookRequest(pass);
  const limit = pLimit(PARALLEL);
  return (await Promise.all(asked.map((object) => limit(() => takenOf(request, object))))).flat();
}

function refused(
  taken: readonly TakenError[],
  others: readonly ObjectFailure[] = [],
): Pick<Acted, 'taken' | 'problem'> {
  const texts = [whyTaken(taken), ...(others.length === 0 ? [] : [failuresText(others)])];
  return {
    taken: taken.map(({ object }) => object),
    problem: { reason: TARGET_TAKEN, message: texts.join('; ') },
  };
}

/** What the source lacks and another Kustomization waits for is let go, even if this one cannot go on. */
function letGo({ inventory }: Synchronization, { kustomization, kustomizations }: SyncPass): Pick<Acted, 'left'> {
  const stale = staleEntries(kustomization.status?.inventory?.entries ?? [], inventory);
  if (stale.length === 0) return {};
  const waiters = waitersOf(kustomization, kustomizations.list(), new Set(stale.map(({ id }) => id)));
  return { left: new Map([...waiters].map(([id, name]) => [id, `${id} is left in place: ${name} waits for it`])) };
}

async function apply(decision: Synchronization, pass: SyncPass, beforeWrites: () => Promise<void>): Promise<Acted> {
  const taken = await findTaken(decision, pass);
  if (taken.length > 0) return { changes: [], pruned: [], ...refused(taken), ...letGo(decision, pass) };
  const { objects, isFirst } = decision;
  const known = new Set((pass.kustomization.status?.inventory?.entries ?? []).map(({ id }) => id));
  const { failures, ...done } = await applyStaged({ ...lookRequest(pass), objects, known, isFirst, beforeWrites });
  refuseInterruption(failures);
  if (failures.length === 0) return { ...done, pruned: [] };
  const [mine, others] = partition(failures, ({ error }) => error instanceof TakenError);
  const late = mine.flatMap(({ error }) => (error instanceof TakenError ? [error] : []));
  const problem = { reason: 'ReconciliationFailed', message: failuresText(failures) } as const;
  const why = late.length > 0 ? refused(late, others) : { problem };
  return { ...done, pruned: [], ...why, ...letGo(decision, pass) };
}

async function pruneStale({ stale, objects }: Synchronization, pass: SyncPass, acted: Acted): Promise<Acted> {
  if (stale.length === 0) return acted;
  const { context, kustomization, log } = pass;
  const keepers = (ids: ReadonlySet<string>): ReadonlyMap<string, string> => keepersOf(pass, ids);
  const request = { context, owner: ownerOf(kustomization), intent: 'prune', log, keepersOf: keepers } as const;
  const { going, changes, failures, left } = await prune(request, stale, objects);
  refuseInterruption(failures);
  if (failures.length === 0) return { ...acted, left, pruned: subjectsOf(going) };
  const message = `cannot delete ${failuresText(failures)}`;
  return { ...acted, left, cleared: changes.map(({ id }) => id), problem: { reason: 'PruneFailed', message } };
}

function isFailing({ conditions = [] }: KustomizationStatus): boolean {
  return conditions.some(({ type, status }) => type === 'Healthy' && status === 'False');
}

function reportChecking(pass: SyncPass): void {
  const { artifact, kustomization, status: kept } = pass;
  const timeout = printDuration(timeoutMs(kustomization.spec));
  const message = `Running health checks for revision ${artifact.revision} with a timeout of ${timeout}`;
  kept.sayLater((current) => {
    // A failure stays reported while the same revision is retried.
    if (current.lastAttemptedRevision === artifact.revision && isFailing(current)) return undefined;
    const moment = momentOf(pass);
    const healthy = { type: 'Healthy', status: 'Unknown', reason: 'Progressing', message } as const;
    return withCondition(progressing(current, moment, message), moment, healthy);
  }, SILENCE_MS);
}

async function check(decision: Synchronization, pass: SyncPass, acted: Acted): Promise<Acted> {
  const { context, healthRules, kustomization } = pass;
  const objects = checksAfter(kustomization.spec, decision, acted.changes);
  if (objects.length === 0) return acted;
  const startedAt = performance.now();
  reportChecking(pass);
  const problem = await waitForHealthy({
    member: context.member,
    objects,
    defaultNamespace: context.namespace,
    timeoutMs: timeoutMs(kustomization.spec),
    signal: context.signal,
    jobs: true,
    rules: healthRules,
  });
  await pass.status.settle();
  const healthyAfterMs = performance.now() - startedAt;
  if (problem === undefined) return { ...acted, healthyAfterMs };
  // Without the time that it took: the same failure again is no news.
  return { ...acted, problem: { reason: 'HealthCheckFailed', message: `health check failed: ${problem}` } };
}

/** The objects that other Kustomizations apply as well. What this one only creates, or leaves alone, is not among them. */
function sharedLines({ objects }: Synchronization, { kustomization, kustomizations }: SyncPass): string[] {
  const applied = objects.filter((object) => !isIgnored(object) && !isOnlyCreated(object));
  const sharers = sharersOf(kustomization, kustomizations.list(), idsOf(applied));
  if (sharers.size === 0) return [];
  return applied.flatMap((object) => {
    const other = sharers.get(inventoryEntry(object).id);
    return other === undefined ? [] : [`${subjectOf(targetOf(object))} with ${other}`];
  });
}

/**
 * Carries out a decision: applies, prunes and checks, each only after the one before it worked as a whole. Throws what
 * ends the reconciliation (see `isInterruption`).
 */
export async function act({ decision }: Plan, pass: SyncPass): Promise<Acted> {
  if (decision.kind === 'reject') return { changes: [], pruned: [], problem: pick(decision, 'reason', 'message') };
  const remember = once(() => writeAhead(decision, pass));
  const applied = await apply(decision, pass, remember);
  if (applied.problem !== undefined) return applied;
  await remember();
  const pruned = await pruneStale(decision, pass, { ...applied, shared: sharedLines(decision, pass) });
  return pruned.problem === undefined ? check(decision, pass, pruned) : pruned;
}
