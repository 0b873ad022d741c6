import type { ApplicationObject, World } from './facts.js';

const GROUP = 'gitops.kubesphere.io';
export const ABANDON = `${GROUP}/abandon`;
export const PIN = `${GROUP}/pin-revision`;
export const PIN_CLUSTERS = `${GROUP}/pin-cluster-revisions`;

/** True from `kubectl delete --cascade=orphan` until its children are let go. */
export function isOrphaning({ metadata }: ApplicationObject): boolean {
  return metadata.finalizers?.includes('orphan') === true;
}

/** The policy that the object shows. */
export function policyIn(object: ApplicationObject): 'Delete' | 'Orphan' {
  return isOrphaning(object) ? 'Orphan' : (object.spec.deletionPolicy ?? 'Delete');
}

/** True if the Application, or its namespace, is being deleted. */
export function isBeingDeleted({ metadata }: ApplicationObject, world: World): boolean {
  const namespace = world.namespaces.find(({ name }) => name === metadata.namespace);
  return metadata.deletionTimestamp !== undefined || namespace === undefined || namespace.isBeingDeleted === true;
}

/** Every value but `false` asks for a dry run. */
export function isDryRun({ metadata }: ApplicationObject): boolean {
  const value = metadata.annotations?.[`${GROUP}/dry-run`];
  return value !== undefined && value !== 'false';
}

/** A pause that is misspelt is a pause all the same. */
export function isRolloutPaused({ metadata, spec }: ApplicationObject): boolean {
  const value = metadata.annotations?.[`${GROUP}/pause-rollout`];
  return spec.rollout?.paused === true || (value !== undefined && value !== 'false');
}

/** The UID that the object of a cluster accepts instead of the one before. */
export const acceptedUid = (annotations: Readonly<Record<string, string>> = {}): string | undefined =>
  annotations[`${GROUP}/accept-cluster-uid`];
