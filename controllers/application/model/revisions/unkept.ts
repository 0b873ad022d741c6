import { APPLICATION_REVISION } from '#api/v1alpha1/labels.js';
import { describeObject } from '#controllers/runtime/pure/urls.js';
import { clusterText } from '../cluster.js';
import type { Finding } from '../conditions.js';
import type { Plan } from '../decide.js';
import { plannedEvents } from '../events.js';
import type { Step } from '../verdicts.js';
import { parseRevision } from './history.js';

type Write = Extract<Step, { op: 'create' | 'update' }>;
type Removal = Extract<Step, { op: 'delete' | 'suspend' }>;

/** True for a step that writes what only the new revision says. */
function needs(step: Step, revision: number): step is Write {
  if (step.op !== 'create' && step.op !== 'update') return false;
  return parseRevision(step.object.metadata.annotations?.[APPLICATION_REVISION]) === revision;
}

function isRemoval(step: Step): step is Removal {
  return step.op === 'delete' || step.op === 'suspend';
}

/** Clusters where something waits, or would wait, to be installed or updated. */
function waitingClusters(steps: readonly Step[], revision: number): ReadonlySet<string> {
  const clusters = steps.flatMap((step) => {
    const isNew = step.op === 'wait' && step.live === undefined;
    return needs(step, revision) || isNew ? [step.entry.release.cluster] : [];
  });
  return new Set(clusters);
}

/** What would replace a release may wait, so on its cluster none is removed. */
function heldSteps(steps: readonly Step[], revision: number, why: string): Step[] {
  const clusters = waitingClusters(steps, revision);
  return steps.map((step): Step => {
    if (needs(step, revision)) {
      const live = step.op === 'update' ? step.live : undefined;
      return { op: 'wait', entry: step.entry, live, why, hold: 'Release' };
    }
    if (!isRemoval(step) || !clusters.has(clusterText(step.live.spec.kubeConfig))) return step;
    return { op: 'spare', live: step.live, why: `because a destination on its cluster waits: ${why}`, hold: 'Removal' };
  });
}

/** Until the revision is kept, its number is of no revision: what is remembered of the last one stays. */
function findingBefore({ application, finding }: Plan, message: string): Finding {
  const { history, rollout } = application.status ?? {};
  const violation = { reason: 'RevisionNotKept', message } as const;
  const rolledOut = finding.rolledOut && ({ status: 'False', ...violation } as const);
  return { ...finding, missing: finding.missing ?? violation, history, rollout, rolledOut };
}

/**
 * The plan without what needs the revision that could not be kept. The rest goes on: what is healed to earlier
 * revisions, and removals. Never throws.
 */
export function withoutRevision(plan: Plan, { message: cause }: Error): Plan {
  const create = plan.history?.create;
  if (create === undefined) return plan;
  const { name, namespace } = create.metadata;
  const object = describeObject('ControllerRevision', { name, namespace });
  const message = `revision ${create.revision} cannot be kept, so nothing is updated to it: cannot create ${object}: ${cause}; make room for it (ResourceQuota), or let it be created (RBAC, admission webhooks)`;
  const steps = heldSteps(plan.steps, create.revision, `revision ${create.revision} cannot be kept`);
  return { ...plan, steps, events: plannedEvents(steps), finding: findingBefore(plan, message) };
}
