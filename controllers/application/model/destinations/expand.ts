import partition from 'lodash/partition.js';
import {
  CLUSTER_FIELDS,
  type ClusterSelector,
  type ClusterReference as ClusterRef,
} from '#api/v1alpha1/destination.js';
import { isEmptySelector, selectorProblem, selects } from '#lib/kube/label-selector.js';
import type { Access } from '../../../cluster/model/access.js';
import { type Cluster, type ClusterId, clusterIdText, readReference } from '../../../cluster/model/cluster.js';
import { credentialRefOf, isCredentialName } from '../../../cluster/model/credential-name.js';
import { clusterNameIn, type ClusterView } from '../child/cluster.js';
import { ClusterResolver, inventoryNames, kubeConfigNames, unknownNames } from '../child/cluster-names.js';
import type { ClusterNames, ClusterReference, Draft, ExpandedDraft, Violation } from '../child/types.js';

/** Destinations of one Application, whatever its selectors match. */
const MAX_DESTINATIONS = 10_000;
/** Each is compared with every cluster. */
export const MAX_SELECTORS = 100;
/** Of all selectors together, labels and expressions. */
export const MAX_REQUIREMENTS = 1_000;

/** What a selector chose. */
export interface Selection {
  /** Path of the entry in the spec. */
  readonly path: string;
  /** See `selection` of a draft. */
  readonly text: string;
  readonly matched: readonly Cluster[];
  /** Clusters with the labels that `exclude` names. */
  readonly excluded: readonly Cluster[];
  /** Names in `exclude` of no cluster with the labels. */
  readonly unknown: readonly string[];
}

/** The drafts of an Application, each for one cluster. */
interface Expanded {
  readonly drafts: readonly ExpandedDraft[];
  /** By the path of a draft. */
  readonly violations: ReadonlyMap<string, Violation>;
  readonly selections: readonly Selection[];
}

/** Or why there are too many for one Application. */
export type Expansion = Expanded | { readonly violation: Violation };

/** True for an entry whose clusters only the inventory knows. */
export function usesInventory({ layer }: Draft): boolean {
  const { clusterRef, clusterSelector } = layer.destination ?? {};
  return (clusterRef ?? clusterSelector) !== undefined;
}

/** True if an entry of `namespace` names or selects a cluster, whether it may use it or not. */
export function mayMatch({ layer }: Draft, cluster: Cluster, namespace: string): boolean {
  const { clusterRef, clusterSelector } = layer.destination ?? {};
  if (clusterSelector !== undefined) return selects(clusterSelector, cluster.labels);
  const id = clusterRef === undefined ? undefined : readReference(clusterRef, namespace);
  return id !== undefined && !('problem' in id) && clusterIdText(id) === clusterIdText(cluster.id);
}

type Usable = Extract<Access, { readonly allowed: true }>;

/** The expansion of one draft. */
interface Part {
  readonly drafts: readonly ExpandedDraft[];
  readonly violation?: Violation;
  readonly selection?: Selection;
}

function withCluster(draft: Draft, kubeConfig: ClusterReference | undefined): Draft['layer'] {
  const { destination = {}, ...layer } = draft.layer;
  const { targetNamespace } = destination;
  return { ...layer, destination: { ...(targetNamespace === undefined ? {} : { targetNamespace }), kubeConfig } };
}

function pathOn({ specPath }: Draft, cluster: string): string {
  return `${specPath} (cluster ${cluster})`;
}

function onCluster(draft: Draft, cluster: Cluster, access: Usable, namespace: string): ExpandedDraft {
  const names = inventoryNames(namespace, cluster.id, cluster.isHost);
  const secretRef = credentialRefOf(cluster, namespace);
  return {
    ...draft,
    layer: withCluster(draft, secretRef === undefined ? undefined : { secretRef }),
    path: pathOn(draft, names.short),
    entry: undefined,
    cluster,
    clusterName: names.short,
    names,
    allowedNamespaces: access.targetNamespaces,
  };
}

/** It keeps its place among the entries, and is for no cluster. */
function rejected(draft: Draft, names: ClusterNames, reason: Violation['reason'], problem: string): Part {
  const path = draft.specPath;
  const layer = withCluster(draft, { unresolved: path });
  const unresolved = { ...draft, clusterName: names.short, names, layer, entry: undefined };
  return { drafts: [unresolved], violation: { reason, message: `${path}.destination${problem}` } };
}

