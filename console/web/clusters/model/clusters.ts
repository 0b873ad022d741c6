import { parseSelector } from '#lib/kube/label-selector.js';
import { ARGOCD_SECRET_SELECTOR } from '#api/cluster/kinds.js';
import { CLUSTER_LABEL } from '#api/v1alpha1/labels.js';
import { meaningOf, type Meaning } from '#queries/views/state-meaning.js';
import type { ClusterItem } from '#queries/answers/clusters.js';
import {
  type ListPage,
  listPageIn,
  listPageTexts,
  listQuery,
  queryText,
  textsIn,
  wordIn,
} from '../../navigation/model/query.js';
import { ALL, searchOf } from '../../overview/model/overview-query.js';

/** What the page of clusters shows; it is kept in its URL, in the words of the server's own queries. */
export interface ClusterQuery extends ListPage {
  /** Part of a name. */
  readonly search: string;
  /** A label selector, as kubectl takes it. */
  readonly labels: string;
  /** Of the object of the cluster; empty: all. */
  readonly state: string;
  /** Worst state of what runs there; empty: all. */
  readonly worst: string;
}

export const ALL_CLUSTERS: ClusterQuery = { search: '', labels: '', state: '', worst: '', sort: 'trouble', page: 1 };

export const CLUSTER_SORTS = [
  ['trouble', 'Problems first'],
  ['name', 'Name'],
  ['namespace', 'Namespace'],
  ['kind', 'Kind'],
  ['-applications', 'Most used'],
] as const;

const MOST_CHARACTERS = 1_024;

/** Reads the query of a URL, without `?`. */
export function clusterQueryOf(search: string): ClusterQuery {
  const { state, worst, ...texts } = textsIn(search, ['search', 'labels', 'state', 'worst'], MOST_CHARACTERS);
  return { ...texts, state: wordIn(state), worst: wordIn(worst), ...listPageIn(search, CLUSTER_SORTS) };
}

/** The part of a URL behind its path; empty if it asks for nothing. */
export function clusterSearchOf(query: ClusterQuery): string {
  const { search, labels, state, worst } = query;
  return queryText({ search, labels, state, worst, ...listPageTexts(query, CLUSTER_SORTS) });
}

/** Why nothing can be selected by it; empty if it can. */
export function selectorProblem(labels: string): string {
  try {
    parseSelector(labels);
    return '';
  } catch (error: unknown) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Where the server has them; a selector that nobody can read is not asked for. */
export function clustersPath({ search, labels, state, worst, ...page }: ClusterQuery): string {
  const labelSelector = selectorProblem(labels) === '' ? labels : '';
  return `/api/v1/clusters${listQuery(page, { state, worst }, { search, labelSelector })}`;
}

/** Requirements of a selector: commas in brackets separate values. */
function requirementsOf(labels: string): string[] {
  return labels
    .split(/,(?![^(]*\))/)
    .map((each) => each.trim())
    .filter((each) => each !== '');
}

export function hasLabel(labels: string, key: string, value: string): boolean {
  return requirementsOf(labels).includes(`${key}=${value}`);
}

/** The selector with this label, or without it if it has it. */
export function withLabelToggled(labels: string, key: string, value: string): string {
  const [all, own] = [requirementsOf(labels), `${key}=${value}`];
  return (all.includes(own) ? all.filter((each) => each !== own) : [...all, own]).join(',');
}

/** The Applications that have a state on a cluster, which they call so. */
export function matrixOf({ namespace }: Pick<ClusterItem, 'namespace'>, cluster: string, state: string): string {
  // Another namespace may call another cluster the same.
  const ofNamespace = cluster.includes('/') ? '' : namespace;
  return `/${searchOf({ ...ALL, cluster, states: [state], namespace: ofNamespace, sort: `cluster:${cluster}` })}`;
}

/** Labels that make a Secret a cluster: all of them have it, so that it selects nothing. */
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
