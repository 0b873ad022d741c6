import omit from 'lodash/omit.js';
import type { Application } from '../../../api/v1alpha1/application.js';
import { configOf, fluxSpecOf, helmReleaseOf } from './flux-spec.js';
import { clusterText, type ClusterReference, type ReleaseKey } from './identity.js';
import { mergeLayers, type Layer } from './layers.js';
import { childName, defaultReleaseName, destinationKey } from './names.js';
import type { Entry } from './types.js';

/** Where the entries of an Application are, for messages. */
export const DEPLOY_PATH = 'spec.fluxApp.spec.config.helmRelease.deploy';

/** The lowest layer. */
const CONSTANTS: Layer = { interval: '10m' };

/** Read here; all other fields go to the child as they are. */
const OWN_FIELDS = ['destination', 'name', 'releaseName', 'storageNamespace'];

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

function releaseOf(merged: MergedEntry, applicationName: string, namespace: string): ReleaseKey {
  return {
    cluster: clusterText(merged.destination?.kubeConfig),
    storageNamespace: merged.storageNamespace ?? namespace,
    releaseName: merged.releaseName ?? defaultReleaseName(applicationName),
  };
}

function clusterNameOf(reference: ClusterReference | undefined): string | undefined {
  return reference?.secretRef?.name ?? reference?.configMapRef?.name;
}

function entryOf({ metadata }: Application, layer: Layer & MergedEntry, path: string): Entry {
  const { destination, name } = layer;
  const targetNamespace = destination?.targetNamespace ?? metadata.namespace ?? 'default';
  const key = destinationKey(clusterNameOf(destination?.kubeConfig), targetNamespace);
  const release = releaseOf(layer, metadata.name, targetNamespace);
  return {
    path,
    name,
    key,
    kubeConfig: destination?.kubeConfig,
    targetNamespace,
    release,
    childName: childName(metadata.name, key, release),
    fields: omit(layer, OWN_FIELDS),
    stated: stated(layer),
    hasDestination: destination !== undefined,
  };
}

/**
 * The entries of `deploy[]`, each with its layers merged: constants, then what the Application says for all, then the
 * entry. Reads `spec.fluxApp` only; no entries when there is no helmRelease.
 */
export function entriesOf(application: Application): Entry[] {
  const deploy: readonly Layer[] = helmReleaseOf(application)?.deploy ?? [];
  const shared = sharedLayer(application);
  return deploy.map((entry, index) =>
    entryOf(application, mergeLayers(CONSTANTS, shared, entry), `${DEPLOY_PATH}[${index}]`),
  );
}
