import {
  isEmptySelector,
  printSelector,
  readSelector,
  selectorProblem,
  selects,
  type LabelSelector,
} from '#lib/kube/label-selector.js';
import { listed } from '#lib/text/text.js';
import { isMap } from '#lib/plain.js';
import type { ClusterItem } from '#queries/answers/clusters.js';
import { clusterEdit, type DestinationForm, CREATES_NAMESPACE, yesOrNo, type YesOrNo } from './application-form.js';
import { valueAt, type Edit, type Path } from '../../model/yaml-edit.js';

export type KnownCluster = Pick<
  ClusterItem,
  'apiGroup' | 'kind' | 'namespace' | 'name' | 'state' | 'version' | 'labels'
>;

/** A page of those that the user may read, and how many there are. Undefined until they are read, if they can be. */
export type KnownClusters = { readonly items: readonly KnownCluster[]; readonly total: number } | undefined;

/** Without one, a `Cluster` is one of it. */
const KUBESPHERE = 'cluster.kubesphere.io';
/** It cannot be deployed to. */
const SHOWN_ONLY = 'ClusterProfile';
const NAMED = 20;

/** Those that an object describes; the others are only named by destinations. */
function described(clusters: KnownClusters): KnownCluster[] {
  return (clusters?.items ?? []).filter(({ kind }) => kind !== '' && kind !== SHOWN_ONLY);
}

/** `the first 500 of 812 clusters that you may read`; empty if all of them are known. */
function partWords(clusters: KnownClusters): string {
  if (clusters === undefined || clusters.items.length >= clusters.total) return '';
  return `the first ${clusters.items.length} of ${clusters.total} clusters that you may read`;
}

/** What may be typed as the name of a cluster, or of the Secret with its kubeconfig. */
export function clusterSuggestions(
  clusters: KnownClusters,
  { target }: Pick<DestinationForm, 'target'>,
  namespace: string,
): string[] {
  const isOwnSecret = (each: KnownCluster): boolean => each.kind === 'Secret' && each.namespace === namespace;
  const usable = target === 'kubeConfig' ? described(clusters).filter(isOwnSecret) : described(clusters);
  return [...new Set(usable.map(({ name }) => name))].sort();
}

/** As a destination names it. */
function referenceTo({ apiGroup, kind, namespace, name }: KnownCluster, own: string): object {
  const isOther = kind === 'Cluster' && apiGroup !== KUBESPHERE;
  const where = namespace === '' || namespace === own ? {} : { namespace };
  return { ...(isOther ? { apiGroup } : {}), kind, name, ...where };
}

/** To name another cluster: of the one that is known by this name, everything that says which it is. */
export function namedClusterEdit(
  destination: DestinationForm,
  name: string,
  { clusters, namespace }: { readonly clusters: KnownClusters; readonly namespace: string },
): Edit {
  const [only, ...others] = described(clusters).filter((each) => each.name === name);
  if (destination.target !== 'clusterRef' || only === undefined || others.length > 0) {
    return clusterEdit(destination, name);
  }
  return { path: [...destination.path, 'destination', 'clusterRef'], value: referenceTo(only, namespace) };
}

function wordsOf({ kind, state, version, labels }: KnownCluster): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  const kubernetes = version === '' ? '' : `, Kubernetes ${version}`;
  return `${kind}, ${state}${kubernetes}${pairs.length === 0 ? '' : `; ${listed(pairs, 4)}`}`;
}

/** What is known of the cluster that a destination names; empty if it names none. */
export function clusterHint(clusters: KnownClusters, { cluster }: Pick<DestinationForm, 'cluster'>): string {
  if (cluster === '' || clusters === undefined) return '';
  const [first, ...others] = described(clusters).filter(({ name }) => name === cluster);
  if (first === undefined) {
    const part = partWords(clusters);
    return part === '' ? 'You may read no cluster of this name.' : `None of ${part} has this name.`;
  }
  if (others.length === 0) return wordsOf(first);
  return `There are ${others.length + 1} of this name: kind, apiGroup and namespace in the YAML say which one.`;
}

/** The labels of a selector as text; undefined if it is none that can be read. */
export function selectorOfValue(
  value: unknown,
): { readonly text: string; readonly selector: LabelSelector } | undefined {
  if (!isMap(value)) return undefined;
  // Checked by reading its text again.
  const selector = value as LabelSelector;
  try {
    const text = printSelector(selector);
    readSelector(text);
    return selectorProblem(selector) === undefined ? { text, selector } : undefined;
  } catch {
    return undefined;
  }
}

