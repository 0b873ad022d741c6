import omit from 'lodash/omit.js';
import type { Application } from '#api/v1alpha1/application.js';
import { CLUSTER_FIELDS } from '#api/v1alpha1/destination.js';
import { printTemplatesInUse } from '#api/v1alpha1/template.js';
import { keyOf } from '#lib/kube/keys.js';
import { isEmptyMetadata, type NamespaceMetadata, NO_METADATA } from '#lib/kube/namespace-metadata.js';
import { defined, isMap } from '#lib/plain.js';
import { layersWithTemplate } from '../backends/fields.js';
import { backendOf, BACKENDS } from '../backends/index.js';
import { clusterName, type ClusterView } from '../child/cluster.js';
import { kubeConfigNames } from '../child/cluster-names.js';
import { type EntryLayers, inOrder, type Layer, mergeEntry, type NamedLayer } from '../child/layers.js';
import { consoleKey, destinationKey } from '../child/messages.js';
import type { Draft, Entry, ExpandedDraft, MergedEntry } from '../child/types.js';
import { CONFIG_PATH, configOf, fluxSpecOf, SPEC_PATH } from '../spec/flux-spec.js';
import type { FoundTemplate } from '../spec/template-lookup.js';
import { expand } from './expand.js';
import { childName } from './identity.js';
import { OWN_FIELDS as CLUSTER_VALUES_FIELDS } from './overrides.js';

/** Read here; all other fields are copied to the child. */
const OWN_FIELDS = [
  ...['destination', 'name', 'releaseName', 'storageNamespace', 'template', 'mode', 'ready'],
  ...['namespaceLabels', 'namespaceAnnotations'],
  ...CLUSTER_VALUES_FIELDS,
];

/** Fields that can be set once for all destinations. */
const SHARED_FIELDS = ['suspend', 'timeout', 'dependsOn', 'serviceAccountName'] as const;

/** What the Application says for all entries, each field by its path. */
function sharedLayers(application: Application): NamedLayer[] {
  const flux: Layer = fluxSpecOf(application) ?? {};
  const config: Layer = configOf(application) ?? {};
  const layerOf = (path: string, from: Layer, field: string): NamedLayer[] =>
    from[field] === undefined ? [] : [{ origin: `${path}.${field}`, layer: { [field]: from[field] } }];
  return [
    ...['interval', 'destination'].flatMap((field) => layerOf(SPEC_PATH, flux, field)),
    ...SHARED_FIELDS.flatMap((field) => layerOf(CONFIG_PATH, config, field)),
  ];
}

function namespaceMetadataOf({ namespaceLabels = {}, namespaceAnnotations = {} }: MergedEntry): NamespaceMetadata {
  const metadata = { labels: namespaceLabels, annotations: namespaceAnnotations };
  return isEmptyMetadata(metadata) ? NO_METADATA : metadata;
}

function lifeOf({ layer, mayBeOnce = false }: ExpandedDraft): Pick<Entry, 'mode' | 'mayBeOnce' | 'ready'> {
  const { mode = 'Continuous', ready } = layer;
  return { mode, mayBeOnce, ready };
}

/** The names of the cluster of a draft, and that of its kubeconfig in keys; undefined: it has none. */
function clusterOf(
  { names, clusterName: shown, layer: { destination } }: ExpandedDraft,
  namespace: string | undefined,
) {
  const all = names ?? kubeConfigNames(namespace, destination?.kubeConfig);
  const secretName = names?.short ?? clusterName(destination?.kubeConfig);
  return { secretName, names: all, clusterName: shown ?? all.short };
}

function computeEntry(application: Application, draft: ExpandedDraft): Entry {
  const { metadata } = application;
  const { kind, specPath, path, layer, cluster, allowedNamespaces = 'any' } = draft;
  const { destination, name, releaseName, storageNamespace } = layer;
  const backend = backendOf({ kind });
  const { secretName, ...ofCluster } = clusterOf(draft, metadata.namespace);
  const targetNamespace = backend.targetNamespace(application, destination?.targetNamespace);
  const key = destinationKey(secretName, targetNamespace);
  const release = backend.keyOf(application, layer, targetNamespace);
  return {
    path,
    specPath,
    cluster,
    ...ofCluster,
    allowedNamespaces,
    selection: draft.selection,
    name,
    key,
    consoleKey: consoleKey(secretName, destination?.targetNamespace),
    kubeConfig: destination?.kubeConfig,
    targetNamespace,
    release,
    childName: childName(metadata.name, key, release),
    values: draft.values,
    namespaceMetadata: namespaceMetadataOf(layer),
    fields: backend.fluxFields(omit(layer, OWN_FIELDS)),
    stated: defined({ releaseName, storageNamespace }),
    ...lifeOf(draft),
    hasDestination: destination !== undefined,
    lacksTemplate: (layer.template ?? '') !== '',
  };
}

