import type { ClusterGrant, ClusterGrantSpec } from '#api/v1alpha1/cluster-grant.js';
import type { ClusterGrantReason } from '#api/v1alpha1/conditions.js';
import { isEmptySelector, selectorProblem, selects, type LabelSelector } from '#lib/kube/label-selector.js';
import type { Violation } from '#lib/errors.js';
import { clusterIdText, type Cluster, type ClusterId, readReference } from './cluster.js';

type Labels = Readonly<Record<string, string>>;

/** What a namespace gets: the credential of the inventory, or tokens of a ServiceAccount of the cluster. */
export type GrantedCredential =
  | { readonly type: 'SharedCredential' }
  | { readonly type: 'ServiceAccountToken'; readonly namespace: string; readonly name: string };

/** Whose credential it is, as annotations have it. */
export function accountText(credential: GrantedCredential): string {
  return credential.type === 'SharedCredential' ? credential.type : `${credential.namespace}/${credential.name}`;
}

/** Whose rights a namespace has with it, for messages. */
export function rightsText(credential: GrantedCredential): string {
  return credential.type === 'SharedCredential'
    ? "with the inventory's own credential"
    : `as ServiceAccount ${accountText(credential)}`;
}

/** A valid ClusterGrant, ready to be asked about thousands of clusters. */
export interface Grant {
  readonly name: string;
  readonly targetNamespaces: 'any' | readonly string[];
  readonly credential: GrantedCredential;
  /** Identities of the clusters by name. */
  readonly clusters: ReadonlySet<string>;
  readonly clusterSelector: LabelSelector | undefined;
  /** Undefined: that of the controller. */
  readonly clusterNamespaces: ReadonlySet<string> | undefined;
  readonly namespaces: ReadonlySet<string>;
  readonly namespaceSelector: LabelSelector | undefined;
}

/** Why a grant grants nothing. */
export type GrantViolation = Violation<ClusterGrantReason>;

type Check = (spec: ClusterGrantSpec) => GrantViolation | undefined;

function choiceIsInvalid(
  path: string,
  { names = [], selector }: { names?: readonly unknown[] | undefined; selector?: LabelSelector | undefined },
): GrantViolation | undefined {
  if (names.length === 0 && selector === undefined) {
    return { reason: 'SelectionMissing', message: `${path}: set names, selector or both` };
  }
  if (selector === undefined) return undefined;
  const problem = selectorProblem(selector);
  if (problem !== undefined) return { reason: 'InvalidSelector', message: `${path}.selector.${problem}` };
  if (!isEmptySelector(selector)) return undefined;
  const message = `${path}.selector: is empty, which could only mean everything; set matchLabels or matchExpressions`;
  return { reason: 'InvalidSelector', message };
}

function selectedNamespacesAreUnused({ clusters }: ClusterGrantSpec): GrantViolation | undefined {
  if (clusters.namespaces === undefined || clusters.selector !== undefined) return undefined;
  const message = 'spec.clusters.namespaces: only limits what selector may match; set selector, or remove it';
  return { reason: 'InvalidSelector', message };
}

function referenceIsInvalid({ clusters: { names = [] } }: ClusterGrantSpec): GrantViolation | undefined {
  for (const [index, reference] of names.entries()) {
    const read = readReference(reference, undefined);
    if ('problem' in read) {
      return { reason: 'InvalidReference', message: `spec.clusters.names[${index}].${read.problem}` };
    }
  }
  return undefined;
}

function targetsAreUnclear({ targetNamespaces }: ClusterGrantSpec): GrantViolation | undefined {
  if (!targetNamespaces.includes('*') || targetNamespaces.length === 1) return undefined;
  return {
    reason: 'InvalidTargetNamespace',
    message: 'spec.targetNamespaces: "*" allows all namespaces; remove it, or all others',
  };
}

function credentialIsUnclear({ credential, serviceAccount }: ClusterGrantSpec): GrantViolation | undefined {
  const isShared = credential === 'SharedCredential';
  if (isShared !== (serviceAccount !== undefined)) return undefined;
  const message = isShared
    ? "spec.serviceAccount: has no effect with credential: SharedCredential, which hands out the inventory's own credential; remove one of them"
    : 'spec.serviceAccount: is missing; name the ServiceAccount of the clusters whose permissions are granted';
  return { reason: 'CredentialUnclear', message };
}

