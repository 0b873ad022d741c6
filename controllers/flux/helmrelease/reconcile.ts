import { LostArtifactError } from '../../engine/artifact/lost-artifact.js';
import type { PassContext, Result } from '../../runtime/controller.js';
import { CancelledError, TerminalError } from '../../runtime/pure/errors.js';
import { parseKey } from '../../runtime/pure/keys.js';
import { problemOf } from '../shared/failure.js';
import { ensureFinalizer } from '../shared/finalizers.js';
import { StaleReadError } from '../shared/fresh.js';
import { readRequests } from '../shared/model/requests.js';
import { act } from './act.js';
import type { Deps, Pass } from './deps.js';
import { finalize } from './finalize.js';
import { conclude, type Conclusion } from './model/conclude.js';
import { concludeError } from './model/conclude-error.js';
import { decide, type Progress } from './model/decide.js';
import { leaveOldTarget } from './move.js';
import { observe } from './observe.js';
import { prepare, reportAttempt, reportPreparing } from './prepare.js';
import { validate } from './validate.js';
import type { HelmRelease } from './model/types.js';
import { momentOf, passOver, report, writerOf, writeStatus } from './write-status.js';

/**
 * Brings one release to its desired state: observe, decide on one action, act, conclude, and again, until nothing is
 * left to do now. Throws what ends the reconciliation.
 */
async function rollOut(start: Pass): Promise<Conclusion> {
  const { healthRules } = validate(start);
  const pass = await prepare(start, healthRules);
  const moved = await leaveOldTarget(pass);
  if (moved !== undefined) return moved;
  reportAttempt(pass);
  let progress: Progress = { actions: [], resumed: false };
  for (;;) {
    const observed = await observe(pass, progress);
    const plan = decide(observed);
    report(plan, pass);
    const acted = await act(plan, pass, observed.differences);
    const conclusion = conclude(plan, acted, { status: pass.status.current, moment: momentOf(pass) });
    if (conclusion.next.kind === 'requeue') return conclusion;
    report(conclusion, pass);
    if (conclusion.next.kind === 'fail') throw conclusion.next.error;
    progress = plan.progress;
  }
}

function concludeFailed(error: unknown, pass: Pass): Conclusion {
  const { release, settings, status, log } = pass;
  if (error instanceof TerminalError) {
    log.warn({ reason: error.reason, err: error.message }, 'release cannot be reconciled');
  }
  const problem = problemOf(error, 'ReconcileError');
  const isLostArtifact = error instanceof LostArtifactError;
  const { dependencyRequeueMs } = settings;
  const now = { status: status.current, moment: momentOf(pass), dependencyRequeueMs };
  return concludeError(release, { error, problem, isLostArtifact }, now);
}

/** Whatever ends a roll-out ends in a conclusion, except for what says nothing about the release. */
async function concludeRollOut(pass: Pass): Promise<Conclusion> {
  try {
    const { status, ...end } = await rollOut(pass);
    return { ...end, status: { ...status, ...readRequests(pass.release).handled } };
  } catch (error: unknown) {
    // Conclusions from an old read would undo what has been written since.
    if (error instanceof CancelledError || error instanceof StaleReadError) throw error;
    return concludeFailed(error, pass);
  }
}

async function reconcilePresent(pass: Pass): Promise<Result> {
  reportPreparing(pass, []);
  try {
    const conclusion = await concludeRollOut(pass);
    await writeStatus(conclusion, pass);
    if (conclusion.next.kind === 'fail') throw conclusion.next.error;
    return conclusion.next.kind === 'requeue' ? { requeueAfterMs: conclusion.next.afterMs } : {};
  } finally {
    await pass.status.settle();
  }
}

function needsNoWatch(release: HelmRelease | undefined): boolean {
  return release === undefined || release.metadata.deletionTimestamp !== undefined || release.spec.suspend === true;
}

/**
 * One reconciliation of one HelmRelease.
 *
 *   missing -> nothing     deleted -> finalize     suspended -> nothing
 *   else: validate, prepare, then observe, decide, act and conclude until done; write the status
 */
export async function reconcile(deps: Deps, key: string, context: PassContext): Promise<Result> {
  const cached = deps.releases.get(parseKey(key));
  if (needsNoWatch(cached)) deps.managed?.drop(key);
  if (cached === undefined) return {};
  if (cached.metadata.deletionTimestamp !== undefined) return finalize(deps, cached, context);
  if (cached.spec.suspend === true) return {};
  const release = await ensureFinalizer(writerOf(deps), cached, context.signal);
  return reconcilePresent(passOver(release, deps, context));
}
