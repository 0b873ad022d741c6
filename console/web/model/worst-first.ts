import { WORST_FIRST } from '#api/v1alpha1/conditions.js';

const STATES: readonly string[] = WORST_FIRST;

function rankOf({ state }: { readonly state: string }): number {
  const rank = STATES.indexOf(state);
  return rank === -1 ? STATES.indexOf('Pending') : rank;
}

/** A new list; those in one state stay in their order. What this version does not know is neither good nor bad. */
export function worstFirst<T extends { readonly state: string }>(items: readonly T[]): T[] {
  return [...items].sort((a, b) => rankOf(a) - rankOf(b));
}
