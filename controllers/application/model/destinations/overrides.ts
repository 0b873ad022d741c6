import omit from 'lodash/omit.js';
import pick from 'lodash/pick.js';
import { IDENTITY_FIELDS } from '#api/v1alpha1/overrides.js';
import { groupedBy } from '#lib/plain.js';
import { isEmptySelector, type LabelSelector, selectorProblem, selects } from '#lib/kube/label-selector.js';
import { listed } from '#lib/text/text.js';
import type { Cluster } from '../../../cluster/model/cluster.js';
import { backendOf } from '../backends/index.js';
import { ClusterResolver, inventoryNames } from '../child/cluster-names.js';
import type { Layer, NamedLayer } from '../child/layers.js';
import type { ExpandedDraft, Violation } from '../child/types.js';
import { firstFound } from '../child/verdicts.js';
import { normalEntry } from '../spec/flux-spec.js';
import { valuesLayers } from './personal-values.js';

/** Names that a warning lists. */
const NAMED = 5;

/** An entry of `overrides`, as the API server accepted it. */
interface Override extends Layer {
  readonly clusters?: { readonly names?: readonly string[]; readonly selector?: LabelSelector };
}

/** Fields of an entry that are not for its child. */
export const OWN_FIELDS = ['overrides', 'valuesTemplate'];

/** Fields that say something of clusters. */
const CLUSTER_FIELDS = [...OWN_FIELDS, 'ready'];

/** What an override is matched with. */
type Candidate = Pick<Cluster, 'id' | 'labels' | 'isHost'>;

function quoted(name: string): string {
  return JSON.stringify(name);
}

function overridesIn(layer: Layer): readonly Override[] {
  return (layer['overrides'] ?? []) as readonly Override[]; // as the schema has them
}

/** An override, as it is compared with a thousand clusters. */
interface ReadOverride {
  readonly override: Override;
  readonly named: NamedLayer;
  /** Keys of the clusters that the override names, where it names any. */
  readonly keys: ReadonlySet<string> | undefined;
  /** Names of no cluster of the entry. */
  readonly unknown: readonly string[];
  /** The first name that several clusters of the entry have: why it means none, and their keys. */
  readonly shared: { readonly problem: string; readonly keys: ReadonlySet<string> } | undefined;
}

/** The fields that an override sets. An identity is not one of them, whatever an older CRD let through. */
function fieldsOf(override: Override): Layer {
  return omit(override, ['clusters', ...IDENTITY_FIELDS, 'overrides']);
}

function readOverrides(layer: Layer, clusters: ClusterResolver): ReadOverride[] {
  return overridesIn(layer).map((override, index) => {
    const names = override.clusters?.names;
    const named = { origin: `overrides[${index}]`, layer: fieldsOf(override) };
    const found = (names ?? []).map((name) => [name, clusters.find(name)] as const);
    const keys = found.flatMap(([, meant]) => (meant !== undefined && 'key' in meant ? [meant.key] : []));
    const shared = found.flatMap(([, meant]) => (meant !== undefined && 'problem' in meant ? [meant] : []));
    const unknown = found.flatMap(([name, meant]) => (meant === undefined ? [name] : []));
    return { override, named, keys: names === undefined ? undefined : new Set(keys), unknown, shared: shared[0] };
  });
}

function keyOf({ id, isHost }: Candidate): string {
  return inventoryNames(undefined, id, isHost).key ?? '';
}

/** True if the override is for the cluster: with names and a selector, both must hold. */
function isFor({ override, keys }: ReadOverride, cluster: Candidate): boolean {
  const selector = override.clusters?.selector;
  if (keys === undefined && selector === undefined) return false;
  const isNamed = keys?.has(keyOf(cluster)) ?? true;
  return isNamed && (selector === undefined || selects(selector, cluster.labels));
}

function problemOfClusters({ clusters = {} }: Override): string | undefined {
  const { names, selector } = clusters;
  if (names === undefined && selector === undefined) return ' names no cluster: set names, selector, or both';
  if (names?.length === 0) return '.names is empty: add names, or remove the field';
  if (selector === undefined) return undefined;
  const problem = selectorProblem(selector);
  if (problem !== undefined) return `.selector.${problem}`;
  return isEmptySelector(selector)
    ? '.selector is empty, which could only mean all clusters: set matchLabels or matchExpressions, or write the fields in the entry'
    : undefined;
}

/** Why the overrides of an entry cannot be used, with the path in the entry; undefined if they can. */
function overridesProblem(layer: Layer): string | undefined {
  return firstFound(overridesIn(layer).entries(), ([index, override]) => {
    const problem = problemOfClusters(override);
    return problem && `overrides[${index}].clusters${problem}`;
  });
}

/**
 * Warnings about the overrides of an entry that is on `clusters`: those without a cluster, and names of none of them.
 * Each starts with its path in the entry.
 */
