import type { ComparedObject, LiveDiffFindings } from '../answers/members.js';
import { COMPARED_STATES } from '../answers/words.js';

/** The worst first; those of one state keep their order. */
export function worstCompared(objects: readonly ComparedObject[]): ComparedObject[] {
  return COMPARED_STATES.flatMap((state) => objects.filter((object) => object.state === state));
}

/** True for an object that is not as it is wanted. */
export function differs({ state }: Pick<ComparedObject, 'state'>): boolean {
  return state === 'missing' || state === 'changed';
}

/** How many objects have which state, without those that none has: `1 missing, 2 changed, 40 same`. */
export function comparedSummary({ objects, more }: Pick<LiveDiffFindings, 'objects' | 'more'>): string {
  const counts = COMPARED_STATES.map(
    (state) => [objects.filter((each) => each.state === state).length, state] as const,
  );
  const parts = [...counts, [more, 'not compared'] as const].filter(([number]) => number > 0);
  return parts.length === 0 ? 'no objects' : parts.map((part) => part.join(' ')).join(', ');
}
