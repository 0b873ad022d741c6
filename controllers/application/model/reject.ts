import type { ChildKind } from './child-kind.js';
import { clusterLabel, releaseKeyText } from './identity.js';
import type { Layer } from './layers.js';
import { directoryOf } from './match-files.js';
import { MAX_RELEASE_NAME } from './names.js';
import type { Child, Entry, RejectedEntry, Violation } from './types.js';

const MAX_NAMESPACE = 63;
const NAMESPACE = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const RELEASE_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

type Check = (entry: Entry) => Violation | undefined;

function destinationIsMissing(entry: Entry): Violation | undefined {
  if (entry.hasDestination) return undefined;
  return {
    reason: 'DestinationMissing',
    message: `${entry.path}.destination is missing: write "destination: {targetNamespace: NAME}" for the host cluster, or add kubeConfig for another cluster`,
  };
}

function kubeConfigNamesNothing(entry: Entry): Violation | undefined {
  const { kubeConfig } = entry;
  if (kubeConfig === undefined || kubeConfig.secretRef !== undefined || kubeConfig.configMapRef !== undefined) {
    return undefined;
  }
  return {
    reason: 'DestinationMissing',
    message: `${entry.path}.destination.kubeConfig does not name a Secret: add secretRef.name, or remove kubeConfig to use the host cluster`,
  };
}

function namespaceProblem(path: string, name: string): Violation | undefined {
  if (name.length <= MAX_NAMESPACE && NAMESPACE.test(name)) return undefined;
  const message = `${path}: "${name}" is not a valid namespace name; use at most ${MAX_NAMESPACE} lower-case letters, digits and hyphens`;
  return { reason: 'InvalidName', message };
}

function targetNamespaceIsInvalid(entry: Entry): Violation | undefined {
  if (entry.targetNamespace === undefined) return undefined;
  return namespaceProblem(`${entry.path}.destination.targetNamespace`, entry.targetNamespace);
}

function storageNamespaceIsInvalid(entry: Entry): Violation | undefined {
  return namespaceProblem(`${entry.path}.storageNamespace`, entry.release.storageNamespace);
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

/** The API server would refuse the child, on every try; only the whole of all layers tells. */
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
    message: `${path}.retryInterval goes with ${path}.name: RetryOnFailure only; add that, or remove retryInterval`,
  };
}

const PLACE_CHECKS: readonly Check[] = [destinationIsMissing, kubeConfigNamesNothing, targetNamespaceIsInvalid];

const CHECKS: Readonly<Record<ChildKind, readonly Check[]>> = {
  HelmRelease: [
    ...PLACE_CHECKS,
    storageNamespaceIsInvalid,
    releaseNameIsInvalid,
    appliesOnTheClient,
    strategyHasNoName,
    pausesWithoutStrategy,
  ],
  Kustomization: PLACE_CHECKS,
};

/** Paths of all entries for which `keyOf` gives the same text, for each that is not alone. */
function sharersBy(entries: readonly Entry[], keyOf: (entry: Entry) => string | undefined): Map<Entry, string[]> {
  const groups = new Map<string, Entry[]>();
  for (const entry of entries) {
    const key = keyOf(entry);
    if (key !== undefined) groups.set(key, [...(groups.get(key) ?? []), entry]);
  }
  const shared = [...groups.values()].filter((group) => group.length > 1);
  return new Map(shared.flatMap((group) => group.map((entry) => [entry, group.map(({ path }) => path)])));
}

/** The same words for each of them, so that they need to be said only once. */
function sharedIdentity(entry: Entry, paths: readonly string[]): Violation {
  const { kind, releaseName, storageNamespace } = entry.release;
  if (kind === 'Kustomization') {
    const cluster = clusterLabel(entry.kubeConfig);
    const place =
      storageNamespace === '' ? `cluster ${cluster}` : `namespace ${storageNamespace} of cluster ${cluster}`;
    const message = `${paths.join(' and ')} define the same ${place}: give each its own name, or remove one`;
    return { reason: 'DuplicateDestination', message };
  }
  const message = `${paths.join(' and ')} define the same release ${storageNamespace}/${releaseName} on the same cluster: set a different releaseName, or remove one`;
  return { reason: 'DuplicateDestination', message };
}

function sharedName(entry: Entry, paths: readonly string[]): Violation {
  const message = `${paths.map((path) => `${path}.name`).join(' and ')} are both "${entry.name ?? ''}": names must differ`;
  return { reason: 'DuplicateDestination', message };
}

/** Who else in the cluster holds the release that an entry means; undefined when it is free. */
export type FindRival = (entry: Entry) => string | undefined;

/** What else is wrong with an entry, as its template says. */
export type FindFlaw = (entry: Entry) => Violation | undefined;

function heldByAnother(entry: Entry, findRival: FindRival): Violation | undefined {
  const rival = findRival(entry);
  if (rival === undefined) return undefined;
  const { releaseName, storageNamespace } = entry.release;
  const message = `${entry.path}: release ${storageNamespace}/${releaseName} belongs to ${rival}: choose another releaseName, or delete that object`;
  return { reason: 'ReleaseConflict', message };
}

/** The violation of each entry that has one, in the order of the entries. The others may go on. Never throws. */
export function rejectedEntries(
  entries: readonly Entry[],
  findRival: FindRival = () => undefined,
  findFlaw: FindFlaw = () => undefined,
): RejectedEntry[] {
  const sameRelease = sharersBy(entries, (entry) => releaseKeyText(entry.release));
  const sameName = sharersBy(entries, (entry) => entry.name);
  return entries.flatMap((entry) => {
    const sharers = sameRelease.get(entry);
    const namesakes = sameName.get(entry);
    const violation =
      CHECKS[entry.release.kind].map((check) => check(entry)).find((found) => found !== undefined) ??
      (sharers === undefined ? undefined : sharedIdentity(entry, sharers)) ??
      (namesakes === undefined ? undefined : sharedName(entry, namesakes)) ??
      heldByAnother(entry, findRival) ??
      findFlaw(entry);
    return violation === undefined ? [] : [{ entry, violation }];
  });
}

/** The violation of an entry of files that may go on from any of `children`. */
export function unclearEntry(entry: Entry, children: readonly Child[]): RejectedEntry {
  const names = children.map(({ metadata, spec }) => `${metadata.name} (${directoryOf(spec) || '.'})`).sort();
  const message = `${entry.path}: it is unclear whether the entry continues Kustomization ${names.join(', or ')}: change names first and paths afterwards, or remove the old entries before you add new ones`;
  return { entry, violation: { reason: 'DestinationUnclear', message } };
}
