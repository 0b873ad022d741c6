import omit from 'lodash/omit.js';
import once from 'lodash/once.js';
import partition from 'lodash/partition.js';
import pick from 'lodash/pick.js';
import sortBy from 'lodash/sortBy.js';
import { kustomizationResource, type KustomizationStatus } from '#api/flux/kustomization.js';
import { waitForHealthy } from '#engine/health/wait.js';
import type { ObjectFailure } from '#engine/member/member-failure.js';
import { staleEntries } from '#engine/member/model/inventory.js';
import { printDuration } from '#lib/duration.js';
import { writeFresh } from '#engine/flux/fresh.js';
import { progressing, withCondition } from '#engine/flux/model/progress.js';
import { failuresText, refuseInterruption } from '#engine/flux/objects.js';
import { report } from '#engine/flux/write-status.js';
import { checksAfter, keepsInventory } from './model/after-apply.js';
import { TakenError, TARGET_TAKEN, whyTaken } from './model/neighbours.js';
import { ownerOf } from './model/objects.js';
import { timeoutMs } from './model/timing.js';
import type { Acted, Plan, Synchronization } from './model/types.js';
import type { SyncPass } from './prepare.js';
import { haveOthers, holdersFor, keepersIn } from './neighbours.js';
import { letGo, sayLeft, subjectsOf } from './prune.js';
import { applyStaged } from './staged-apply.js';
import { momentOf } from './pass.js';

/** Milliseconds in which most checks are over. */
const SILENCE_MS = 1_000;

/** What is about to be created is in the inventory before it exists; nothing is pruned by an old read. */
async function writeAhead(decision: Synchronization, pass: SyncPass): Promise<void> {
  const known = pass.kustomization.status?.inventory?.entries ?? [];
  if (keepsInventory(decision, known)) return;
  // Objects that others have may be theirs: a process that ends now must not take them for its own.
  const coming = staleEntries(decision.ahead, known);
  const { sharers } = keepersIn(pass, coming)();
  const entries = decision.ahead.filter(({ id }) => !sharers.has(id) || known.some((each) => each.id === id));
  const claims = staleEntries(pass.status.current.claims ?? [], entries);
  report(
    {
      status: {
        ...omit(pass.status.current, 'claims'),
        ...(claims.length === 0 ? {} : { claims }),
        inventory: { entries },
      },
    },
    pass,
  );
  const { kube, kustomization: object, signal, status } = pass;
  await writeFresh({ kube, type: kustomizationResource, object, status }, signal);
}

/** The end of an apply in which objects failed. */
function failed(failures: readonly ObjectFailure[]): NonNullable<Acted['problem']> {
  // In one order: the same message is no news.
  const [mine, others] = partition(sortBy(failures, 'subject'), ({ error }) => error instanceof TakenError);
  const taken = mine.flatMap(({ error }) => (error instanceof TakenError ? [error] : []));
  if (taken.length === 0) return { reason: 'ReconciliationFailed', message: failuresText(failures) };
  const rest = others.length === 0 ? '' : `; ${failuresText(others)}`;
  return { reason: TARGET_TAKEN, message: `spec.path: ${whyTaken(taken)}${rest}` };
}

/** Ids that the files lack, and others wait for: two that swap objects would wait for ever if they kept these. */
function leftToOthers({ inventory }: Synchronization, pass: SyncPass): string[] {
  const lacking = staleEntries(pass.kustomization.status?.inventory?.entries ?? [], inventory);
  const { sharers, claimants } = keepersIn(pass, lacking)();
  const left = [...claimants].filter(([id]) => !sharers.has(id));
  sayLeft(
    pass,
    left.map(([id, name]) => `${id} is left in place: Kustomization ${name} waits for it`),
  );
  return left.map(([id]) => id);
}

async function apply(decision: Synchronization, pass: SyncPass, beforeWrites: () => Promise<void>): Promise<Acted> {
  const { objects } = decision;
  // New objects are created at once, unless another one may have some of them: then nothing is written first.
  const isFirst = decision.isFirst && !haveOthers(pass, decision.inventory);
  const { context, ignored, kustomization } = pass;
  const force = kustomization.spec.force === true;
  const known = new Set((kustomization.status?.inventory?.entries ?? []).map(({ id }) => id));
  const looks = { context, ignored, owner: ownerOf(kustomization), force, holderOf: holdersFor(pass) };
  const { failures, ...done } = await applyStaged({ ...looks, objects, known, isFirst, beforeWrites });
  refuseInterruption(failures);
  if (failures.length === 0) return { ...done, pruned: [] };
  const problem = failed(failures);
  const left = problem.reason === TARGET_TAKEN ? leftToOthers(decision, pass) : [];
  return { ...done, pruned: [], left, problem };
}

/** Others see at once what is applied, and not only when it is healthy. */
async function listApplied({ ahead }: Synchronization, { status }: SyncPass): Promise<void> {
  if (staleEntries(ahead, status.current.inventory?.entries ?? []).length === 0) return;
  status.current = { ...status.current, inventory: { entries: [...ahead] } };
  await status.write();
}

/** Others need not leave what the files lack now; told before anybody prunes by the same revision. */
async function forgetClaims({ inventory }: Synchronization, { status }: SyncPass): Promise<void> {
  const claims = status.current.claims ?? [];
  const unwanted = staleEntries(claims, inventory);
  if (unwanted.length === 0) return;
  status.current = { ...status.current, claims: staleEntries(claims, unwanted) };
  await status.write();
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
  const { context, healthRules, kustomization, endedBy } = pass;
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
    endedBy,
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
  await forgetClaims(decision, pass);
  const remember = once(() => writeAhead(decision, pass));
  const applied = await apply(decision, pass, remember);
  if (applied.problem !== undefined) return applied;
  await remember();
  await listApplied(decision, pass);
  const pruned = await pruneStale(decision, pass, applied);
  return pruned.problem === undefined ? check(decision, pass, pruned) : pruned;
}
