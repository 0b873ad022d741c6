import { keyOf } from '#lib/kube/keys.js';
import type { ActionRecord } from '../world/members.js';
import type { Scene } from './types.js';

/** Another path of the same Kustomization: its user edited what it applies, and wants the rest pruned. */
export function isOtherPath({ action, place, child }: ActionRecord, { world }: Scene): boolean {
  if (action !== 'prune') return false;
  const live = world.children().find(({ metadata }) => keyOf(metadata) === child);
  if (live === undefined || live.metadata.deletionTimestamp !== undefined) return false;
  return (live.spec.targetNamespace ?? '') === place.namespace;
}
