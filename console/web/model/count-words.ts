import { meaningOf } from '#queries/views/state-meaning.js';

/** Which Applications the count of a state is of. `cluster`: only what they are there counts; empty: anywhere. */
export function countWords(state: string, cluster: string): string {
  if (cluster !== '') return `Applications that are ${state} on ${cluster}`;
  const isGood = meaningOf(state) === 'good';
  return `Applications that are ${state}${isGood ? ', and nowhere worse' : ' as a whole or on a cluster'}`;
}
