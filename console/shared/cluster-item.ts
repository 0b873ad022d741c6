import type { ClusterItem, ClusterUse, ClusterView } from '#queries/answers/clusters.js';
import type { Application } from '#api/v1alpha1/application.js';
import { type DestinationState, WORST_FIRST } from '#api/v1alpha1/states.js';
import { keyOf } from '#lib/kube/keys.js';
import type { DestinationView } from '#queries/answers/application.js';
import { meantBy, namedView, placeOf } from '#queries/host/model/named-clusters.js';
import { causeFirst } from '#queries/views/state-meaning.js';
import { cachedView } from './application-query.js';
import type { QueryString } from './list-query.js';
import { pageQueryOf, sortedBy, type Listing, type PageQuery } from './page-query.js';

const NAMED = 20;
const STATES: readonly string[] = WORST_FIRST;
const RANK_DIGITS = 3;
const COUNT_DIGITS = 9;
const MOST_APPLICATIONS = 10 ** COUNT_DIGITS - 1;
/** Rank of what has no destinations. */
const NONE = Number.MAX_SAFE_INTEGER;

/** What destinations there are on one cluster. */
interface Use {
  /** Worst rank of each Application, by what it calls the cluster. */
  readonly names: Map<string, Map<string, number>>;
  destinations: number;
  rank: number;
  why: string;
}

function rankOf(state: string): number {
  const rank = STATES.indexOf(state);
  return rank === -1 ? STATES.length : rank;
}

/** What this version does not know is neither good nor bad. */
function stateOf(rank: number): DestinationState {
  return WORST_FIRST[rank] ?? 'Pending';
}

type Destination = Pick<DestinationView, 'cluster' | 'state' | 'message'>;

function addTo(uses: Map<string, Use>, key: string, user: string, { cluster, state, message }: Destination): void {
  const use = uses.get(key) ?? { names: new Map<string, Map<string, number>>(), destinations: 0, rank: NONE, why: '' };
  const rank = rankOf(state);
  const users = use.names.get(cluster) ?? new Map<string, number>();
  users.set(user, Math.min(rank, users.get(user) ?? rank));
  use.names.set(cluster, users);
  use.destinations += 1;
  if (rank < use.rank) [use.rank, use.why] = [rank, message];
  uses.set(key, use);
}

/** By where the object of the cluster is, or would be. */
function usesOf(applications: readonly Application[], known: ReadonlySet<string>): ReadonlyMap<string, Use> {
  const uses = new Map<string, Use>();
  for (const application of applications) {
    const user = keyOf(application.metadata);
    const { namespace, destinations } = cachedView(application);
    for (const destination of destinations) {
      const places = meantBy(destination.cluster, namespace, known);
      for (const place of places) addTo(uses, place, user, destination);
    }
  }
  return uses;
}

function useOf(name: string, users: ReadonlyMap<string, number>): ClusterUse {
  const counts = new Map<number, number>();
  for (const rank of users.values()) counts.set(rank, (counts.get(rank) ?? 0) + 1);
  const ranks = [...counts.keys()].sort((a, b) => a - b);
  const states = ranks.map((rank) => ({ state: stateOf(rank), applications: counts.get(rank) ?? 0 }));
  return { name, states };
}

function withUse(view: ClusterView, use: Use | undefined): ClusterItem {
  const names = [...(use?.names ?? [])].sort(([a], [b]) => (a < b ? -1 : 1));
  const users = [...new Set(names.flatMap(([, of]) => [...of.keys()]))].sort();
  const { apiGroup, kind, namespace, name, version, state, message, labels } = view;
  return {
    ...{ apiGroup, kind, namespace, name, version, state, message, labels },
    applications: users.length,
    destinations: use?.destinations ?? 0,
    worst: use === undefined ? '' : stateOf(use.rank),
    why: use === undefined ? '' : causeFirst(use.why),
    names: names.map(([each, of]) => useOf(each, of)),
    usedBy: users.slice(0, NAMED),
    moreUsedBy: Math.max(0, users.length - NAMED),
  };
}

/**
 * The clusters that the user may read, then those that destinations of these Applications name besides. Two clusters of
 * one name that an Application could mean both count it. Never throws.
 */
export function clusterItems(views: readonly ClusterView[], applications: readonly Application[]): ClusterItem[] {
  const known = new Set(views.map(placeOf));
  const uses = usesOf(applications, known);
  const others = [...uses.keys()].filter((place) => !known.has(place));
  return [
    ...views.map((view) => withUse(view, uses.get(placeOf(view)))),
    ...others.map((place) => withUse(namedView(place, []), uses.get(place))),
  ];
}

/** The states of clusters, as states of destinations that are as bad. */
const AS_BAD: ReadonlyMap<string, string> = new Map([
  ['Lost', 'Unreachable'],
  ['NotReady', 'Unreachable'],
  ['Unknown', 'Pending'],
  ['Paused', 'Suspended'],
]);

/**
 * The cluster itself counts as much as what runs there, unless nobody knows it; of two that are as bad, the one that has
 * more comes first.
 */
function troubleOf({ state, worst, applications }: ClusterItem): string {
  const isKnown = state !== 'Unknown' || worst === '';
  const own = isKnown ? rankOf(AS_BAD.get(state) ?? state) : STATES.length;
  const there = worst === '' ? STATES.length : rankOf(worst);
  const rank = String(Math.min(own, there)).padStart(RANK_DIGITS, '0');
  return rank + String(MOST_APPLICATIONS - applications).padStart(COUNT_DIGITS, '0');
}

const LISTING: Listing<ClusterItem> = {
  fields: {
    'metadata.name': ({ name }) => [name],
    'metadata.namespace': ({ namespace }) => [namespace],
    kind: ({ kind }) => [kind],
    state: ({ state }) => [state],
    worst: ({ worst }) => [worst],
  },
  sorts: {
    name: ({ name }) => name,
    namespace: ({ namespace }) => namespace,
    kind: ({ kind, apiGroup }) => `${kind}.${apiGroup}`,
    state: ({ state }) => state,
    trouble: troubleOf,
    worst: ({ worst }) => String(rankOf(worst)).padStart(RANK_DIGITS, '0'),
    applications: ({ applications }) => String(applications).padStart(COUNT_DIGITS, '0'),
  },
  labels: ({ labels }) => labels,
  texts: ({ name }) => [name],
};

/** Throws a Refusal (400) that names the key which nobody can read, or which does not exist. */
export function clusterQueryOf(query: QueryString): PageQuery<ClusterItem> {
  return pageQueryOf(query, LISTING);
}

/** A new list, ascending by the key of a query. */
export function clustersBy(items: readonly ClusterItem[], sort: string): ClusterItem[] {
  return sortedBy(items, sort, LISTING);
}
