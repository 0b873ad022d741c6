import { MAX_RELEASE_NAME } from '#api/flux/release-name.js';
import { metadataProblem } from '#controllers/runtime/pure/namespace-metadata.js';
import type { Layer } from '../layers.js';
import type { Entry, Violation } from '../types.js';
import { namespaceIsNotGranted, namespaceProblem, DESTINATION_CHECKS } from './destination-checks.js';
import { driftIsSetTwice } from './flux-fields.js';
import type { EntryCheck } from './types.js';

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
