import type { Condition } from '#api/meta.js';
import { getCondition } from '../../runtime/pure/conditions.js';
import type { Child } from './types.js';

/** The condition of the child, unless it was written about an older generation. Never throws. */
export function currentCondition(child: Child | undefined, type: string): Condition | undefined {
  const condition = getCondition(child?.status?.conditions ?? [], type);
  const generation = child?.metadata.generation ?? 0;
  return (condition?.observedGeneration ?? generation) < generation ? undefined : condition;
}
