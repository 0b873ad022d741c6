import type { KubeObject, OwnerReference } from '../meta.js';
import type { Application } from './application.js';
import { APPLICATION_UID_LABEL, GITOPS_GROUP, HOLDER_ANNOTATION, MANAGED_BY_LABEL } from './labels.js';

/** The owner references of an object that name an Application. */
export function applicationOwners({ metadata }: KubeObject): OwnerReference[] {
  const owners = metadata.ownerReferences ?? [];
  return owners.filter(({ kind, apiVersion }) => kind === 'Application' && apiVersion.startsWith(`${GITOPS_GROUP}/`));
}

/** True for an object with a generated name. ks-devops used `generateName`; server-side apply never does. */
export function isLegacy({ metadata }: KubeObject): boolean {
  const made: KubeObject['metadata'] & { generateName?: string } = metadata;
  return made.generateName !== undefined;
}

/**
 * True for a child that an Application holds without owning it, or left behind: only the policy `Orphan` does either,
 * and it holds what was installed once.
 */
export function isWithoutOwner(object: KubeObject): boolean {
  if (applicationOwners(object).length > 0) return false;
  const { labels = {}, annotations = {} } = object.metadata;
  if (annotations[HOLDER_ANNOTATION] !== undefined || labels[APPLICATION_UID_LABEL] !== undefined) return true;
  return isLegacy(object) && labels[MANAGED_BY_LABEL] !== undefined;
}

/** Whether the children are deleted with their Application. */
export type DeletionPolicy = 'Delete' | 'Orphan';

/** Added by the API server when an object is deleted with `--cascade=orphan`. */
const ORPHAN_FINALIZER = 'orphan';

/** The effective policy. `kubectl delete --cascade=orphan` overrides the policy in the spec; the default is Delete. */
export function deletionPolicyOf({ metadata, spec }: Pick<Application, 'metadata' | 'spec'>): DeletionPolicy {
  if (metadata.finalizers?.includes(ORPHAN_FINALIZER) === true) return 'Orphan';
  return spec.deletionPolicy ?? 'Delete';
}
