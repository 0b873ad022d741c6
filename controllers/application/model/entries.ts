import omit from 'lodash/omit.js';
import type { Application } from '#api/v1alpha1/application.js';
import { keyOf } from '../../runtime/pure/keys.js';
import { BACKENDS } from './backends/index.js';
import type { Backend } from './backends/types.js';
import { childName } from './child-name.js';
import { clusterName } from './cluster.js';
import { configOf, fluxSpecOf } from './flux-spec.js';
import { mergeLayers, type Layer } from './layers.js';
import { consoleKey, destinationKey } from './names.js';
import type { Entry, MergedEntry } from './types.js';
import { defined } from '../../runtime/pure/defined.js';

/** Read here; all other fields are copied to the child. */
const OWN_FIELDS = ['destination', 'name', 'releaseName', 'storageNamespace', 'template'];

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

interface Position {
  readonly backend: Backend;
  readonly index: number;
}

function entryOf(application: Application, layer: Layer & MergedEntry, { backend, index }: Position): Entry {
  const { metadata } = application;
  const { destination, name } = layer;
  const cluster = clusterName(destination?.kubeConfig);
  const targetNamespace = backend.targetNamespace(application, destination?.targetNamespace);
  const key = destinationKey(cluster, targetNamespace);
  const release = backend.keyOf(application, layer, targetNamespace);
  return {
    path: `${backend.entriesPath}[${index}]`,
    name,
    key,
    consoleKey: consoleKey(cluster, destination?.targetNamespace),
    kubeConfig: destination?.kubeConfig,
    targetNamespace,
    release,
    childName: childName(metadata.name, key, release),
    fields: omit(layer, OWN_FIELDS),
    stated: stated(layer),
    hasDestination: destination !== undefined,
    lacksTemplate: (layer.template ?? '') !== '',
  };
}

function computeEntries(application: Application): readonly Entry[] {
  const shared = sharedLayer(application);
  return BACKENDS.flatMap((backend) =>
    backend
      .entries(application)
      .map((layer, index) => entryOf(application, mergeLayers(backend.defaults, shared, layer), { backend, index })),
  );
}

interface Computed {
  readonly key: string;
  readonly entries: readonly Entry[];
}

/** Indexes, mappings and reconciliations need the entries of the same spec, which is never changed in place. */
const computed = new WeakMap<Application['spec'], Computed>();

/**
 * The entries of an Application for all backends, each with its layers merged: constants, then what the
 * Application says for all, then the entry. Reads `spec.fluxApp`, name and namespace only.
 */
export function entriesOf(application: Application): readonly Entry[] {
  const key = keyOf(application.metadata);
  const known = computed.get(application.spec);
  if (known?.key === key) return known.entries;
  const entries = computeEntries(application);
  computed.set(application.spec, { key, entries });
  return entries;
}
