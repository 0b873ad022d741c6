import { MAX_RELEASE_NAME } from '#api/flux/helm-release.js';
import { listed } from '#lib/text/text.js';
import { metadataProblem } from '#lib/kube/namespace-metadata.js';
import type { Layer } from '../child/layers.js';
import type { Entry, Violation } from '../child/types.js';
import { driftIsSetTwice, suspendIsSetTwice } from './fields.js';
import type { EntryCheck } from './types.js';

const MAX_NAMESPACE = 63;
const NAMED_NAMESPACES = 10;
const NAMESPACE = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

function destinationIsMissing(entry: Entry): Violation | undefined {
  if (entry.hasDestination) return undefined;
  return {
    reason: 'DestinationMissing',
    message: `${entry.path}.destination is missing: write "destination: {targetNamespace: NAME}" for the host cluster, or add kubeConfig for another cluster`,
  };
}

function kubeConfigNamesNothing(entry: Entry): Violation | undefined {
  const { kubeConfig } = entry;
  if (kubeConfig === undefined || Object.values(kubeConfig).some((reference) => reference !== undefined)) {
    return undefined;
  }
  return {
    reason: 'DestinationMissing',
    message: `${entry.path}.destination.kubeConfig does not name a Secret: add secretRef.name, or remove kubeConfig to use the host cluster`,
  };
}

/** The violation of an invalid namespace name at `path`. */
function namespaceProblem(path: string, name: string): Violation | undefined {
  if (name.length <= MAX_NAMESPACE && NAMESPACE.test(name)) return undefined;
  const message = `${path}: "${name}" is not a valid namespace name; use at most ${MAX_NAMESPACE} lower-case letters, digits and hyphens`;
  return { reason: 'InvalidName', message };
}

function targetNamespaceIsInvalid(entry: Entry): Violation | undefined {
  if (entry.targetNamespace === undefined) return undefined;
  return namespaceProblem(`${entry.path}.destination.targetNamespace`, entry.targetNamespace);
}

/** The violation of a namespace at `path` that the grant of the cluster does not allow. */
function namespaceIsNotGranted(
  { allowedNamespaces, clusterName }: Entry,
  path: string,
  namespace: string | undefined,
): Violation | undefined {
  if (allowedNamespaces === 'any' || (namespace !== undefined && allowedNamespaces.includes(namespace))) {
    return undefined;
  }
  const allowed = listed(allowedNamespaces, NAMED_NAMESPACES);
  const problem = namespace === undefined ? 'is missing' : `"${namespace}" is not allowed`;
  const message = `${path}: ${problem}: the grant of cluster ${clusterName} allows ${allowed}; use one of these`;
  return { reason: 'AccessDenied', message };
}

function targetNamespaceIsNotGranted(entry: Entry): Violation | undefined {
  return namespaceIsNotGranted(entry, `${entry.path}.destination.targetNamespace`, entry.targetNamespace);
}

/** The checks of every entry. */
export const DESTINATION_CHECKS: readonly EntryCheck[] = [
  destinationIsMissing,
  kubeConfigNamesNothing,
  targetNamespaceIsInvalid,
  targetNamespaceIsNotGranted,
  suspendIsSetTwice,
];

const RELEASE_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

function storageNamespaceIsInvalid(entry: Entry): Violation | undefined {
  return namespaceProblem(`${entry.path}.storageNamespace`, entry.release.storageNamespace);
}

function storageNamespaceIsNotGranted(entry: Entry): Violation | undefined {
  return namespaceIsNotGranted(entry, `${entry.path}.storageNamespace`, entry.release.storageNamespace);
}

function releaseNameIsInvalid(entry: Entry): Violation | undefined {
  const { releaseName } = entry.release;
  if (releaseName.length <= MAX_RELEASE_NAME && RELEASE_NAME.test(releaseName)) return undefined;
  return {
    reason: 'InvalidName',
    message: `${entry.path}.releaseName: "${releaseName}" (${releaseName.length} characters) is not a valid release name; use at most ${MAX_RELEASE_NAME} lower-case letters, digits, hyphens and dots`,
  };
}
/** A field of the options of an action, e.g. of `upgrade`; undefined where there are none. */
function optionOf(fields: Layer, action: string, field: string): unknown {
  const options = fields[action];
  return typeof options === 'object' && options !== null ? (options as Layer)[field] : undefined;
}

function appliesOnTheClient(entry: Entry): Violation | undefined {
  const action = ['install', 'upgrade', 'rollback'].find((each) => {
    const mode = optionOf(entry.fields, each, 'serverSideApply');
    return mode === false || mode === 'disabled';
  });
  if (action === undefined) return undefined;
  return {
    reason: 'ClientSideApplyRefused',
    message: `${entry.path}.${action}.serverSideApply disables server-side apply, which is not supported; remove the field`,
  };
}

/** The API server would reject the child. Only visible once all layers are merged. */
function strategyHasNoName(entry: Entry): Violation | undefined {
  const action = ['install', 'upgrade'].find((each) => {
    const strategy = optionOf(entry.fields, each, 'strategy') as Layer | undefined;
    return strategy !== undefined && strategy['name'] === undefined && strategy['retryInterval'] === undefined;
  });
  if (action === undefined) return undefined;
  const path = `${entry.path}.${action}.strategy`;
  const message = `${path}.name is missing: write RemediateOnFailure or RetryOnFailure, or remove strategy`;
  return { reason: 'InvalidStrategy', message };
}

function pausesWithoutStrategy(entry: Entry): Violation | undefined {
  const action = ['install', 'upgrade'].find((each) => {
    const strategy = (optionOf(entry.fields, each, 'strategy') ?? {}) as Layer;
    return strategy['retryInterval'] !== undefined && strategy['name'] !== 'RetryOnFailure';
  });
  if (action === undefined) return undefined;
  const path = `${entry.path}.${action}.strategy`;
  return {
    reason: 'InvalidStrategy',
    message: `${path}.retryInterval requires ${path}.name: RetryOnFailure; set it, or remove retryInterval`,
  };
}

function namespaceMetadataIsInvalid({ path, namespaceMetadata }: Entry): Violation | undefined {
  const wrong = metadataProblem(namespaceMetadata);
  if (wrong === undefined) return undefined;
  const field = wrong.kind === 'labels' ? 'namespaceLabels' : 'namespaceAnnotations';
  return { reason: 'NamespaceMetadataInvalid', message: `${path}.${field}: ${wrong.problem}` };
}

/** The checks of an entry for a Helm release. */
export const RELEASE_CHECKS: readonly EntryCheck[] = [
  ...DESTINATION_CHECKS,
  storageNamespaceIsInvalid,
  storageNamespaceIsNotGranted,
  releaseNameIsInvalid,
  appliesOnTheClient,
  strategyHasNoName,
  pausesWithoutStrategy,
  driftIsSetTwice,
  namespaceMetadataIsInvalid,
];
