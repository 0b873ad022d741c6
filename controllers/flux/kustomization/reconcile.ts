import type { Artifact } from '#api/flux/common.js';
import { kustomizationResource, type Kustomization, type KustomizationStatus } from '#api/flux/kustomization.js';
import pick from 'lodash/pick.js';
import { LostArtifactError } from '../../engine/artifact/lost-artifact.js';
import { healthRulesOf } from '../../engine/health/expressions.js';
import type { PassContext, Result } from '../../runtime/controller.js';
import { isTrue, timestamp } from '../../runtime/pure/conditions.js';
import { CancelledError, ConflictError, TerminalError, WaitingError } from '../../runtime/pure/errors.js';
import { keyOf, parseKey } from '../../runtime/pure/keys.js';
import type { ClusterContext } from '../shared/cluster-context.js';
import { requireDependencies } from '../shared/dependencies.js';
import { watchInventory } from '../shared/drift.js';
import { problemOf } from '../shared/failure.js';
import { ensureFinalizer } from '../shared/finalizers.js';
import { requireFreshRead, StaleReadError } from '../shared/fresh.js';
import type { KeptStatus } from '../shared/kept-status.js';
import { notReady, preparing, type PassMoment } from '../shared/model/progress.js';
import { readRequests } from '../shared/model/requests.js';
import { serviceAccountOf } from '../shared/model/service-account.js';
import { intervalMs } from '../shared/model/timing.js';
import { targetCluster } from '../shared/target-cluster.js';
import { act } from './act.js';
import { FIELD_MANAGER, keptStatus, writerOf, type Deps } from './deps.js';
import { finalize } from './finalize.js';
import { conclude, failureEvents, type Conclusion, type Event } from './model/conclude.js';
import { decide } from './model/decide.js';
import { staleDependency } from './model/same-source.js';
import { findViolation } from './model/validate.js';
import type { Outcome } from './model/types.js';
import { observe, sourceArtifact } from './observe.js';

/** Milliseconds in which most passes have something to say of themselves. */
const SILENCE_MS = 1_000;
/** A watch that is new to a Kustomization shows no change from before it. */
const UNSEEN_MS = 1_000;

interface Pass {
  readonly deps: Deps;
  readonly kustomization: Kustomization;
  readonly status: KeptStatus<KustomizationStatus>;
  readonly moment: PassMoment;
  readonly passContext: PassContext;
}

function momentOf({ now }: Pick<Deps, 'now'>, { metadata }: Kustomization): PassMoment {
  return {
    generation: metadata.generation ?? 0,
    // Read again for each condition: a pass may take minutes, and a transition has its own time.
    get now() {
      return timestamp(now());
    },
  };
}

/** Reads, decides and acts; what came of it is for `conclude`. */
async function run(pass: Pass, artifact: Artifact): Promise<Conclusion> {
  const { deps, kustomization, status, moment, passContext } = pass;
  const { signal } = passContext;
  const begun = performance.now();
  const member = await targetCluster(deps, kustomization, signal);
  const observed = await observe(deps, kustomization, { artifact, member, signal });
  const known = 'message' in observed ? { artifact, digest: '' } : observed;
  const plan = 'message' in observed ? observed : decide(kustomization, observed);
  const finish = (done: Omit<Outcome, 'durationMs'>): Conclusion => {
    const outcome = { ...done, durationMs: performance.now() - begun };
    return conclude({ kustomization, status: status.current, observed: known, plan, outcome, moment });
  };
  if (plan.kind === 'reject') return finish({ changes: [], pruned: [], problem: pick(plan, 'reason', 'message') });
  // Namespaced objects without a namespace were rejected: nothing lands where it was not said to.
  const context: ClusterContext = { member, fieldManager: FIELD_MANAGER, namespace: '', signal };
  const read = { kube: deps.kube, type: kustomizationResource, object: kustomization, status };
  const requireFresh = (): Promise<void> => requireFreshRead(read, signal);
  const { revision } = artifact;
  return finish(await act({ kustomization, plan, revision, context, status, moment, passContext, requireFresh }));
}

/** Has the objects watched; true when something may have changed before. */
async function keepWatched({ deps, kustomization, status, passContext }: Pass): Promise<boolean> {
  const { managed, settings } = deps;
  if (managed === undefined) return false;
  const owner = keyOf(kustomization.metadata);
  // A watch takes all namespaces, which a tenant's account may not read: its drift is noticed at the interval.
  if (serviceAccountOf(kustomization, settings.defaultServiceAccount) !== undefined) {
    managed.drop(owner);
    return false;
  }
  const member = await targetCluster(deps, kustomization, passContext.signal);
  const context = { member, fieldManager: FIELD_MANAGER, namespace: '', signal: passContext.signal };
  const entries = status.current.inventory?.entries ?? [];
  return watchInventory(context, managed, { owner, entries });
}

