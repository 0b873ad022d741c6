import {
  ACCEPT_CLUSTER_UID_ANNOTATION,
  CLUSTER_UID_ANNOTATION,
  CREDENTIAL_ACCOUNT_ANNOTATION,
  CREDENTIAL_BASIS_ANNOTATION,
  CREDENTIAL_CLUSTER_ANNOTATION,
  CREDENTIAL_GRANT_ANNOTATION,
  CREDENTIAL_LABEL,
  CREDENTIAL_RENEWAL_ANNOTATION,
} from '#api/v1alpha1/labels.js';
import type { KubeObject } from '#api/meta.js';
import { mayDelete } from '#engine/deletion/rule.js';
import { parseTimestamp, timestamp } from '#lib/kube/conditions.js';
import { shortHash } from '#lib/hash.js';
import type { Permit } from './access.js';
import { clusterIdFrom, clusterIdText, type Cluster, type ClusterId } from './cluster.js';
import { accountText } from './grant.js';

/** Life of a token that is asked for; the server may give less. */
export const TOKEN_SECONDS = 3_600;
/** A token is renewed after this part of its life, or up to a tenth of its life earlier: not all at once. */
const RENEW_AT = 2 / 3;
const JITTER = 0.1;
/** A server that gives tokens of no life does not get a request after the other. */
const SHORTEST_MS = 10_000;

/** All that a pass over one Secret decides from. */
export interface ObservedCredential {
  /** Of the Secret that a HelmRelease or Kustomization may name. */
  readonly name: string;
  /** Metadata of the Secret. */
  readonly live: Pick<KubeObject, 'metadata'> | undefined;
  /** A HelmRelease or Kustomization of the namespace refers to it. */
  readonly isReferred: boolean;
  /** Every cache has everything; otherwise nothing is deleted. */
  readonly isComplete: boolean;
  /** All grants and namespaces are known; otherwise nothing is taken back. */
  readonly isAccessKnown: boolean;
  /** It is unknown whether the cluster of the Secret exists. */
  readonly isInventoryLost: boolean;
  /** The clusters whose credential has this name: one, unless names collide. */
  readonly clusters: readonly Cluster[];
  /** How the namespace may use the cluster, that of the Secret if names collide; undefined: not at all. */
  readonly permit: Permit | undefined;
  /** Version of the object that holds the inventory's credential. */
  readonly sourceVersion: string;
}

/** What is done with one Secret. */
export type CredentialStep =
  | { readonly op: 'none' }
  | { readonly op: 'keep'; readonly renewInMs?: number }
  | { readonly op: 'issue'; readonly cluster: Cluster; readonly permit: Permit }
  /** Its kubeconfig is removed, the Secret stays. */
  | { readonly op: 'revoke'; readonly why: string }
  | { readonly op: 'delete'; readonly why: string }
  /** Something may be missing in what was read: nothing is taken away. */
  | { readonly op: 'undecided' }
  /** It cannot be made or renewed until something changes. */
  | { readonly op: 'refuse'; readonly why: string };

/** True for a Secret that was made here: it has our label, and the name that its cluster gives it. */
export function isMade({ metadata: { name, labels = {}, annotations = {} } }: Pick<KubeObject, 'metadata'>): boolean {
  const id = annotations[CREDENTIAL_CLUSTER_ANNOTATION];
  return labels[CREDENTIAL_LABEL] === 'true' && id !== undefined && name.endsWith(`-${shortHash(id)}`);
}

/** The cluster that a Secret was made for; undefined if it was not made here. */
export function clusterOf(live: Pick<KubeObject, 'metadata'>): ClusterId | undefined {
  return isMade(live) ? clusterIdFrom(live.metadata.annotations?.[CREDENTIAL_CLUSTER_ANNOTATION] ?? '') : undefined;
}

/** What a kubeconfig was made from, as one text: if it changes, another one is made at once. */
export function basisOf({ id }: Cluster, { grant = '', credential }: Permit, sourceVersion: string): string {
  const account = credential.type === 'SharedCredential' ? [] : [credential.namespace, credential.name];
  return shortHash(JSON.stringify([clusterIdText(id), grant, credential.type, ...account, sourceVersion]));
}

/**
 * Epoch milliseconds at which a token is to be renewed, by our clock alone: the life counts from when it was issued,
 * whatever time it is on the cluster. `random` is in [0, 1).
 */
export function renewalOf(issuedAtMs: number, lifeSeconds: number, random: number): number {
  const lifeMs = Math.min(lifeSeconds, TOKEN_SECONDS) * 1_000;
  return issuedAtMs + Math.max(SHORTEST_MS, Math.round(lifeMs * (RENEW_AT - JITTER * random)));
}

/** Annotations of a Secret with a new kubeconfig. `renewAtMs` undefined: it has no end. */
export function credentialAnnotations(
  { cluster, permit, sourceVersion }: { cluster: Cluster; permit: Permit; sourceVersion: string },
  renewAtMs: number | undefined,
): Record<string, string | null> {
  return {
    [CREDENTIAL_CLUSTER_ANNOTATION]: clusterIdText(cluster.id),
    [CREDENTIAL_GRANT_ANNOTATION]: permit.grant ?? null,
    [CREDENTIAL_ACCOUNT_ANNOTATION]: accountText(permit.credential),
    [CREDENTIAL_BASIS_ANNOTATION]: basisOf(cluster, permit, sourceVersion),
    [CREDENTIAL_RENEWAL_ANNOTATION]: renewAtMs === undefined ? null : timestamp(renewAtMs),
  };
}