/**
 * One that may not be used is as one that is not there, also for who had it: whoever may write the Secret that tells it
 * could learn otherwise which clusters there are.
 */
function notUsable(id: ClusterId, namespace: string, view: ClusterView): string {
  const text = clusterIdText(id);
  const what = `.clusterRef: ${id.kind} ${clusterNameIn(namespace, id)}`;
  const by = view.grantedBy(text, namespace);
  if (by !== undefined) {
    return `${what} is no longer granted to ${namespace}, as it was by ${by}, or does not exist any more: what runs there is left unchanged; ask for the grant, or use another cluster`;
  }
  const problem = `${what} does not exist, or is not granted to ${namespace}: correct the reference, or ask for a ClusterGrant`;
  const unknown = view.whyUnknown(text);
  return unknown === undefined ? problem : `${problem} (${unknown})`;
}

function expandRef(draft: Draft, ref: ClusterRef, namespace: string, view: ClusterView): Part {
  const id = readReference(ref, namespace);
  if ('problem' in id) return rejected(draft, unknownNames(ref.name), 'ClusterRefInvalid', `.clusterRef.${id.problem}`);
  const cluster = view.find(clusterIdText(id));
  const access = cluster === undefined ? undefined : view.accessOf(cluster, namespace);
  if (cluster === undefined || access?.allowed !== true) {
    const problem = notUsable(id, namespace, view);
    return rejected(draft, inventoryNames(namespace, id), 'ClusterNotFound', problem);
  }
  return { drafts: [onCluster(draft, cluster, access, namespace)] };
}

function problemOf(selector: ClusterSelector): string | undefined {
  const problem = selectorProblem(selector);
  if (problem !== undefined) return `.clusterSelector.${problem}`;
  if (!isEmptySelector(selector)) return undefined;
  return '.clusterSelector is empty, which could only mean all clusters: set matchLabels or matchExpressions';
}

const UNKNOWN = unknownNames('unknown');

/** The clusters that `exclude` names, by their keys; a name that two of them have means neither. */
function excludedOf(exclude: readonly string[], clusters: readonly ClusterNames[]) {
  const resolver = new ClusterResolver(exclude.length === 0 ? [] : clusters);
  const keys = new Set<string | undefined>();
  const unknown: string[] = [];
  for (const name of exclude) {
    const found = resolver.find(name);
    if (found === undefined) unknown.push(name);
    else if ('problem' in found) return { problem: `.clusterSelector.exclude: ${found.problem}` };
    else keys.add(found.key);
  }
  return { keys, unknown };
}

/** A cluster that is not ready, or paused, matches as any other one. */
function expandSelector(draft: Draft, selector: ClusterSelector, namespace: string, view: ClusterView): Part {
  const problem = problemOf(selector);
  if (problem !== undefined) return rejected(draft, UNKNOWN, 'ClusterSelectorInvalid', problem);
  const candidates = view.clusters.flatMap((cluster) => {
    if (!selects(selector, cluster.labels)) return [];
    const access = view.accessOf(cluster, namespace);
    return access.allowed ? [onCluster(draft, cluster, access, namespace)] : [];
  });
  const exclusion = excludedOf(
    selector.exclude ?? [],
    candidates.flatMap(({ names }) => names ?? []),
  );
  if (exclusion.problem !== undefined) return rejected(draft, UNKNOWN, 'ClusterSelectorInvalid', exclusion.problem);
  const { keys, unknown } = exclusion;
  const [excluded, matched] = partition(candidates, ({ names }) => keys.has(names?.key));
  const clustersOf = (drafts: readonly ExpandedDraft[]): Cluster[] => drafts.flatMap(({ cluster }) => cluster ?? []);
  return {
    drafts: matched,
    selection: {
      path: draft.specPath,
      text: draft.selection ?? '',
      matched: clustersOf(matched),
      excluded: clustersOf(excluded),
      unknown,
    },
  };
}

