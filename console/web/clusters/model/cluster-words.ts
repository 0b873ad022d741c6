import { ARGOCD_SECRET_SELECTOR } from '#api/cluster/kinds.js';
import { CLUSTER_LABEL } from '#api/v1alpha1/labels.js';
import { meaningOf, type Meaning } from '#queries/views/state-meaning.js';
import type { ClusterItem } from '../../../shared/cluster-item.js';

/** What makes a Secret a cluster: all of them have it, so that it selects nothing. */
const MARKERS = [`${CLUSTER_LABEL}=true`, ARGOCD_SECRET_SELECTOR];

/** The state of a cluster in a word; undefined where what runs there says more. */
export function clusterMark({
  state,
  message,
  worst,
}: Pick<ClusterItem, 'state' | 'message' | 'worst'>): { readonly meaning: Meaning; readonly text: string } | undefined {
  if (state !== 'Unknown') return { meaning: meaningOf(state), text: state };
  if (worst !== '') return undefined;
  // A kind that reports no readiness, such as a Secret: in the word of Argo CD.
  return { meaning: meaningOf(state), text: message === '' ? 'Registered' : state };
}

/** The labels that tell clusters apart, by their keys. */
export function tellingLabels(labels: ClusterItem['labels']): [key: string, value: string][] {
  const all = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));
  return all.filter(([key, value]) => !MARKERS.includes(`${key}=${value}`));
}
