import once from 'lodash/once.js';
import isEqual from 'lodash/isEqual.js';
import pick from 'lodash/pick.js';
import { kustomizationResource, type KustomizationStatus } from '#api/flux/kustomization.js';
import { waitForHealthy } from '#engine/health/wait.js';
import { printDuration } from '#lib/duration.js';
import { writeFresh } from '#engine/flux/fresh.js';
import { progressing, withCondition } from '#engine/flux/model/progress.js';
import { failuresText, refuseInterruption } from '#engine/flux/objects.js';
import { report } from '#engine/flux/write-status.js';
import { holderOf, keepersOf } from './holders.js';
import type { LookRequest } from './look.js';
import { checksAfter, keepsInventory } from './model/after-apply.js';
import { ownerOf } from './model/objects.js';
import { claiming } from './model/others.js';
import { timeoutMs } from './model/timing.js';
import type { Acted, Plan, Synchronization } from './model/types.js';
import type { SyncPass } from './prepare.js';
import { prune, subjectsOf, type PruneRequest } from './prune.js';
import { applyStaged } from './staged-apply.js';
import { appliedIds, failed, findTaken, letGo, lookAtOthers, refused } from './taken.js';
import { momentOf } from './pass.js';

/** Milliseconds in which most checks are over. */
const SILENCE_MS = 1_000;

/**
 * Puts into the inventory, first of all, each object that is about to be created or taken: it is ours from then on, and
 * nothing is pruned by an old read.
 */
async function writeAhead(decision: Synchronization, pass: SyncPass): Promise<void> {
  const { kube, kustomization: object, signal, status } = pass;
  const claimed = claiming(status.current, appliedIds(decision));
  const isSame = isEqual(claimed, status.current);
  if (isSame && keepsInventory(decision, object.status?.inventory?.entries ?? [])) return;
  report({ status: { ...claimed, inventory: { entries: [...decision.ahead] } } }, pass);
  await writeFresh({ kube, type: kustomizationResource, object, status }, signal);
}

function lookRequest(pass: SyncPass): LookRequest {
  const { context, ignored, kustomization } = pass;
  const force = kustomization.spec.force === true;
  return { context, ignored, owner: ownerOf(kustomization), force, holderOf: holderOf(pass) };
}

async function apply(decision: Synchronization, pass: SyncPass, beforeWrites: () => Promise<void>): Promise<Acted> {
  const request = lookRequest(pass);
  const taken = await findTaken(decision, pass, request);
  if (taken.length > 0) return { changes: [], pruned: [], ...refused(taken), ...(await letGo(decision, pass)) };
  const { objects, isFirst } = decision;
  const known = new Set((pass.kustomization.status?.inventory?.entries ?? []).map(({ id }) => id));
  const { failures, ...done } = await applyStaged({ ...request, objects, known, isFirst, beforeWrites });
  refuseInterruption(failures);
  if (failures.length === 0) return { ...done, pruned: [] };
  return { ...done, pruned: [], ...failed(failures), ...(await letGo(decision, pass)) };
}

async function pruneStale({ stale, objects }: Synchronization, pass: SyncPass, acted: Acted): Promise<Acted> {
  if (stale.length === 0) return acted;
  const { context, kustomization, log } = pass;
  const owner = ownerOf(kustomization);
  const request: PruneRequest = { context, owner, intent: 'prune', log, keepersOf: (ids) => keepersOf(pass, ids) };
  const { going, changes, failures, left } = await prune(request, stale, objects);
  refuseInterruption(failures);
  if (failures.length === 0) return { ...acted, left, pruned: subjectsOf(going) };
  const message = `cannot delete ${failuresText(failures)}`;
  const cleared = changes.map(({ id }) => id).filter((id) => !left.has(id));
  return { ...acted, left, cleared, problem: { reason: 'PruneFailed', message } };
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
  const remember = once(() => writeAhead(decision, pass));
  const applied = await apply(decision, pass, remember);
  if (applied.problem !== undefined) return applied;
  await remember();
  const pruned = await pruneStale(decision, pass, { ...applied, ...(await lookAtOthers(decision, pass, applied)) });
  return pruned.problem === undefined ? check(decision, pass, pruned) : pruned;
}
