import type { Application } from '#api/v1alpha1/application.js';
import { asksForDryRun } from '#engine/dry-run/report.js';
import type { Result } from '#runtime/controller.js';
import { PartialError } from '#lib/errors.js';
import { keyOf, parseKey } from '#lib/kube/keys.js';
import { soonest } from '#lib/duration.js';
import { askAboutClusters } from './absences.js';
import { act, type Carrying, haltAll, publishDryRun } from './act.js';
import type { Pass } from './deps.js';
import { finalize } from './finalize.js';
import { conclude } from './model/conclude.js';
import { clusterIdOf } from './model/child/cluster.js';
import { removedUnseen } from './model/clusters/leaving.js';
import { haltsOf } from './model/clusters/replaced.js';
import { decide, type Plan } from './model/decide.js';
import type { World } from './model/children/world.js';
import { observe } from './observe.js';
import { outdating, resolve, type ResolvedApplication } from './resolve.js';
import { keepRevision } from './revisions.js';
import { planAhead } from './simulate.js';
import { writeStatus } from './write-status.js';

function throwFailures({ metadata }: Application, errors: readonly unknown[]): void {
  if (errors.length === 0) return;
  throw new PartialError(`${errors.length} writes for Application ${keyOf(metadata)} failed`, errors);
}

/** Acts and writes the status: the same for a roll-out and a deletion. True: what is left to do is not waited for. */
async function carryOut(plan: Plan, carrying: Carrying, pass: Pass): Promise<boolean> {
  const acted = await act(plan, carrying, pass);
  if (!acted.incomplete) await writeStatus(conclude(plan, acted, pass.now()), pass);
  if (!acted.incomplete || acted.isLate) throwFailures(plan.application, acted.errors);
  return acted.isLate;
}

/**
 * Keeps the revision that the spec is, before anything is decided with its number. Returns why it could not be kept;
 * undefined: it is kept, or there is nothing to keep.
 */
async function saveRevision(
  application: Application,
  resolved: ResolvedApplication,
  pass: Pass,
): Promise<Error | undefined> {
  const { history } = resolved.revisions ?? {};
  if (history?.create === undefined || asksForDryRun(application)) return undefined;
  // A failure is tried again, and reported, with the plan.
  await haltAll(haltsOf(observe(application, resolved, pass)), application, pass);
  return keepRevision(history, pass);
}

function withUnkept(resolved: ResolvedApplication, unkept: Error | undefined): ResolvedApplication {
  const { revisions } = resolved;
  if (revisions === undefined || unkept === undefined) return resolved;
  return { ...resolved, revisions: { ...revisions, unkept: unkept.message } };
}

interface Decided {
  readonly world: World;
  readonly plan: Plan;
}

/**
 * A plan that removes nothing because the inventory lacks a cluster, unless the API server just said that it does not
 * exist: caches may be outdated. No await between observing who holds a release and reserving it. Undefined: something
 * changed meanwhile.
 */
async function decideSurely(
  application: Application,
  resolved: ResolvedApplication,
  pass: Pass,
): Promise<Decided | undefined> {
  const key = keyOf(application.metadata);
  const asked = new Set<string | undefined>();
  while (!resolved.isOutdated()) {
    const observed = observe(application, resolved, pass);
    const plan = decide(observed, pass.rules.policy);
    const unsure = [
      ...removedUnseen(plan.steps, observed.clusters),
      ...pass.absences.due(key, observed.owned, pass.now()),
    ];
    const open = unsure.filter((child) => !asked.has(clusterIdOf(child)));
    if (open.length === 0) return { world: observed, plan };
    await askAboutClusters(key, open, pass);
    for (const child of open) asked.add(clusterIdOf(child));
  }
  return undefined;
}

/** A plan, with the revision that it is about kept before; undefined: something changed meanwhile. */
async function planOf(application: Application, resolved: ResolvedApplication, pass: Pass) {
  const unkept = resolved.isOutdated() ? undefined : await saveRevision(application, resolved, pass);
  const decided = await decideSurely(application, withUnkept(resolved, unkept), pass);
  const failures = unkept === undefined ? [] : [unkept];
  if (decided !== undefined) return { ...decided, failures };
  // Whether its clusters matched all the time is not known.
  pass.unmatched.forget(keyOf(application.metadata));
  // At once, it would fail again.
  if (unkept !== undefined) throw unkept;
  return undefined;
}

async function rollOut(application: Application, pass: Pass): Promise<Result> {
  const key = keyOf(application.metadata);
  const resolved = await resolve(application, pass);
  // The template has no status yet; its first one triggers the next reconciliation.
  if (resolved === 'pending') return {};
  const planned = await planOf(application, resolved, pass);
  if (planned === undefined) return { requeueAfterMs: 0 };
  const { plan, failures } = planned;
  pass.unmatched.remember(key, plan.leaving, pass.steadyNow());
  if (asksForDryRun(application)) await publishDryRun(await planAhead(planned, pass), pass);
  else if (await carryOut(plan, { isOutdated: outdating(application, pass), failures }, pass)) {
    return { requeueAfterMs: 0 };
  }
  const requeueAfterMs = soonest([plan.retryAfterMs, resolved.retryAfterMs]);
  return requeueAfterMs === undefined ? {} : { requeueAfterMs };
}

/**
 * Reconciles one Application: resolve, observe, decide, act, conclude, write status. Level-based: nothing is remembered
 * between reconciliations. Our finalizer is added just before the first status (before the first child if the policy is
 * Orphan): until then the API server deletes the children by their owner references.
 */
export async function reconcile(key: string, pass: Pass): Promise<Result> {
  const application = pass.applications.get(parseKey(key));
  if (application === undefined) {
    pass.unmatched.forget(key);
    pass.counted.forget(key);
    pass.absences.forget(key);
    pass.awaited.forget(key);
    return {};
  }
  if (application.metadata.deletionTimestamp === undefined) return rollOut(application, pass);
  const deletion = await finalize(application, pass);
  if (deletion !== undefined) await carryOut(deletion, { isOutdated: () => false, failures: [] }, pass);
  return {};
}