/** Annotations of a Secret whose kubeconfig is removed; whose it was, and by which grant, is for messages. */
export const REVOKED_ANNOTATIONS: Readonly<Record<string, null>> = {
  [CREDENTIAL_BASIS_ANNOTATION]: null,
  [CREDENTIAL_RENEWAL_ANNOTATION]: null,
};

/** The grant by which a Secret has its kubeconfig; undefined if it needs none, or has none any more. */
export function grantInUse(live: ObservedCredential['live']): string | undefined {
  const hasKubeconfig = annotation(live, CREDENTIAL_BASIS_ANNOTATION) !== undefined;
  return hasKubeconfig ? annotation(live, CREDENTIAL_GRANT_ANNOTATION) : undefined;
}

function annotation(live: ObservedCredential['live'], name: string): string | undefined {
  return live?.metadata.annotations?.[name];
}

/**
 * Milliseconds until a token is due; 0 or less: it is. A time that is none, or further away than a token lives, was
 * written by somebody else.
 */
function dueInMs(live: ObservedCredential['live'], nowMs: number): number {
  const renewAtMs = parseTimestamp(annotation(live, CREDENTIAL_RENEWAL_ANNOTATION) ?? '') ?? 0;
  const dueMs = renewAtMs - nowMs;
  return dueMs > TOKEN_SECONDS * 1_000 ? 0 : dueMs;
}

function spared(live: Pick<KubeObject, 'metadata'>): CredentialStep {
  return { op: isMade(live) ? 'undecided' : 'none' };
}

function unreferred({ live, isComplete, isInventoryLost }: ObservedCredential): CredentialStep {
  if (live === undefined) return { op: 'none' };
  const { allowed, why } = mayDelete({
    subject: 'credential',
    intent: 'unused',
    isOurs: isMade(live),
    isReferred: false,
    isComplete: isComplete && !isInventoryLost,
  });
  return allowed ? { op: 'delete', why } : spared(live);
}

/** True for a Secret with a kubeconfig that the namespace may not, or no longer, have. */
function isExcessive({ live, permit }: ObservedCredential): boolean {
  if (annotation(live, CREDENTIAL_BASIS_ANNOTATION) === undefined) return false;
  return permit === undefined || annotation(live, CREDENTIAL_ACCOUNT_ANNOTATION) !== accountText(permit.credential);
}

function takenBack(live: Pick<KubeObject, 'metadata'>, observed: ObservedCredential): CredentialStep {
  const { isReferred, isAccessKnown } = observed;
  const { allowed, why } = mayDelete({
    subject: 'credential',
    intent: 'revoked',
    isOurs: isMade(live),
    isReferred,
    isComplete: isAccessKnown,
  });
  return allowed ? { op: 'revoke', why } : spared(live);
}

function permitted(observed: ObservedCredential, cluster: Cluster, permit: Permit, nowMs: number): CredentialStep {
  const { live, name, sourceVersion } = observed;
  if (live !== undefined && !isMade(live)) {
    return { op: 'refuse', why: `Secret ${name} exists, and Fairlead did not create it: rename or delete it` };
  }
  const isCurrent = annotation(live, CREDENTIAL_BASIS_ANNOTATION) === basisOf(cluster, permit, sourceVersion);
  if (!isCurrent) return { op: 'issue', cluster, permit };
  if (permit.credential.type === 'SharedCredential') return { op: 'keep' };
  const renewInMs = dueInMs(live, nowMs);
  return renewInMs > 0 ? { op: 'keep', renewInMs } : { op: 'issue', cluster, permit };
}

/**
 * What a Secret needs now. What the namespace may not have is taken back before anything else, so that no failure leaves
 * it in place. A Secret whose cluster is no longer in the inventory, or unknown for the moment, otherwise keeps what it
 * has: it is not renewed, and still serves to uninstall. `nowMs` is epoch milliseconds. Never throws.
 */
export function decideCredential(observed: ObservedCredential, nowMs: number): CredentialStep {
  const { clusters, permit, isReferred, live } = observed;
  const [cluster, other] = clusters;
  if (!isReferred) return unreferred(observed);
  const isOurs = live !== undefined && isMade(live);
  if (isOurs && isExcessive(observed)) return takenBack(live, observed);
  if (other !== undefined) {
    const ids = clusters.map(({ id }) => clusterIdText(id)).join(' and ');
    return { op: 'refuse', why: `the clusters ${ids} would share Secret ${observed.name}: rename one of them` };
  }
  if (cluster === undefined) return { op: isOurs ? 'keep' : 'none' };
  return permit === undefined ? { op: 'none' } : permitted(observed, cluster, permit, nowMs);
}

/** UIDs of clusters; undefined: unknown, or none. */
export interface ClusterUids {
  /** The UID of the cluster that a kubeconfig was made for. */
  readonly made: string | undefined;
  /** The UID of the cluster that answers. */
  readonly now: string | undefined;
  /** The UID of the cluster that may take its place. */
  readonly accepted: string | undefined;
}

/**
 * Why a kubeconfig for a cluster must not become one for the cluster that answers now; undefined if it may. Never
 * throws.
 */
export function replacementProblem({ made, now, accepted }: ClusterUids): string | undefined {
  if (made === undefined || made === now) return undefined;
  if (now === undefined) {
    return `the credential of the inventory may not read the UID of namespace kube-system, so it may lead to another cluster; if this is right, remove the annotation ${CLUSTER_UID_ANNOTATION} of the Secret`;
  }
  if (accepted === now) return undefined;
  return `the credential of the inventory leads to another cluster: the UID of namespace kube-system was ${made} and is ${now}; if this is right, set the annotation ${ACCEPT_CLUSTER_UID_ANNOTATION} of the cluster to ${now}`;
}
