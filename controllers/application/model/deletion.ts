import type { Application } from '../../../api/v1alpha1/application.js';
import { ABANDON_ANNOTATION } from '../../../api/v1alpha1/labels.js';
import { getCondition } from '../../runtime/pure/conditions.js';
import { clusterLabel } from './identity.js';
import { describeChild, shortened } from './messages.js';
import type { Child } from './types.js';

/** What becomes of the children when their Application is deleted. */
export type DeletionPolicy = 'Delete' | 'Orphan';

/** The API server puts it on an object that is deleted with `--cascade=orphan`. */
const ORPHAN_FINALIZER = 'orphan';

/** `kubectl delete --cascade=orphan` wins over the policy of the Application; Delete is the default. */
export function deletionPolicyOf({ metadata, spec }: Application): DeletionPolicy {
  if (metadata.finalizers?.includes(ORPHAN_FINALIZER) === true) return 'Orphan';
  return spec.deletionPolicy ?? 'Delete';
}

/**
 * True when the user gave the cluster of `child` up: the annotation is `true` for all, or a comma list of names as the
 * status shows clusters.
 */
export function isAbandoned({ metadata }: Application, child: Child): boolean {
  const listed = (metadata.annotations?.[ABANDON_ANNOTATION] ?? '').split(',').map((name) => name.trim());
  return listed.includes('true') || listed.includes(clusterLabel(child.spec.kubeConfig));
}

/** What a deletion waits for, with each child's own words. */
export function waitingMessage(children: readonly Child[]): string {
  const parts = children.map((child) => {
    const ready = getCondition(child.status?.conditions, 'Ready');
    return ready?.status === 'False' ? `${describeChild(child)} (${ready.message})` : describeChild(child);
  });
  return shortened(`waits until these are gone: ${parts.sort().join(', ')}`, 1_000);
}
