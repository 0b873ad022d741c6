import type { Overview, OverviewRow } from '#queries/views/overview.js';
import { meaningOf } from '#queries/views/state-meaning.js';
import { listed } from '#lib/text/text.js';
import { clusterName } from './overview-query.js';

/** Where an Application is in a state that needs a look. */
export interface FailingClusters {
  readonly state: string;
  /** The first of them by name, and how many others there are. */
  readonly text: string;
  /** Many more of them, for who points at it. */
  readonly title: string;
}

/** More have no room on a card. */
const MOST_NAMED = 3;
const MOST_OF_TITLE = 20;

/** The worst state first; nothing of what is well or moving. */
export function failingClusters({ cells }: OverviewRow, { clusters, states }: Overview): FailingClusters[] {
  const byRank = new Map<number, string[]>();
  for (const [cluster, rank] of cells) {
    if (meaningOf(states[rank] ?? '') !== 'bad') continue;
    byRank.set(rank, [...(byRank.get(rank) ?? []), clusterName(clusters[cluster] ?? '')]);
  }
  const ranks = [...byRank].sort(([a], [b]) => a - b);
  return ranks.map(([rank, names]) => {
    const sorted = names.sort();
    return { state: states[rank] ?? '', text: listed(sorted, MOST_NAMED), title: listed(sorted, MOST_OF_TITLE) };
  });
}