const CHECKS: readonly Check[] = [
  ({ clusters }) => choiceIsInvalid('spec.clusters', clusters),
  ({ namespaces }) => choiceIsInvalid('spec.namespaces', namespaces),
  selectedNamespacesAreUnused,
  referenceIsInvalid,
  targetsAreUnclear,
  credentialIsUnclear,
];

/** The first thing that keeps a grant from being used. Never throws. */
export function grantViolation({ spec }: ClusterGrant): GrantViolation | undefined {
  for (const check of CHECKS) {
    const found = check(spec);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Of a spec without a violation. */
export function grantedCredential({ serviceAccount }: ClusterGrantSpec): GrantedCredential {
  return serviceAccount === undefined
    ? { type: 'SharedCredential' }
    : { type: 'ServiceAccountToken', ...serviceAccount };
}

function readGrant(grant: ClusterGrant): Grant | undefined {
  const { metadata, spec } = grant;
  if (metadata.deletionTimestamp !== undefined || grantViolation(grant) !== undefined) return undefined;
  const { clusters, namespaces, targetNamespaces } = spec;
  const ids = (clusters.names ?? []).map((reference) => readReference(reference, undefined));
  return {
    name: metadata.name,
    targetNamespaces: targetNamespaces.includes('*') ? 'any' : targetNamespaces,
    credential: grantedCredential(spec),
    clusters: new Set(ids.flatMap((id) => ('problem' in id ? [] : [clusterIdText(id)]))),
    clusterSelector: clusters.selector,
    clusterNamespaces: clusters.namespaces === undefined ? undefined : new Set(clusters.namespaces),
    namespaces: new Set(namespaces.names ?? []),
    namespaceSelector: namespaces.selector,
  };
}

/** Changes whenever what is granted may have changed; the status is no part of it. */
export function grantVersion({ metadata }: ClusterGrant): string {
  return JSON.stringify([metadata.name, metadata.uid, metadata.generation, metadata.deletionTimestamp]);
}

interface GrantChange {
  readonly type: 'added' | 'updated' | 'deleted';
  readonly object: ClusterGrant;
  readonly previous?: ClusterGrant;
}

/** True unless only the status of a grant changed. */
export function isNewsOfGrant({ type, object, previous }: GrantChange): boolean {
  return type !== 'updated' || previous === undefined || grantVersion(previous) !== grantVersion(object);
}

/** Objects of a cache are never changed. */
const known = new WeakMap<ClusterGrant, { readonly grant: Grant | undefined }>();

function knownGrant(object: ClusterGrant): Grant | undefined {
  const entry = known.get(object) ?? { grant: readGrant(object) };
  known.set(object, entry);
  return entry.grant;
}

/** The grants that are valid and not being deleted, by name: of several that match, the first one applies. */
export function readGrants(objects: readonly ClusterGrant[]): Grant[] {
  return objects.flatMap((object) => knownGrant(object) ?? []).sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** True when the grant has a selector, and it applies where the cluster is described. */
export function selectsWhere(
  { clusterSelector, clusterNamespaces }: Grant,
  { namespace }: ClusterId,
  controllerNamespace: string,
): boolean {
  if (clusterSelector === undefined) return false;
  return namespace === undefined || (clusterNamespaces?.has(namespace) ?? namespace === controllerNamespace);
}

/**
 * True when the grant is for the cluster. A selector matches cluster-scoped objects, and those in the namespaces that
 * the grant lists, by default that of the controller: elsewhere, labels are the words of whoever writes there.
 */
export function grantsCluster(
  grant: Grant,
  { id, labels }: Pick<Cluster, 'id' | 'labels'>,
  controllerNamespace: string,
): boolean {
  const { clusters, clusterSelector = {} } = grant;
  if (clusters.has(clusterIdText(id))) return true;
  return selectsWhere(grant, id, controllerNamespace) && selects(clusterSelector, labels);
}

/** True when the grant is for the namespace, which has these labels. */
export function grantsNamespace(grant: Grant, namespace: string, labels: Labels): boolean {
  const { namespaces, namespaceSelector } = grant;
  return namespaces.has(namespace) || (namespaceSelector !== undefined && selects(namespaceSelector, labels));
}
