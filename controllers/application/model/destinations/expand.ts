import type { ApplicationStatus } from '#api/v1alpha1/application.js';
import {
  CLUSTER_FIELDS,
  type ClusterSelector,
  type ClusterReference as ClusterRef,
} from '#api/v1alpha1/destination.js';
import { isEmptySelector, selectorProblem, selects } from '#lib/kube/label-selector.js';
import { listed } from '#lib/text/text.js';
import type { Access } from '../../../cluster/model/access.js';
import { type Cluster, type ClusterId, clusterIdText, readReference } from '../../../cluster/model/cluster.js';
import { credentialRefOf, isCredentialName } from '../../../cluster/model/credential-name.js';
import { clusterNameIn, type ClusterView } from '../child/cluster.js';
import type { ClusterReference, Draft, ExpandedDraft, Violation } from '../child/types.js';

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

function onCluster(draft: Draft, cluster: Cluster, access: Usable, namespace: string): ExpandedDraft {
  const name = clusterNameIn(namespace, cluster.id);
  const secretRef = credentialRefOf(cluster, namespace);
  return {
    ...draft,
    layer: withCluster(draft, secretRef === undefined ? undefined : { secretRef }),
    path: `${draft.specPath} (cluster ${name})`,
    entry: undefined,
    cluster,
    clusterName: name,
    allowedNamespaces: access.targetNamespaces,
  };
}

/** It keeps its place among the entries, and is for no cluster. */
function rejected(draft: Draft, clusterName: string, reason: Violation['reason'], problem: string): Part {
  const path = draft.specPath;
  const layer = withCluster(draft, { unresolved: path });
  const unresolved = { ...draft, clusterName, layer, entry: undefined };
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
  if ('problem' in id) return rejected(draft, ref.name, 'ClusterRefInvalid', `.clusterRef.${id.problem}`);
  const cluster = view.find(clusterIdText(id));
  const access = cluster === undefined ? undefined : view.accessOf(cluster, namespace);
  if (cluster === undefined || access?.allowed !== true) {
    const problem = notUsable(id, namespace, view);
    return rejected(draft, clusterNameIn(namespace, id), 'ClusterNotFound', problem);
  }
  return { drafts: [onCluster(draft, cluster, access, namespace)] };
}

function problemOf(selector: ClusterSelector): string | undefined {
  const problem = selectorProblem(selector);
  if (problem !== undefined) return `.clusterSelector.${problem}`;
  if (!isEmptySelector(selector)) return undefined;
  return '.clusterSelector is empty, which could only mean all clusters: set matchLabels or matchExpressions';
}

/** A cluster that is not ready, or paused, matches as any other one. */
function expandSelector(draft: Draft, selector: ClusterSelector, namespace: string, view: ClusterView): Part {
  const problem = problemOf(selector);
  if (problem !== undefined) return rejected(draft, 'unknown', 'ClusterSelectorInvalid', problem);
  const { exclude = [] } = selector;
  const named = new Set<string>();
  const matched: ExpandedDraft[] = [];
  const excluded: Cluster[] = [];
  for (const cluster of view.clusters) {
    if (!selects(selector, cluster.labels)) continue;
    const access = view.accessOf(cluster, namespace);
    if (!access.allowed) continue;
    const name = clusterNameIn(namespace, cluster.id);
    named.add(name);
    if (exclude.includes(name)) excluded.push(cluster);
    else matched.push(onCluster(draft, cluster, access, namespace));
  }
  const clusters = matched.flatMap(({ cluster }) => cluster ?? []);
  const unknown = exclude.filter((name) => !named.has(name));
  return {
    drafts: matched,
    selection: { path: draft.specPath, text: draft.selection ?? '', matched: clusters, excluded, unknown },
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
    return rejected(draft, 'unknown', 'DestinationAmbiguous', problem);
  }
  if (clusterRef !== undefined) return expandRef(draft, clusterRef, namespace, view);
  if (clusterSelector !== undefined) return expandSelector(draft, clusterSelector, namespace, view);
  const violation = madeCredentialIsNamed(draft);
  return violation === undefined ? { drafts: [draft] } : { drafts: [draft], violation };
}

function tooMany(what: string): Expansion {
  return { violation: { reason: 'TooManyDestinations', message: `${what}: use several Applications` } };
}

function joined(parts: readonly Part[]): Expanded {
  const violations = parts.flatMap(({ drafts: [draft], violation }) =>
    draft === undefined || violation === undefined ? [] : [[draft.path, violation] as const],
  );
  return {
    drafts: parts.flatMap(({ drafts }) => drafts),
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
  return joined(parts);
}

/** The most of all entries together: the status keeps small. */
const LISTED = 50;
const WHY = 'named in exclude';

type Status = NonNullable<ApplicationStatus['clusters']>;

/** The clusters that selectors of an Application in `namespace` chose, for its status; undefined: it has none. */
export function selectionStatus(
  selections: readonly Selection[],
  namespace: string | undefined,
): ApplicationStatus['clusters'] {
  if (selections.length === 0) return undefined;
  let room = LISTED;
  const selectors = selections.map(({ path, matched, excluded }): Status['selectors'][number] => {
    const names = excluded.map(({ id }) => clusterNameIn(namespace, id)).slice(0, room);
    room -= names.length;
    const listed = names.length === 0 ? {} : { excluded: names.map((cluster) => ({ cluster, why: WHY })) };
    return { entry: path, matched: matched.length, ...listed };
  });
  const excluded = selections.reduce((sum, selection) => sum + selection.excluded.length, 0);
  return {
    matched: selections.reduce((sum, { matched }) => sum + matched.length, 0),
    excluded,
    selectors,
    ...(excluded > LISTED ? { truncated: true } : {}),
  };
}

const NAMED = 5;

function warningsOf({ path, matched, unknown }: Selection): string[] {
  const field = `${path}.destination.clusterSelector`;
  const names = unknown.map((name) => JSON.stringify(name));
  return [
    ...(matched.length > 0 ? [] : [`${field}: no cluster matches`]),
    ...(unknown.length === 0 ? [] : [`${field}.exclude: no matching cluster is called ${listed(names, NAMED)}`]),
  ];
}

/** Warnings about selectors; `lost`: why clusters may be missing. */
export function selectionWarnings(selections: readonly Selection[], lost: readonly string[]): string[] {
  if (selections.length === 0) return [];
  return [...selections.flatMap(warningsOf), ...lost.map((why) => `clusters may be missing: ${why}`)];
}
