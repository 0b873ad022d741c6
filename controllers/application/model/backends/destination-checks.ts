import { listed } from '#controllers/runtime/pure/listed.js';
import type { Entry, Violation } from '../types.js';
import { suspendIsSetTwice } from './flux-fields.js';
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
export function namespaceProblem(path: string, name: string): Violation | undefined {
  if (name.length <= MAX_NAMESPACE && NAMESPACE.test(name)) return undefined;
  const message = `${path}: "${name}" is not a valid namespace name; use at most ${MAX_NAMESPACE} lower-case letters, digits and hyphens`;
  return { reason: 'InvalidName', message };
}

function targetNamespaceIsInvalid(entry: Entry): Violation | undefined {
  if (entry.targetNamespace === undefined) return undefined;
  return namespaceProblem(`${entry.path}.destination.targetNamespace`, entry.targetNamespace);
}

/** The violation of a namespace at `path` that the grant of the cluster does not allow. */
export function namespaceIsNotGranted(
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
