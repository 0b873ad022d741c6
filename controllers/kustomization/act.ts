import omit from 'lodash/omit.js';
import once from 'lodash/once.js';
import pick from 'lodash/pick.js';
import type { InventoryEntry } from '#api/flux/common.js';
import { kustomizationResource, type KustomizationStatus } from '#api/flux/kustomization.js';
import { waitForHealthy } from '#engine/health/wait.js';
import { inventoryEntry, staleEntries } from '#engine/member/model/inventory.js';
import { printDuration } from '#lib/duration.js';
import { TerminalError } from '#lib/errors.js';
import { writeFresh } from '#engine/flux/fresh.js';
import { progressing, withCondition } from '#engine/flux/model/progress.js';
import { failuresText, refuseFailures, refuseInterruption } from '#engine/flux/objects.js';
import { report } from '#engine/flux/write-status.js';
import { checksAfter, keepsInventory } from './model/after-apply.js';
import { TARGET_TAKEN, whyTaken, type Contested } from './model/neighbours.js';
import { ownerOf } from './model/objects.js';
import { timeoutMs } from './model/timing.js';
import type { Acted, Plan, Synchronization } from './model/types.js';
import type { SyncPass } from './prepare.js';
import { findTaken } from './neighbours.js';
import { letGo, subjectsOf } from './prune.js';
import { applyStaged } from './staged-apply.js';
import { momentOf } from './pass.js';

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

async function apply(
  { objects, isFirst }: Synchronization,
  { context, ignored, kustomization }: SyncPass,
  beforeWrites: () => Promise<void>,
): Promise<Acted> {
  const force = kustomization.spec.force === true;
  const known = new Set((kustomization.status?.inventory?.entries ?? []).map(({ id }) => id));
  const request = { context, ignored, objects, owner: ownerOf(kustomization), force, known, isFirst, beforeWrites };
  const { failures, ...done } = await applyStaged(request);
  refuseInterruption(failures);
  if (failures.length === 0) return { ...done, pruned: [] };
  return { ...done, pruned: [], problem: { reason: 'ReconciliationFailed', message: failuresText(failures) } };
}

/** The claims of before that are not settled: what the files lack is pruned once it was left to this one. */
function claimsOf({ inventory }: Synchronization, pass: SyncPass, taken: readonly Contested[]): InventoryEntry[] {
  const wanted = taken.map(({ object }) => inventoryEntry(object));
  return [...wanted, ...staleEntries(pass.status.current.takenByOthers ?? [], [...inventory, ...wanted])];
}

/**
 * Throws TerminalError `TargetTaken` if another one has what is new. Then the status says what is wanted, and it stays
 * when the other one lets it go. What others wait for is left to them meanwhile: two that swap objects would wait for
 * ever.
 */
async function requireFree(decision: Synchronization, pass: SyncPass): Promise<void> {
  const taken = await findTaken(decision, pass);
  if (taken.length === 0) return;
  const { context, kube, kustomization: object, signal, status } = pass;
  status.current = { ...status.current, takenByOthers: claimsOf(decision, pass, taken) };
  await writeFresh({ kube, type: kustomizationResource, object, status }, signal);
  const entries = staleEntries(object.status?.inventory?.entries ?? [], decision.inventory);
  const { failures } = await letGo(pass, { context, intent: 'prune', entries, onlyOthers: true }, decision.objects);
  refuseFailures('delete', failures);
  throw new TerminalError(TARGET_TAKEN, whyTaken(taken));
}

async function pruneStale({ stale, objects }: Synchronization, pass: SyncPass, acted: Acted): Promise<Acted> {
  if (stale.length === 0) return acted;
  const { context } = pass;
  const { going, changes, failures } = await letGo(pass, { context, intent: 'prune', entries: stale }, objects);
  refuseInterruption(failures);
  if (failures.length === 0) return { ...acted, pruned: subjectsOf(going) };
  const message = `cannot delete ${failuresText(failures)}`;
  return { ...acted, cleared: changes.map(({ id }) => id), problem: { reason: 'PruneFailed', message } };
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

/**
 * Carries out a decision: applies, prunes and checks, each only after the one before it worked as a whole. Throws what
 * ends the reconciliation (see `isInterruption`).
 */
export async function act({ decision }: Plan, pass: SyncPass): Promise<Acted> {
  if (decision.kind === 'reject') return { changes: [], pruned: [], problem: pick(decision, 'reason', 'message') };
  await requireFree(decision, pass);
  const remember = once(() => writeAhead(decision, pass));
  const applied = await apply(decision, pass, remember);
  if (applied.problem !== undefined) return applied;
  await remember();
  const pruned = await pruneStale(decision, pass, applied);
  if (pruned.problem === undefined) pass.status.current = omit(pass.status.current, 'takenByOthers');
  return pruned.problem === undefined ? check(decision, pass, pruned) : pruned;
}
