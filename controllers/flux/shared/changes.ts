import type { Change } from '../../runtime/controller.js';

/** A change that a pass would see: our own status writes, and the heartbeats of others, are none. */
export function isWorthAPass({ type, object, previous }: Change): boolean {
  if (type !== 'updated' || previous === undefined) return true;
  const [now, before] = [object.metadata, previous.metadata];
  const annotations = JSON.stringify(now.annotations ?? {}) !== JSON.stringify(before.annotations ?? {});
  return annotations || now.generation !== before.generation || now.deletionTimestamp !== before.deletionTimestamp;
}
