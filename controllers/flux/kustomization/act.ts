import type { Kustomization, KustomizationStatus } from '#api/flux/kustomization.js';
import { healthRulesOf } from '../../engine/health/expressions.js';
import { waitForHealthy } from '../../engine/health/wait.js';
import type { PassContext } from '../../runtime/controller.js';
import { printDuration } from '../../runtime/pure/duration.js';
import type { ClusterContext } from '../shared/cluster-context.js';
import { reasonText } from '../shared/failure.js';
import type { KeptStatus } from '../shared/kept-status.js';
import { progressing, withCondition, type PassMoment } from '../shared/model/progress.js';
import { ActionError, failuresText, refuseInterruption } from '../shared/objects.js';
import { ownerOf } from './deps.js';
import { checksAfter, keepsInventory } from './model/after-apply.js';
import { timeoutMs } from './model/timing.js';
import type { Outcome, Plan } from './model/types.js';
import { prune, subjectsOf } from './prune.js';
import { applyStaged } from './staged-apply.js';

/** Milliseconds in which most checks are over. */
const SILENCE_MS = 1_000;

/** A pass whose plan is made. */
export interface Acting {
  readonly kustomization: Kustomization;
  readonly plan: Plan;
  readonly revision: string;
  readonly context: ClusterContext;
  readonly status: KeptStatus<KustomizationStatus>;
  readonly moment: PassMoment;
  readonly passContext: PassContext;
  /** Throws when the status that the plan was made from is out of date. */
  readonly requireFresh: () => Promise<void>;
}

type Done = Omit<Outcome, 'durationMs'>;

/** What is about to be created is in the inventory before it exists. */
async function remember({ plan, status, kustomization, requireFresh }: Acting): Promise<void> {
  const known = kustomization.status?.inventory?.entries ?? [];
  if (keepsInventory(plan, known)) return;
  await requireFresh();
  status.current = { ...status.current, inventory: { entries: [...plan.ahead] } };
  await status.write();
}

async function apply(acting: Acting): Promise<Done> {
  const { context, plan, kustomization } = acting;
  const force = kustomization.spec.force === true;
  const { changes, failures } = await applyStaged({
    context,
    objects: plan.objects,
    owner: ownerOf(kustomization),
    force,
  });
  refuseInterruption(failures);
  if (failures.length === 0) return { changes, pruned: [] };
  return { changes, pruned: [], problem: { reason: 'ReconciliationFailed', message: failuresText(failures) } };
}

async function pruneStale({ context, plan, kustomization, passContext }: Acting, done: Done): Promise<Done> {
  if (plan.stale.length === 0) return done;
  const request = { context, owner: ownerOf(kustomization), intent: 'prune', log: passContext.log } as const;
  try {
    const { going } = await prune(request, plan.stale, plan.objects);
    return { ...done, pruned: subjectsOf(going) };
  } catch (error: unknown) {
    if (!(error instanceof ActionError)) throw error;
    return { ...done, problem: { reason: 'PruneFailed', message: reasonText(error) } };
  }
}

function sayChecking({ status, moment, revision, kustomization }: Acting): void {
  const message = `Running health checks for revision ${revision} with a timeout of ${printDuration(timeoutMs(kustomization.spec))}`;
  const said = { type: 'Healthy', status: 'Unknown', reason: 'Progressing', message } as const;
  status.sayLater((current) => {
    // A failure stays said while the same revision is retried.
    const isRetry = current.lastAttemptedRevision === revision && isFailing(current);
    return isRetry ? undefined : withCondition(progressing(current, moment, message), moment, said);
  }, SILENCE_MS);
}

function isFailing({ conditions = [] }: KustomizationStatus): boolean {
  return conditions.some(({ type, status }) => type === 'Healthy' && status === 'False');
}

async function check(acting: Acting, done: Done): Promise<Done> {
  const { context, plan, kustomization } = acting;
  const { spec } = kustomization;
  const objects = checksAfter(spec, plan, done.changes);
  if (objects.length === 0) return done;
  const begun = performance.now();
  sayChecking(acting);
  const problem = await waitForHealthy({
    member: context.member,
    objects,
    defaultNamespace: context.namespace,
    timeoutMs: timeoutMs(spec),
    signal: context.signal,
    jobs: true,
    rules: healthRulesOf(spec.healthCheckExprs ?? []),
  });
  await acting.status.settle();
  const healthyAfterMs = performance.now() - begun;
  if (problem === undefined) return { ...done, healthyAfterMs };
  // Without the time that it took: the same failure again is no news.
  return { ...done, problem: { reason: 'HealthCheckFailed', message: `health check failed: ${problem}` } };
}

/** Applies, prunes and checks, each only after the one before it worked as a whole. Throws what ends a pass. */
export async function act(acting: Acting): Promise<Done> {
  await remember(acting);
  const applied = await apply(acting);
  if (applied.problem !== undefined) return applied;
  const pruned = await pruneStale(acting, applied);
  return pruned.problem === undefined ? check(acting, pruned) : pruned;
}