/** The edits that select clusters by these labels, or what is wrong with the text. */
export function selectorEdits(path: Path, text: string): readonly Edit[] | { readonly problem: string } {
  try {
    const { matchExpressions } = readSelector(text);
    const problem = selectorProblem({ matchExpressions });
    if (problem !== undefined) return { problem };
    const isLabel = (each: (typeof matchExpressions)[number]): boolean =>
      each.operator === 'In' && each.values?.length === 1;
    const labels = matchExpressions.filter(isLabel).map(({ key, values: [value] = [] }) => [key, value] as const);
    const others = matchExpressions.filter((each) => !isLabel(each));
    // One of two values for one label would be lost.
    const isTwice = new Set(labels.map(([key]) => key)).size < labels.length;
    const matchLabels = labels.length === 0 || isTwice ? undefined : Object.fromEntries(labels);
    const rest = isTwice ? matchExpressions : others;
    return [
      { path: [...path, 'matchLabels'], value: matchLabels },
      { path: [...path, 'matchExpressions'], value: rest.length === 0 ? undefined : rest },
    ];
  } catch (error: unknown) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

/** Which clusters have the labels now. */
export function matchWords(clusters: KnownClusters, value: unknown): string {
  const read = selectorOfValue(value);
  if (read === undefined) return 'Its labels are edited in the YAML.';
  if (isEmptySelector(read.selector)) return 'Without labels it is refused: it could only mean all clusters.';
  if (clusters === undefined) return 'Which clusters have them now is not known.';
  const excluded: unknown = valueAt(value, ['exclude']);
  const isExcluded = (name: string): boolean => Array.isArray(excluded) && excluded.includes(name);
  const matched = described(clusters).filter(({ labels, name }) => selects(read.selector, labels) && !isExcluded(name));
  const part = partWords(clusters);
  if (matched.length === 0) {
    return part === '' ? 'No cluster that you may read has these labels now.' : `None of ${part} has these labels now.`;
  }
  const names = matched.map(({ name }) => name).sort();
  const found = part === '' ? `${names.length} that you may read` : `${names.length} of ${part}`;
  return `${found} ${names.length === 1 ? 'has' : 'have'} them now: ${listed(names, NAMED)}.`;
}

/** A flag that each destination has, said or not. */
export interface DestinationFlag {
  /** Below the entry, and below each of its overrides. */
  readonly keys: Path;
  /** The value if neither the entry nor a template sets the field. */
  readonly byDefault: boolean;
  /** The meaning of each value, as an end of a sentence. */
  readonly words: Readonly<Record<'true' | 'false', string>>;
}

/** The flag of charts: Kustomizations have no such field. */
export const NAMESPACE_FLAG: DestinationFlag = {
  keys: CREATES_NAMESPACE,
  byDefault: false,
  words: { true: 'create it', false: 'it must exist' },
};

/** The flag of Kustomizations. */
export const PRUNE_FLAG: DestinationFlag = {
  keys: ['prune'],
  byDefault: true,
  words: { true: 'delete it', false: 'keep it' },
};

const NAMED_OVERRIDES = 4;
const MOST_OVERRIDES = 4;

function capitalized(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

/** The choices of a flag; the first one leaves it unset. */
export function flagChoices(
  { byDefault, words }: DestinationFlag,
  { isTemplate }: { readonly isTemplate: boolean },
): readonly (readonly [YesOrNo, string])[] {
  const otherwise = isTemplate ? 'as the template says' : words[`${byDefault}`];
  return [
    ['', `Not set (${otherwise})`],
    ['true', capitalized(words.true)],
    ['false', capitalized(words.false)],
  ];
}

function clustersOf(override: unknown): string {
  const found = valueAt(override, ['clusters', 'names']);
  const names = Array.isArray(found) ? found.filter((each) => typeof each === 'string') : [];
  return names.length === 0 ? 'clusters with its labels' : listed(names, NAMED_OVERRIDES);
}

/** Where overrides of the destination decide, which the form does not show; empty: nowhere. Never throws. */
export function overridesHint(value: unknown, destination: Path, { keys, words }: DestinationFlag): string {
  const overrides = valueAt(value, [...destination, 'overrides']);
  const said = (Array.isArray(overrides) ? overrides : []).flatMap((override: unknown, index) => {
    const flag = yesOrNo(override, keys);
    return flag === '' ? [] : [`${words[flag]} on ${clustersOf(override)} (overrides[${index}])`];
  });
  return said.length === 0 ? '' : `Overrides: ${listed(said, MOST_OVERRIDES)}.`;
}
