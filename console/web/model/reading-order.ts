import type { DestinationView } from '#queries/views/application-view.js';
import type { DestinationState } from '#api/v1alpha1/conditions.js';

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
