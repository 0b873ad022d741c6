import groupBy from 'lodash/groupBy.js';
import omit from 'lodash/omit.js';
import pick from 'lodash/pick.js';
import { IDENTITY_FIELDS } from '#api/v1alpha1/overrides.js';
import type { Cluster } from '#controllers/cluster/model/cluster.js';
import {
  isEmptySelector,
  type LabelSelector,
  selectorProblem,
  selects,
} from '#controllers/runtime/pure/label-selector.js';
import { listed } from '#controllers/runtime/pure/listed.js';
import { backendOf } from '../backends/index.js';
import { clusterNameIn } from '../child/cluster.js';
import { type Layer, layOver, type NamedLayer } from '../child/layers.js';
import type { Draft, ExpandedDraft, ValuesLayers, Violation } from '../child/types.js';
import { normalEntry } from '../spec/flux-spec.js';

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
type Candidate = Pick<Cluster, 'id' | 'labels'>;

function quoted(name: string): string {
  return JSON.stringify(name);
}

function overridesIn(layer: Layer): readonly Override[] {
  return (layer['overrides'] ?? []) as readonly Override[]; // as the schema has them
}

const nameSets = new WeakMap<readonly string[], ReadonlySet<string>>();

/** A thousand names are compared with a thousand clusters. */
function setOf(names: readonly string[]): ReadonlySet<string> {
  const known = nameSets.get(names) ?? new Set(names);
  nameSets.set(names, known);
  return known;
}

/** True if the override is for the cluster: with names and a selector, both must hold. */
function isFor({ clusters = {} }: Override, cluster: Candidate, namespace: string): boolean {
  const { names, selector } = clusters;
  if (names === undefined && selector === undefined) return false;
  const isNamed = names === undefined || setOf(names).has(clusterNameIn(namespace, cluster.id));
  return isNamed && (selector === undefined || selects(selector, cluster.labels));
}

/** What an override says of fields. An identity is not one of them, whatever an older CRD let through. */
function fieldsOf(override: Override): Layer {
  return omit(override, ['clusters', ...IDENTITY_FIELDS, 'overrides']);
}

/** The overrides of an entry for a cluster, in their order. */
function matching(layer: Layer, cluster: Candidate, namespace: string): NamedLayer[] {
  return overridesIn(layer).flatMap((override, index) =>
    isFor(override, cluster, namespace) ? [{ origin: `overrides[${index}]`, layer: fieldsOf(override) }] : [],
  );
}

/** The layers of an entry on one cluster of an Application in `namespace`. */
function layersOn(layer: Layer, cluster: Candidate, namespace: string): ValuesLayers {
  const overrides = matching(layer, cluster, namespace);
  const stated = [layer, ...overrides.map((each) => each.layer)].map((each) => each['valuesTemplate']);
  const valuesTemplate = stated.findLast((each) => typeof each === 'string');
  const entry = omit(layer, OWN_FIELDS);
  return { entry, valuesTemplate: valuesTemplate === '' ? undefined : valuesTemplate, overrides };
}

/** An entry with its overrides laid over it in their order: the last one wins, for every type. */
function overridden({ kind }: Draft, { entry, overrides }: ValuesLayers): Draft['layer'] {
  if (overrides.length === 0) return entry;
  const merged = overrides.reduce((under, over) => layOver(under, over.layer), entry);
  return omit(normalEntry(backendOf({ kind }).entrySchema, merged), OWN_FIELDS);
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
  for (const [index, override] of overridesIn(layer).entries()) {
    const problem = problemOfClusters(override);
    if (problem !== undefined) return `overrides[${index}].clusters${problem}`;
  }
  return undefined;
}

function unmatchedNames(override: Override, clusters: readonly Candidate[], namespace: string): string[] {
  const known = new Set(clusters.map(({ id }) => clusterNameIn(namespace, id)));
  return (override.clusters?.names ?? []).filter((name) => !known.has(name));
}

/**
 * What users should know about the overrides of an entry that is on `clusters`: those without a cluster, and names of
 * none of them. Each with its path in the entry.
 */
function overridesWithoutCluster(layer: Layer, clusters: readonly Candidate[], namespace: string): string[] {
  return overridesIn(layer).flatMap((override, index): string[] => {
    const path = `overrides[${index}].clusters`;
    const names = unmatchedNames(override, clusters, namespace);
    if (names.length > 0)
      return [`${path}.names: the entry is on no cluster called ${listed(names.map(quoted), NAMED)}`];
    const isUsed = clusters.some((cluster) => isFor(override, cluster, namespace));
    return isUsed ? [] : [`${path}: matches no cluster of the entry`];
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

/** Layers with their overrides merged, by what was merged; values may be large, and are the same on most clusters. */
type Merged = Map<string, Draft['layer']>;

/** An override for other clusters says Once, and none for this one says which mode it has. */
function mayBeOnce(layer: Layer, { overrides }: ValuesLayers): boolean {
  const isStated = overrides.some((each) => each.layer['mode'] !== undefined);
  return !isStated && overridesIn(layer).some((each) => each['mode'] === 'Once');
}

/** Only the destination of a layer differs between clusters with the same overrides, and no override sets that. */
function onItsCluster(draft: ExpandedDraft, namespace: string, known: Merged): ExpandedDraft {
  const { cluster, layer, specPath } = draft;
  if (cluster === undefined) return draft;
  const values = layersOn(layer, cluster, namespace);
  const key = [specPath, ...values.overrides.map(({ origin }) => origin)].join('\n');
  const merged = known.get(key) ?? overridden(draft, values);
  known.set(key, merged);
  return { ...draft, layer: { ...merged, ...pick(layer, 'destination') }, values, mayBeOnce: mayBeOnce(layer, values) };
}

function warningsOf(drafts: readonly ExpandedDraft[], namespace: string): string[] {
  const entries = Object.values(groupBy(drafts, ({ specPath }) => specPath));
  return entries.flatMap((entry): string[] => {
    const [first] = entry;
    const clusters = entry.flatMap(({ cluster }) => cluster ?? []);
    if (first === undefined || clusters.length === 0) return [];
    return overridesWithoutCluster(first.layer, clusters, namespace).map((text) => `${first.specPath}.${text}`);
  });
}

/** The drafts of an Application in `namespace`, each for its cluster. Never throws. */
export function withOverrides(drafts: readonly ExpandedDraft[], namespace: string): Personal {
  const violations = drafts.flatMap((draft) => {
    const violation = violationOf(draft);
    return violation === undefined ? [] : [[draft.path, violation] as const];
  });
  const merged: Merged = new Map();
  return {
    drafts: drafts.map((draft) => onItsCluster(draft, namespace, merged)),
    violations: new Map(violations),
    warnings: warningsOf(drafts, namespace),
  };
}
