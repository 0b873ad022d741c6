import { type DestinationState, WORST_FIRST } from '#api/v1alpha1/states.js';
import type { DestinationView } from '#queries/answers/application.js';

const STATES: readonly string[] = WORST_FIRST;

function rankOf({ state }: { readonly state: string }): number {
  const rank = STATES.indexOf(state);
  return rank === -1 ? STATES.indexOf('Pending') : rank;
}

/** A new list; those in one state stay in their order. What this version does not know is neither good nor bad. */
export function worstFirst<T extends { readonly state: string }>(items: readonly T[]): T[] {
  return [...items].sort((a, b) => rankOf(a) - rankOf(b));
}

const UNREACHABLE: string = 'Unreachable' satisfies DestinationState;

/**
 * The destinations in the order in which their clusters are read, a few at a time: a cluster that the controller cannot
 * reach would only hold up the others until its time is over, and is the last. Otherwise the order stays.
 */
export function reachableFirst<T extends Pick<DestinationView, 'cluster' | 'state'>>(destinations: readonly T[]): T[] {
  const lost = new Set(destinations.filter(({ state }) => state === UNREACHABLE).map(({ cluster }) => cluster));
  const isLost = ({ cluster }: T): boolean => lost.has(cluster);
  return [...destinations.filter((each) => !isLost(each)), ...destinations.filter(isLost)];
}

/** An early status may not name the cluster. */
export function clusterName(cluster: string): string {
  return cluster === '' ? 'unknown' : cluster;
}

/** The clusters of some destinations, by name; without those that are not named yet. */
export function namedClusters(destinations: readonly Pick<DestinationView, 'cluster'>[]): string[] {
  const names = new Set(destinations.map(({ cluster }) => cluster));
  return [...names].filter((name) => name !== '').sort();
}
