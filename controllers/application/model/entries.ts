import omit from 'lodash/omit.js';
import type { Application } from '../../../api/v1alpha1/application.js';
import { keyOf } from '../../runtime/pure/keys.js';
import type { ChildKind } from './child-kind.js';
import { configOf, fluxSpecOf, helmReleaseOf, kustomizationOf } from './flux-spec.js';
import { clusterText, type ClusterReference, type ReleaseKey } from './identity.js';
import { mergeLayers, type Layer } from './layers.js';
import { childName, consoleKey, defaultReleaseName, destinationKey, filesName } from './names.js';
import type { Entry } from './types.js';

/** Where the entries of an Application are, for messages. */
export const ENTRIES_PATH: Readonly<Record<ChildKind, string>> = {
  HelmRelease: 'spec.fluxApp.spec.config.helmRelease.deploy',
  Kustomization: 'spec.fluxApp.spec.config.kustomization',
};

/** The lowest layer. */
const CONSTANTS: Readonly<Record<ChildKind, Layer>> = {
  HelmRelease: { interval: '10m' },
  Kustomization: { interval: '10m', prune: true },
};

/** Read here; all other fields go to the child as they are. */
const OWN_FIELDS = ['destination', 'name', 'releaseName', 'storageNamespace', 'template'];

/** The fields that the seed's first shape gave to all destinations at once. */
const SHARED_FIELDS = ['suspend', 'timeout', 'dependsOn', 'serviceAccountName'] as const;

function sharedLayer(application: Application): Layer {
  const flux: Layer = fluxSpecOf(application) ?? {};
  const config: Layer = configOf(application) ?? {};
  const shared = SHARED_FIELDS.map((field) => [field, config[field]] as const);
  return { interval: flux['interval'], destination: flux['destination'], ...Object.fromEntries(shared) };
}

interface MergedEntry {
  readonly name?: string;
  readonly releaseName?: string;
  readonly storageNamespace?: string;
  readonly destination?: { readonly kubeConfig?: ClusterReference; readonly targetNamespace?: string };
}

function stated({ releaseName, storageNamespace }: MergedEntry): Entry['stated'] {
  return {
    ...(releaseName === undefined ? {} : { releaseName }),
    ...(storageNamespace === undefined ? {} : { storageNamespace }),
  };
}

interface Place {
  readonly kind: ChildKind;
  readonly targetNamespace: string | undefined;
}

function releaseOf(merged: MergedEntry, applicationName: string, { kind, targetNamespace = '' }: Place): ReleaseKey {
  const cluster = clusterText(merged.destination?.kubeConfig);
  if (kind === 'Kustomization') {
    return { kind, cluster, storageNamespace: targetNamespace, releaseName: filesName(applicationName, merged.name) };
  }
  return {
    kind,
    cluster,
    storageNamespace: merged.storageNamespace ?? targetNamespace,
    releaseName: merged.releaseName ?? defaultReleaseName(applicationName),
  };
}

/** A chart needs a namespace; files may name their own, which a default would overrule. */
function targetNamespaceOf({ metadata }: Application, kind: ChildKind, stated: string | undefined): string | undefined {
  return kind === 'Kustomization' ? stated : (stated ?? metadata.namespace ?? 'default');
}

function clusterNameOf(reference: ClusterReference | undefined): string | undefined {
  return reference?.secretRef?.name ?? reference?.configMapRef?.name;
}

interface Position {
  readonly kind: ChildKind;
  readonly index: number;
}

function entryOf(application: Application, layer: Layer & MergedEntry, { kind, index }: Position): Entry {
  const { metadata } = application;
  const { destination, name } = layer;
  const targetNamespace = targetNamespaceOf(application, kind, destination?.targetNamespace);
  const key = destinationKey(clusterNameOf(destination?.kubeConfig), targetNamespace);
  const release = releaseOf(layer, metadata.name, { kind, targetNamespace });
  return {
    path: `${ENTRIES_PATH[kind]}[${index}]`,
    name,
    key,
    consoleKey: consoleKey(clusterNameOf(destination?.kubeConfig), destination?.targetNamespace),
    kubeConfig: destination?.kubeConfig,
    targetNamespace,
    release,
    childName: childName(metadata.name, key, release),
    fields: omit(layer, OWN_FIELDS),
    stated: stated(layer),
    hasDestination: destination !== undefined,
  };
}

function computeEntries(application: Application): readonly Entry[] {
  const shared = sharedLayer(application);
  const entries = (kind: ChildKind, layers: readonly Layer[] = []): Entry[] =>
    layers.map((layer, index) => entryOf(application, mergeLayers(CONSTANTS[kind], shared, layer), { kind, index }));
  return [
    ...entries('HelmRelease', helmReleaseOf(application)?.deploy),
    ...entries('Kustomization', kustomizationOf(application)),
  ];
}

interface Computed {
  readonly key: string;
  readonly entries: readonly Entry[];
}

/** Indexes, mappings and passes ask again and again about the same spec, which nobody changes in place. */
const computed = new WeakMap<Application['spec'], Computed>();

/**
 * The entries of `helmRelease.deploy[]` and of `kustomization[]`, each with its layers merged: constants, then what the
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
