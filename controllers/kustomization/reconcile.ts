import type { Kustomization, KustomizationStatus } from '#api/flux/kustomization.js';
import { withoutDryRun, asksForDryRun } from '#engine/dry-run/report.js';
import type { PassContext, Result } from '#runtime/controller.js';
import { parseKey } from '#lib/kube/keys.js';
import { ensureFinalizer, readDeleted } from '#engine/flux/finalizers.js';
import type { Conclusion } from '#engine/flux/model/conclusion.js';
import { needsNoWatch, reconcileInPhases } from '#engine/flux/reconcile.js';
import { act } from './act.js';
import { type Deps, type Pass, momentOf, passOver, writerOf } from './pass.js';
import { reconcileDryRun } from './dry-run.js';
import { finalize } from './finalize.js';
import { conclude, concludeError } from './model/conclude.js';
import { decide } from './model/decide.js';
import { findViolation, validate } from './validate.js';
import { observe } from './observe.js';
import { prepare } from './prepare.js';

/** Brings the objects of one Kustomization to their desired state. Throws what ends the reconciliation early. */
async function synchronize(start: Pass): Promise<Conclusion<KustomizationStatus>> {
  const valid = validate(start);
  const pass = await prepare(start, valid);
  const plan = decide(await observe(pass));
  const acted = await act(plan, pass);
  const durationMs = performance.now() - pass.startedAt;
  return conclude(plan, acted, { status: pass.status.current, moment: momentOf(pass), durationMs });
}

/** One that is rejected before anything was done needs no finalizer: at its end there is nothing to do. */
async function withFinalizer(cached: Kustomization, deps: Deps, signal: AbortSignal): Promise<Kustomization> {
  const isRejected = findViolation(cached, deps.settings) !== undefined;
  return isRejected ? cached : ensureFinalizer(writerOf(deps), cached, signal);
}

function reconcilePresent(pass: Pass): Promise<Result> {
  const { kustomization, status } = pass;
  status.current = withoutDryRun(status.current);
  return reconcileInPhases(pass, {
    reason: 'ReconciliationFailed',
    run: () => synchronize(pass),
    concludeError: (failure) =>
      concludeError(kustomization, failure, { status: status.current, moment: momentOf(pass) }),
  });
}

/**
 * The Kustomization as it is reconciled: as it is cached in a dry run, else with our finalizer, or as it is read again.
 * Undefined if nothing is to be done.
 */
async function resolve(deps: Deps, cached: Kustomization, { signal }: PassContext): Promise<Kustomization | undefined> {
  if (cached.metadata.deletionTimestamp !== undefined) return readDeleted(writerOf(deps), cached, signal);
  if (cached.spec.suspend === true) return undefined;
  return asksForDryRun(cached) ? cached : withFinalizer(cached, deps, signal);
}

/**
 * One reconciliation of one Kustomization.
 *
 *   missing -> nothing     deleted -> finalize     suspended -> nothing     dry run -> dry-run.ts
 *   else: validate, prepare, observe, decide, act, conclude; write the status
 */
export async function reconcile(deps: Deps, key: string, context: PassContext): Promise<Result> {
  const cached = deps.kustomizations.get(parseKey(key));
  if (needsNoWatch(cached)) deps.managed?.drop(key);
  if (cached === undefined) return {};
  const kustomization = await resolve(deps, cached, context);
  if (kustomization === undefined) return {};
  const pass = passOver(kustomization, deps, context);
  if (cached.metadata.deletionTimestamp !== undefined) return finalize(pass);
  return asksForDryRun(cached) ? reconcileDryRun(pass) : reconcilePresent(pass);
}
