import { FLUX_FINALIZER } from '#api/flux/annotations.js';
import { abandonedNames, EVERY_CLUSTER } from '#api/v1alpha1/abandon.js';
import type { Application } from '#api/v1alpha1/application.js';
import { ABANDON_ANNOTATION } from '#api/v1alpha1/labels.js';
import { mayDelete } from '../../deletion/rule.js';
import { getCondition } from '../../runtime/pure/conditions.js';
import { clusterNameOf } from './clusters/child-cluster.js';
import { unknownClusters } from './clusters/unknown-clusters.js';
import { describeChild, shortened } from './messages.js';
import { isTerminating } from './state.js';
import type { Child } from './types.js';

/**
 * True if the user abandoned the cluster of `child`: the annotation is `true`, or a comma-separated list of clusters
 * with their names in the status.
 */
export function isAbandoned(application: Application, child: Child): boolean {
  const names = abandonedNames(application);
  return names.includes(EVERY_CLUSTER) || names.includes(clusterNameOf(child));
}

/** Warns of names in the annotation that are not among the clusters; undefined if there are none. */
export function abandonWarning(application: Application, clusters: readonly string[]): string | undefined {
  const names = abandonedNames(application).filter((name) => name !== EVERY_CLUSTER);
  return unknownClusters(ABANDON_ANNOTATION, names, clusters);
}

/** The children that a deletion waits for, with why they are not deleted, or else with their messages. */
export function waitingMessage(
  children: readonly Child[],
  whyHeld: (child: Child) => string | undefined = () => undefined,
): string {
  const parts = children.map((child) => {
    const why = whyHeld(child);
    if (why !== undefined) return `${describeChild(child)} (${why})`;
    const ready = getCondition(child.status?.conditions, 'Ready');
    return ready?.status === 'False' ? `${describeChild(child)} (${ready.message})` : describeChild(child);
  });
  return shortened(`waiting for the deletion of ${parts.sort().join(', ')}`, 1_000);
}

/** Their deletion is not waited for any more, and what runs there stays. */
export function abandonedOf(application: Application, children: readonly Child[]): Child[] {
  return children.filter((child) => {
    if (child.metadata.finalizers?.includes(FLUX_FINALIZER) !== true) return false;
    const isAsked = isAbandoned(application, child);
    const facts = { intent: 'abandon', isOurs: true, isTerminating: isTerminating(child), isAsked } as const;
    return mayDelete({ subject: 'finalizer', ...facts }).allowed;
  });
}