/** Named directly, the credential of a cluster would be used without what its grant says. */
function madeCredentialIsNamed({ specPath, layer }: Draft): Violation | undefined {
  const name = layer.destination?.kubeConfig?.secretRef?.name;
  if (name === undefined || !isCredentialName(name)) return undefined;
  const message = `${specPath}.destination.kubeConfig.secretRef.name: Secrets with names like "${name}" are the controller's own, made for granted clusters: use clusterRef, or give a Secret of yours another name`;
  return { reason: 'AccessDenied', message };
}

function expandOne(draft: Draft, namespace: string, view: ClusterView): Part {
  const { destination = {} } = draft.layer;
  const { clusterRef, clusterSelector } = destination;
  const stated = CLUSTER_FIELDS.filter((field) => destination[field] !== undefined);
  if (stated.length > 1) {
    const problem = ` sets ${stated.join(' and ')}: keep one of them`;
    return rejected(draft, UNKNOWN, 'DestinationAmbiguous', problem);
  }
  if (clusterRef !== undefined) return expandRef(draft, clusterRef, namespace, view);
  if (clusterSelector !== undefined) return expandSelector(draft, clusterSelector, namespace, view);
  const violation = madeCredentialIsNamed(draft);
  return violation === undefined ? { drafts: [draft] } : { drafts: [draft], violation };
}

function tooMany(what: string): Expansion {
  return { violation: { reason: 'TooManyDestinations', message: `${what}: use several Applications` } };
}

/** With full names and paths of their own for clusters that have one short name. */
function apart(drafts: readonly ExpandedDraft[], namespace: string): readonly ExpandedDraft[] {
  const namesOf = ({ names, layer }: ExpandedDraft): ClusterNames =>
    names ?? kubeConfigNames(namespace, layer.destination?.kubeConfig);
  const all = drafts.map(namesOf);
  // Mostly there are none.
  const keys = new Map(all.map(({ short, key }) => [short, key]));
  if (all.every(({ short, key }) => keys.get(short) === key)) return drafts;
  const resolver = new ClusterResolver(all);
  return drafts.map((draft) => {
    const names = namesOf(draft);
    if (!resolver.isShared(names)) return draft;
    const path = draft.cluster === undefined ? draft.path : pathOn(draft, names.full);
    return { ...draft, path, clusterName: names.full, entry: undefined };
  });
}

function joined(parts: readonly Part[], namespace: string): Expanded {
  const violations = parts.flatMap(({ drafts: [draft], violation }) =>
    draft === undefined || violation === undefined ? [] : [[draft.path, violation] as const],
  );
  return {
    drafts: apart(
      parts.flatMap(({ drafts }) => drafts),
      namespace,
    ),
    violations: new Map(violations),
    selections: parts.flatMap(({ selection }) => selection ?? []),
  };
}

/** Why the selectors of an Application are not compared with clusters; undefined if they are. */
export function selectorsProblem(drafts: readonly Draft[]): string | undefined {
  const selectors = drafts.flatMap(({ layer }) => layer.destination?.clusterSelector ?? []);
  if (selectors.length > MAX_SELECTORS)
    return `${selectors.length} entries have a clusterSelector, of at most ${MAX_SELECTORS}`;
  const counts = selectors.map(
    ({ matchLabels = {}, matchExpressions = [] }) => Object.keys(matchLabels).length + matchExpressions.length,
  );
  const count = counts.reduce((sum, each) => sum + each, 0);
  if (count <= MAX_REQUIREMENTS) return undefined;
  return `the selectors have ${count} requirements together, of at most ${MAX_REQUIREMENTS}`;
}

/**
 * One draft for each cluster that an entry of `namespace` names or selects, in the order of entries and clusters. A
 * draft without a usable cluster stays, with its violation. Never throws.
 */
export function expand(drafts: readonly Draft[], namespace: string, view: ClusterView): Expansion {
  const problem = selectorsProblem(drafts);
  if (problem !== undefined) return tooMany(problem);
  const parts: Part[] = [];
  let count = 0;
  for (const draft of drafts) {
    const part = expandOne(draft, namespace, view);
    parts.push(part);
    count += part.drafts.length;
    if (count > MAX_DESTINATIONS) return tooMany(`the entries select more than ${MAX_DESTINATIONS} destinations`);
  }
  return joined(parts, namespace);
}
