import type { Change } from '#runtime/controller.js';

/** True for a change that matters to a reconciliation: not our own status writes or the heartbeats of others. */
export function isWorthAPass({ type, object, previous }: Change): boolean {
  if (type !== 'updated' || previous === undefined) return true;
  const [now, before] = [object.metadata, previous.metadata];
  const annotations = JSON.stringify(now.annotations ?? {}) !== JSON.stringify(before.annotations ?? {});
  return annotations || now.generation !== before.generation || now.deletionTimestamp !== before.deletionTimestamp;
}
