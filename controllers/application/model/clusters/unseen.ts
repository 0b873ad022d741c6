import type { Child } from '../types.js';
import type { Step } from '../verdicts.js';
import { clusterIdOf } from './child-cluster.js';
import { factsOf, type ClusterIndex, type ClusterView } from './types.js';

/** The children that steps remove although the inventory lacks their clusters. */
export function removedUnseen(steps: readonly Step[], clusters: ClusterIndex): Child[] {
  return steps.flatMap((step) => {
    if (step.op !== 'delete' && step.op !== 'suspend') return [];
    const id = clusterIdOf(step.live);
    return id === undefined || factsOf(clusters, id).cluster !== undefined ? [] : [step.live];
  });
}

/** The clusters, with what is known of those that the inventory lacks; see `whyUnknown`. */
export function withAbsences(clusters: ClusterView, whyUnknown: ClusterView['whyUnknown']): ClusterView {
  const whyAbsent = (id: string): string | undefined => (clusters.find(id) === undefined ? whyUnknown(id) : undefined);
  return { ...clusters, whyUnknown: (id) => clusters.whyUnknown(id) ?? whyAbsent(id) };
}
