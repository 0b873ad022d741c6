import omit from 'lodash/omit.js';
import type { Application } from '#api/v1alpha1/application.js';
import { CLUSTER_FIELDS } from '#api/v1alpha1/destination.js';
import { BACKENDS, backendOf } from './backends/index.js';
import { childName } from './child-name.js';
import { OWN_FIELDS as CLUSTER_VALUES_FIELDS } from './clusters/overrides.js';
import { expand } from './clusters/expand.js';
import type { ClusterView } from './clusters/types.js';
import { clusterLabel, clusterName } from './cluster.js';
import { configOf, fluxSpecOf } from './flux-spec.js';
import { mergeLayers, type Layer } from './layers.js';
import { consoleKey, destinationKey } from './names.js';
import type { Draft, Entry, ExpandedDraft, MergedEntry } from './types.js';
import { defined } from '../../runtime/pure/defined.js';
import { keyOf } from '../../runtime/pure/keys.js';
import { isEmptyMetadata, NO_METADATA, type NamespaceMetadata } from '../../runtime/pure/namespace-metadata.js';
import { isMap } from '../../runtime/pure/plain.js';

/** Read here; all other fields are copied to the child. */
const OWN_FIELDS = [
  ...['destination', 'name', 'releaseName', 'storageNamespace', 'template'],
  ...['namespaceLabels', 'namespaceAnnotations'],
  ...CLUSTER_VALUES_FIELDS,
];

/** Fields that can be set once for all destinations. */
const SHARED_FIELDS = ['suspend', 'timeout', 'dependsOn', 'serviceAccountName'] as const;

function sharedLayer(application: Application): Layer {
  const flux: Layer = fluxSpecOf(application) ?? {};
  const config: Layer = configOf(application) ?? {};
  const shared = SHARED_FIELDS.map((field) => [field, config[field]] as const);
  return { interval: flux['interval'], destination: flux['destination'], ...Object.fromEntries(shared) };
}

function stated({ releaseName, storageNamespace }: MergedEntry): Entry['stated'] {
  return {
    ...defined({ releaseName, storageNamespace }),
  };
}

function namespaceMetadataOf({ namespaceLabels = {}, namespaceAnnotations = {} }: MergedEntry): NamespaceMetadata {
  const metadata = { labels: namespaceLabels, annotations: namespaceAnnotations };
  return isEmptyMetadata(metadata) ? NO_METADATA : metadata;
}

function computeEntry(application: Application, draft: ExpandedDraft): Entry {
  const { metadata } = application;
  const { kind, specPath, path, layer, cluster, allowedNamespaces = 'any' } = draft;
  const { destination, name } = layer;
  const backend = backendOf({ kind });
  const secretName = draft.clusterName ?? clusterName(destination?.kubeConfig);
  const targetNamespace = backend.targetNamespace(application, destination?.targetNamespace);
  const key = destinationKey(secretName, targetNamespace);
  const release = backend.keyOf(application, layer, targetNamespace);
  return {
    path,
    specPath,
    cluster,
    clusterName: draft.clusterName ?? clusterLabel(destination?.kubeConfig),
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
    stated: stated(layer),
    hasDestination: destination !== undefined,
    lacksTemplate: (layer.template ?? '') !== '',
  };
}

interface Computed {
  readonly key: string;
  readonly entry: Entry;
}

const entries = new WeakMap<ExpandedDraft, Computed>();

/** The entry of a draft. Reads name and namespace of the Application only. */
export function entryOf(application: Application, draft: ExpandedDraft): Entry {
  const key = keyOf(application.metadata);
  const known = entries.get(draft);
  if (known?.key === key) return known.entry;
  const entry = computeEntry(application, draft);
  entries.set(draft, { key, entry });
  return entry;
}

/** An entry that names clusters itself does not use those that the Application names for all. */
function withoutClusters(shared: Layer, layer: Layer & MergedEntry): Layer {
  const { destination: own } = layer;
  const { destination } = shared;
  // An explicit null is not set.
  const isStated = CLUSTER_FIELDS.some((field) => (own?.[field] ?? undefined) !== undefined);
  return isStated && isMap(destination) ? { ...shared, destination: omit(destination, CLUSTER_FIELDS) } : shared;
}

/** By the layers of the spec alone, without what may differ from cluster to cluster. */
function selectionText(application: Application, draft: Draft): string | undefined {
  if (draft.layer.destination?.clusterSelector === undefined) return undefined;
  return backendOf(draft).selectionText(computeEntry(application, draft).release);
}

function computeDrafts(application: Application): readonly Draft[] {
  const shared = sharedLayer(application);
  return BACKENDS.flatMap(({ kind, entries, entriesPath, defaults }) =>
    entries(application).map((layer, index) => {
      const path = `${entriesPath}[${index}]`;
      const draft = { kind, specPath: path, path, layer: mergeLayers(defaults, withoutClusters(shared, layer), layer) };
      return { ...draft, selection: selectionText(application, draft) };
    }),
  );
}

/** Indexes, mappings and reconciliations need the drafts of the same spec, which is never changed in place. */
const drafts = new WeakMap<Application['spec'], { readonly key: string; readonly drafts: readonly Draft[] }>();

/**
 * The entries of an Application for all backends, each with its layers merged: constants, then what the Application
 * says for all, then the entry. Reads `spec.fluxApp`, name and namespace only, and no inventory: see `expand`.
 */
export function draftsOf(application: Application): readonly Draft[] {
  const key = keyOf(application.metadata);
  const known = drafts.get(application.spec);
  if (known?.key === key) return known.drafts;
  const computed = computeDrafts(application);
  drafts.set(application.spec, { key, drafts: computed });
  return computed;
}

/** The destinations of an Application, each for one cluster, whatever is wrong with them; none if there are too many. */
export function entriesOf(application: Application, clusters: ClusterView): readonly Entry[] {
  const expansion = expand(draftsOf(application), application.metadata.namespace ?? '', clusters);
  return 'violation' in expansion ? [] : expansion.drafts.map((draft) => entryOf(application, draft));
}
