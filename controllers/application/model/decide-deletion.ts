import type { Application } from '#api/v1alpha1/application.js';
import { mayDelete } from '../../deletion/rule.js';
import { clusterNameOf } from './clusters/child-cluster.js';
import { emptyPlan, type Plan } from './decide.js';
import { abandonedOf, abandonWarning, deletionPolicyOf, waitingMessage } from './deletion.js';
import { plannedEvents } from './events.js';
import { isInstalledOnce } from './once.js';
import { terminatingRow } from './rows.js';
import { isTerminating } from './state.js';
import type { Child, Step } from './types.js';

/** Asks the deletion rule about a child of an Application that is being deleted. */
function deletionOf(live: Child, application: Application): Step[] {
  const { allowed, guard, why } = mayDelete({
    subject: 'child',
    intent: 'application',
    owned: true,
    isTerminating: isTerminating(live),
    complete: true,
    policy: deletionPolicyOf(application),
    isLeftover: false,
    leftoversMayGo: false,
    isInstalledOnce: isInstalledOnce(live),
    isSuspended: live.spec.suspend === true,
  });
  if (guard === 'installed-once') return [{ op: 'suspend', live, why }];
  return allowed ? [{ op: 'delete', live, why }] : [];
}

/** Plans the deletion of an Application that still has children. */
export function decideDeletion(application: Application, children: readonly Child[]): Plan {
  const steps = children.flatMap((live) => deletionOf(live, application));
  const missing = { reason: 'Deleting' as const, message: waitingMessage(children) };
  const warning = abandonWarning(application, children.map(clusterNameOf));
  const warnings = warning === undefined ? [] : [warning];
  return {
    ...emptyPlan(application, 'deletion', { missing, rejected: [], warnings }),
    events: plannedEvents(steps),
    steps,
    abandoned: abandonedOf(application, children),
    rowsAfter: () => children.map((child) => terminatingRow(child, 'the Application is being deleted')),
  };
}
