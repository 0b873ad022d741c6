import type { Condition } from '#api/meta.js';
import { getCondition } from '../../runtime/pure/conditions.js';
import type { Child } from './types.js';

/** True if the engine reports success of the current generation. Never throws. */
export function isReady(child: Child | undefined): boolean {
  const observed = child?.status?.observedGeneration ?? -1;
  return currentCondition(child, 'Ready')?.status === 'True' && observed >= (child?.metadata.generation ?? 0);
}

/** The condition of the child, unless it was written about an older generation. Never throws. */
export function currentCondition(child: Child | undefined, type: string): Condition | undefined {
  const condition = getCondition(child?.status?.conditions ?? [], type);
  const generation = child?.metadata.generation ?? 0;
  return (condition?.observedGeneration ?? generation) < generation ? undefined : condition;
}
