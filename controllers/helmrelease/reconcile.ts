import type { HelmRelease, HelmReleaseStatus } from '#api/flux/helm-release.js';
import { withoutDryRun, asksForDryRun } from '#engine/dry-run/report.js';
import type { PassContext, Result } from '#runtime/controller.js';
import { parseKey } from '#lib/kube/keys.js';
import { ensureFinalizer, readDeleted } from '#engine/flux/finalizers.js';
import type { Conclusion, Failure } from '#engine/flux/model/conclusion.js';
import { readRequests } from '#engine/flux/model/requests.js';
import { needsNoWatch, reconcileInPhases } from '#engine/flux/reconcile.js';
import { report } from '#engine/flux/write-status.js';
import { act } from './act.js';
import { type Deps, type Pass, momentOf, passOver, writerOf } from './pass.js';
import { reconcileDryRun } from './dry-run.js';
import { finalize } from './finalize.js';
import { requireFreeTarget } from './same-target.js';
import { conclude, concludeError } from './model/conclude.js';
import { decide, type Progress } from './model/decide.js';
import { leaveOldTarget } from './uninstall.js';
import { settleAtRest } from './namespace-metadata.js';
import { observe } from './observe.js';
import { prepare, reportAttempt, reportPreparing } from './prepare.js';
import { validate } from './validate.js';

/**
 * Brings one release to its desired state: observe, decide on one action, act, conclude, and again, until nothing is
 * left to do now. Throws what ends the reconciliation.
 */
async function rollOut(start: Pass): Promise<Conclusion<HelmReleaseStatus>> {
  const { healthRules } = validate(start);
  const pass = await prepare(start, healthRules);
  await requireFreeTarget(pass);
  const moved = await leaveOldTarget(pass);
  if (moved !== undefined) return moved;
  reportAttempt(pass);
  const { dependencyRequeueMs } = pass.settings;
  let progress: Progress = { actions: [], resumed: false };
  for (;;) {
    const observed = await observe(pass, progress);
    const plan = decide(observed);
    report(plan, pass);
    const acted = await act(plan, pass, observed.differences);
    const then = { status: pass.status.current, moment: momentOf(pass), dependencyRequeueMs };
    const conclusion = conclude(plan, acted, then);
    await settleAtRest(plan, pass, conclusion);
    const { next } = conclusion;
    if (next.kind === 'requeue') return { ...conclusion, next };
    report(conclusion, pass);
    if (next.kind === 'fail') throw next.error;
    progress = plan.progress;
  }
}

async function concludeRollOut(pass: Pass): Promise<Conclusion<HelmReleaseStatus>> {
  const { status, ...end } = await rollOut(pass);
  return { ...end, status: { ...status, ...readRequests(pass.release).handled } };
}

function concludeFailed(failure: Failure, pass: Pass): Conclusion<HelmReleaseStatus> {
  const { release, settings, status } = pass;
  const { dependencyRequeueMs } = settings;
  return concludeError(release, failure, { status: status.current, moment: momentOf(pass), dependencyRequeueMs });
}

function reconcilePresent(pass: Pass): Promise<Result> {
  pass.status.current = withoutDryRun(pass.status.current);
  reportPreparing(pass, []);
  return reconcileInPhases(pass, {
    reason: 'ReconcileError',
    run: () => concludeRollOut(pass),
    concludeError: (failure) => concludeFailed(failure, pass),
  });
}

/**
 * The release as it is reconciled: as it is cached in a dry run, else with our finalizer, or as it is read again.
 * Undefined if nothing is to be done.
 */
async function resolve(deps: Deps, cached: HelmRelease, { signal }: PassContext): Promise<HelmRelease | undefined> {
  if (cached.metadata.deletionTimestamp !== undefined) return readDeleted(writerOf(deps), cached, signal);
  if (cached.spec.suspend === true) return undefined;
  return asksForDryRun(cached) ? cached : ensureFinalizer(writerOf(deps), cached, signal);
}

/**
 * One reconciliation of one HelmRelease.
 *
 *   missing -> nothing     deleted -> finalize     suspended -> nothing     dry run -> dry-run.ts
 *   else: validate, prepare, then observe, decide, act and conclude until done; write the status
 */
export async function reconcile(deps: Deps, key: string, context: PassContext): Promise<Result> {
  const cached = deps.releases.get(parseKey(key));
  if (needsNoWatch(cached)) deps.managed?.drop(key);
  if (cached === undefined) return {};
  const release = await resolve(deps, cached, context);
  if (release === undefined) return {};
  const pass = passOver(release, deps, context);
  if (cached.metadata.deletionTimestamp !== undefined) return finalize(pass);
  return asksForDryRun(cached) ? reconcileDryRun(pass) : reconcilePresent(pass);
}