/** The entry of a draft of the Application, whose name and namespace are read only. */
export function entryOf(application: Application, draft: ExpandedDraft): Entry {
  return draft.entry ?? computeEntry(application, draft);
}

/** An entry that names clusters itself does not use those that the Application names for all. */
function withoutClusters(shared: Layer, layer: Layer & MergedEntry): Layer {
  const { destination: own } = layer;
  const { destination } = shared;
  // An explicit null is not set.
  const isStated = CLUSTER_FIELDS.some((field) => (own?.[field] ?? undefined) !== undefined);
  return isStated && isMap(destination) ? { ...shared, destination: omit(destination, CLUSTER_FIELDS) } : shared;
}

/** The layers of an entry of the Application that has no template. */
function layersOf(defaults: Layer, shared: readonly NamedLayer[], origin: string, entry: Layer): EntryLayers {
  return {
    defaults: [{ origin: 'default', layer: defaults }],
    application: shared.map((each) => ({ ...each, layer: withoutClusters(each.layer, entry) })),
    entry: [{ origin, layer: entry }],
  };
}

/** Only the layers of the spec are the same for all clusters: they say for what a selector selects. */
function withEntry(application: Application, draft: Draft): Draft {
  const entry = computeEntry(application, draft);
  if (draft.layer.destination?.clusterSelector === undefined) return { ...draft, entry };
  const selection = backendOf(draft).selectionText(entry.release);
  return { ...draft, selection, entry: { ...entry, selection } };
}

function computeDrafts(application: Application): readonly Draft[] {
  const shared = sharedLayers(application);
  return BACKENDS.flatMap(({ kind, entries, entriesPath, defaults }) =>
    entries(application).map((entry, index) => {
      const path = `${entriesPath}[${index}]`;
      const layer = mergeEntry(layersOf(defaults, shared, path, entry));
      return withEntry(application, { kind, specPath: path, path, layer });
    }),
  );
}

/**
 * The layers of each entry without its overrides, by its path, the lowest first. The Application has its templates not
 * merged yet; `templateOf` finds that of an entry.
 */
export function entryLayers(
  application: Application,
  templateOf: (entry: Pick<Draft, 'specPath'>) => FoundTemplate | undefined,
): ReadonlyMap<string, readonly NamedLayer[]> {
  const shared = sharedLayers(application);
  const layers = BACKENDS.flatMap(({ entries, entriesPath, defaults }) =>
    entries(application).map((entry, index) => {
      const specPath = `${entriesPath}[${index}]`;
      const template = templateOf({ specPath });
      const names = template && { template: printTemplatesInUse([template.inUse]), entry: specPath };
      const own = template && names && layersWithTemplate(template.spec, entry, names);
      return [specPath, inOrder({ ...layersOf(defaults, shared, specPath, entry), ...own })] as const;
    }),
  );
  return new Map(layers);
}

/** All that follows from a spec alone and is asked for again and again. */
interface SpecFacts {
  drafts?: { readonly key: string; readonly drafts: readonly Draft[] };
  isTooDeep?: boolean;
  rollout?: { readonly problem: string | undefined };
}

/**
 * A cache: indexes, mappings and passes need the drafts of the same spec on every event, and of an Application with
 * thousands of entries they cost more than the rest of a mapping. So it is with the schedules of a rollout, which every
 * pass of a made source checks for each of its users. A spec is never changed in place.
 */
const facts = new WeakMap<Application['spec'], SpecFacts>();

/** The facts of a spec that were computed so far; whoever computes one adds it. */
export function factsOfSpec(spec: Application['spec']): SpecFacts {
  const known = facts.get(spec) ?? {};
  facts.set(spec, known);
  return known;
}

/**
 * The entries of an Application for all backends, each with its layers merged: constants, then what the Application
 * says for all, then the entry. Reads `spec.fluxApp`, name and namespace only, and no inventory: see `expand`.
 */
export function draftsOf(application: Application): readonly Draft[] {
  const key = keyOf(application.metadata);
  const known = factsOfSpec(application.spec);
  if (known.drafts?.key !== key) known.drafts = { key, drafts: computeDrafts(application) };
  return known.drafts.drafts;
}

/** The destinations of an Application, each for one cluster, whatever is wrong with them; none if there are too many. */
export function entriesOf(application: Application, clusters: ClusterView): readonly Entry[] {
  const expansion = expand(draftsOf(application), application.metadata.namespace ?? '', clusters);
  return 'violation' in expansion ? [] : expansion.drafts.map((draft) => entryOf(application, draft));
}