async function reconcilePresent(pass: Pass): Promise<Result> {
  const { deps, kustomization, status, moment } = pass;
  // Expressions that do not compile are the first thing to say.
  healthRulesOf(kustomization.spec.healthCheckExprs ?? []);
  const artifact = sourceArtifact(deps, kustomization);
  requireDependencies(deps.settings, deps.kustomizations, kustomization, (dependency) =>
    staleDependency(kustomization, dependency, artifact.revision),
  );
  status.sayLater((current) => preparing(current, moment, ['DependencyNotReady', 'ArtifactFailed']), SILENCE_MS);
  const { status: next, events, requeueAfterMs } = await run(pass, artifact);
  status.current = { ...status.current, ...next, conditions: next.conditions ?? [] };
  await status.write();
  recordEvents(pass, events);
  const isReady = isTrue(next.conditions, 'Ready');
  return { requeueAfterMs: isReady && (await keepWatched(pass)) ? UNSEEN_MS : requeueAfterMs };
}

/** A lost artifact is a matter of our own store: while all is as it should be, no news for its user. */
function isNews({ status, metadata }: Kustomization, error: unknown): boolean {
  if (!(error instanceof LostArtifactError)) return true;
  return !(isTrue(status?.conditions, 'Ready') && status?.observedGeneration === metadata.generation);
}

function recordEvents({ deps, kustomization }: Pass, events: readonly Event[]): void {
  for (const { type, reason, message } of events) deps.events.record(kustomization, type, reason, message);
}

async function recordError(pass: Pass, error: unknown): Promise<void> {
  const { kustomization, status, moment } = pass;
  // A conflict says nothing of the Kustomization, but what was done before it must not be forgotten.
  if (error instanceof ConflictError || !isNews(kustomization, error)) return status.write();
  const problem = problemOf(error, 'ReconciliationFailed');
  status.current = notReady(status.current, moment, problem);
  status.current = { ...status.current, ...pick(readRequests(kustomization).handled, 'lastHandledReconcileAt') };
  await status.write();
  // What waits for something else may only be early.
  const type = error instanceof WaitingError ? 'Normal' : 'Warning';
  recordEvents(pass, failureEvents(kustomization, problem, type));
}

async function attempt(pass: Pass, work: () => Promise<Result>): Promise<Result> {
  const { kustomization, passContext, status } = pass;
  try {
    return await work();
  } catch (error: unknown) {
    if (error instanceof CancelledError || error instanceof StaleReadError) throw error;
    await recordError(pass, error);
    if (!(error instanceof TerminalError)) throw error;
    passContext.log.warn({ reason: error.reason, err: error.message }, 'Kustomization cannot be reconciled');
    return { requeueAfterMs: intervalMs(kustomization.spec, kustomization.metadata.uid ?? '') };
  } finally {
    await status.settle();
  }
}

function passOver(deps: Deps, kustomization: Kustomization, passContext: PassContext): Pass {
  const moment = momentOf(deps, kustomization);
  return { deps, kustomization, status: keptStatus(deps, kustomization), moment, passContext };
}

function isLeftAlone(kustomization: Kustomization | undefined): boolean {
  return kustomization?.metadata.deletionTimestamp !== undefined || kustomization?.spec.suspend === true;
}

/**
 * One pass over one Kustomization.
 *
 *   gone -> nothing     deleted -> finalize     suspended -> nothing     rejected -> status
 *   else: source -> dependencies -> build -> decide -> apply -> prune -> check -> conclude -> status
 */
export async function reconcileKustomization(deps: Deps, key: string, passContext: PassContext): Promise<Result> {
  const kustomization = deps.kustomizations.get(parseKey(key));
  if (kustomization === undefined || isLeftAlone(kustomization)) deps.managed?.drop(key);
  if (kustomization === undefined) return {};
  if (kustomization.metadata.deletionTimestamp !== undefined) return finalize(deps, kustomization, passContext);
  if (kustomization.spec.suspend === true) return {};
  const violation = findViolation(kustomization, deps.settings);
  if (violation !== undefined) {
    const refusal = new TerminalError(violation.reason, violation.message);
    return attempt(passOver(deps, kustomization, passContext), () => Promise.reject(refusal));
  }
  const pass = passOver(deps, await ensureFinalizer(writerOf(deps), kustomization, passContext.signal), passContext);
  return attempt(pass, () => reconcilePresent(pass));
}