function overridesWithoutCluster(overrides: readonly ReadOverride[], clusters: readonly Candidate[]): string[] {
  return overrides.flatMap((each): string[] => {
    const path = `${each.named.origin}.clusters`;
    const { unknown, shared } = each;
    if (unknown.length > 0)
      return [`${path}.names: the entry is on no cluster called ${listed(unknown.map(quoted), NAMED)}`];
    const isUsed = shared !== undefined || clusters.some((cluster) => isFor(each, cluster));
    return isUsed ? [] : [`${path}: matches no cluster of the entry`];
  });
}

/** A name that several clusters have means none of them: what an override is to do there is not known. */
function sharedViolation({ cluster, specPath }: ExpandedDraft, overrides: readonly ReadOverride[]) {
  const key = cluster && keyOf(cluster);
  return firstFound(overrides, ({ shared, named }): Violation | undefined => {
    if (key === undefined || shared?.keys.has(key) !== true) return undefined;
    return { reason: 'OverridesInvalid', message: `${specPath}.${named.origin}.clusters.names: ${shared.problem}` };
  });
}

/** Drafts with their overrides merged; violations by path. */
interface Personal {
  readonly drafts: readonly ExpandedDraft[];
  readonly violations: ReadonlyMap<string, Violation>;
  /** What users should know. */
  readonly warnings: readonly string[];
}

function violationOf({ layer, cluster, specPath }: ExpandedDraft): Violation | undefined {
  const field = CLUSTER_FIELDS.find((each) => layer[each] !== undefined);
  if (cluster === undefined && field !== undefined) {
    const message = `${specPath}.${field} needs clusters of the inventory: name them with destination.clusterRef or destination.clusterSelector`;
    return { reason: 'OverridesInvalid', message };
  }
  const problem = overridesProblem(layer);
  return problem === undefined ? undefined : { reason: 'OverridesInvalid', message: `${specPath}.${problem}` };
}

/** The same on all clusters with the same overrides. */
type OnClusters = Required<Pick<ExpandedDraft, 'layer' | 'values' | 'mayBeOnce'>>;

/** An override for other clusters says Once, and none for these says which mode they have. */
function mayBeOnce(layer: Layer, overrides: readonly NamedLayer[]): boolean {
  const isStated = overrides.some((each) => each.layer['mode'] !== undefined);
  return !isStated && overridesIn(layer).some((each) => each['mode'] === 'Once');
}

/** An entry with its overrides laid over it in their order: the last one wins, for every type. */
function onClusters({ kind, layer }: ExpandedDraft, overrides: readonly NamedLayer[]): OnClusters {
  const stated = [layer, ...overrides.map((each) => each.layer)].map((each) => each['valuesTemplate']);
  const text = stated.findLast((each) => typeof each === 'string');
  const entry = omit(layer, ['destination', ...OWN_FIELDS]);
  const values = valuesLayers({ entry, valuesTemplate: text === '' ? undefined : text, overrides });
  const normal = overrides.length === 0 ? entry : normalEntry(backendOf({ kind }).entrySchema, values.merged);
  return { layer: omit(normal, OWN_FIELDS), values, mayBeOnce: mayBeOnce(layer, overrides) };
}

/** The drafts of one entry, each for its cluster. Only their destinations differ, and no override sets these. */
function personalDrafts(drafts: readonly ExpandedDraft[], overrides: readonly ReadOverride[]) {
  const known = new Map<string, OnClusters>();
  return drafts.map((draft): ExpandedDraft => {
    const { cluster, layer } = draft;
    if (cluster === undefined) return draft;
    const matching = overrides.filter((each) => isFor(each, cluster)).map(({ named }) => named);
    const key = matching.map(({ origin }) => origin).join('\n');
    const found = known.get(key) ?? onClusters(draft, matching);
    known.set(key, found);
    return { ...draft, ...found, layer: { ...found.layer, ...pick(layer, 'destination') } };
  });
}

/** The drafts of an Application in `namespace`, each for its cluster. Never throws. */
export function withOverrides(drafts: readonly ExpandedDraft[], namespace: string): Personal {
  // Those of one entry are neighbours.
  const entries = [...groupedBy(drafts, ({ specPath }) => specPath).values()].map((sharing) => {
    const [first] = sharing;
    const clusters = sharing.flatMap(({ cluster }) => cluster ?? []);
    const resolver = new ClusterResolver(clusters.map(({ id, isHost }) => inventoryNames(namespace, id, isHost)));
    const overrides = first === undefined || clusters.length === 0 ? [] : readOverrides(first.layer, resolver);
    const warnings = overridesWithoutCluster(overrides, clusters);
    const violations = sharing.flatMap((draft) => {
      const violation = violationOf(draft) ?? sharedViolation(draft, overrides);
      return violation === undefined ? [] : [[draft.path, violation] as const];
    });
    return {
      drafts: personalDrafts(sharing, overrides),
      violations,
      warnings: warnings.map((text) => `${first?.specPath ?? ''}.${text}`),
    };
  });
  return {
    drafts: entries.flatMap((entry) => entry.drafts),
    violations: new Map(entries.flatMap(({ violations }) => violations)),
    warnings: entries.flatMap(({ warnings }) => warnings),
  };
}
