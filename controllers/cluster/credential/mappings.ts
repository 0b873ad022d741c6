import type { KubeObject } from '#api/meta.js';
import { acceptedUid } from '#api/v1alpha1/labels.js';
import type { ClusterGrant } from '#api/v1alpha1/cluster-grant.js';
import type { Change } from '#runtime/controller.js';
import { keyOf } from '#lib/kube/keys.js';
import type { Cluster } from '../model/cluster.js';
import { isMade } from '../model/credential.js';
import { credentialName, isCredentialName } from '../model/credential-name.js';
import { grantsCluster, isNewsOfGrant, readGrants } from '../model/grant.js';
import type { Deps, Referring } from './deps.js';

/** Index of HelmReleases and Kustomizations by the Secret, `namespace/name`, that may be a credential. */
export const BY_CREDENTIAL = 'cluster-credential';
/** Index of Secrets that were made, by their name. */
export const BY_NAME = 'cluster-credential-name';

/** The key of the Secret that may be a credential; at most one. Never throws, whatever the object holds. */
export function credentialKeys({ metadata: { namespace }, spec }: Referring): string[] {
  const name = spec?.kubeConfig?.secretRef?.name;
  return typeof name === 'string' && isCredentialName(name) ? [keyOf({ namespace, name })] : [];
}

/** The name of a Secret that was made here. */
export function madeNames(secret: KubeObject): string[] {
  return isMade(secret) ? [secret.metadata.name] : [];
}

/** How many objects refer to a Secret. */
export function countReferences(key: string, { referring }: Deps): number {
  return referring.reduce((count, cache) => count + cache.countByIndex(BY_CREDENTIAL, key), 0);
}

/**
 * The Secret that got its first reference, or lost its last one. What happens to the other ones is no news, however
 * many a tenant writes.
 */
export function referringToKeys({ type, object, previous }: Change<Referring>, deps: Deps): string[] {
  const is = type === 'deleted' ? [] : credentialKeys(object);
  const was = type === 'added' || previous === undefined ? [] : credentialKeys(previous);
  const first = is.filter((key) => !was.includes(key) && countReferences(key, deps) === 1);
  const last = was.filter((key) => !is.includes(key) && countReferences(key, deps) === 0);
  return [...first, ...last];
}

/** The Secrets of a cluster: those that something refers to, and those that were made. */
function keysOfCluster({ id }: Cluster, deps: Deps): string[] {
  const name = credentialName(id);
  const wanted = deps.namespaces.list().map(({ metadata }) => keyOf({ namespace: metadata.name, name }));
  const made = deps.secrets.byIndex(BY_NAME, name).map(({ metadata }) => keyOf(metadata));
  return [...wanted.filter((key) => countReferences(key, deps) > 0), ...made];
}

/** The Secrets that were made for clusters that the inventory does not have any more. */
function keysOfMissing(deps: Deps, namespace?: string): string[] {
  const known = new Set(deps.clusters.credentialNames());
  return deps.secrets
    .list(namespace)
    .filter((secret) => !known.has(secret.metadata.name) && isMade(secret))
    .map(({ metadata }) => keyOf(metadata));
}

function keysOfClusters(clusters: readonly Cluster[], deps: Deps): string[] {
  return [...new Set(clusters.flatMap((cluster) => keysOfCluster(cluster, deps)))];
}

/** A Secret that may be a credential, and those of the clusters whose own credential is in it. */
export function secretToKeys({ object: { metadata } }: Change, deps: Deps): string[] {
  const own = isCredentialName(metadata.name) ? [keyOf(metadata)] : [];
  return [...own, ...keysOfClusters(deps.clusters.withSource(metadata), deps)];
}

function accessText(cluster: Cluster | undefined): string {
  if (cluster === undefined) return '';
  const { labels, annotations, credential, isHost } = cluster;
  return JSON.stringify([labels, credential, isHost, acceptedUid(annotations)]);
}

/** A cluster that came or went, that other namespaces may use now, or whose replacement is accepted; what else it reports is no news. */
export function clusterToKeys(before: Cluster | undefined, after: Cluster | undefined, deps: Deps): string[] {
  if (accessText(before) === accessText(after)) return [];
  return keysOfClusters(
    [before, after].flatMap((cluster) => cluster ?? []),
    deps,
  );
}

/** A grant that came, went or changed: the credentials of its clusters before and after, and of those that are gone. */
export function grantToKeys(change: Change<ClusterGrant>, deps: Deps): string[] {
  if (!isNewsOfGrant(change)) return [];
  const { object, previous } = change;
  const grants = readGrants([object, ...(previous === undefined ? [] : [previous])]);
  const { inventory } = deps.clusters;
  const clusters = inventory
    .clusters()
    .filter((cluster) => grants.some((grant) => grantsCluster(grant, cluster, deps.controllerNamespace)));
  return [...keysOfClusters(clusters, deps), ...keysOfMissing(deps)];
}

function labelsText({ metadata }: KubeObject): string {
  return JSON.stringify(metadata.labels ?? {});
}

/** A namespace with other labels than before: its credentials. */
export function namespaceToKeys({ type, object, previous }: Change, deps: Deps): string[] {
  if (type === 'updated' && previous !== undefined && labelsText(previous) === labelsText(object)) return [];
  const { name: namespace } = object.metadata;
  const keys = deps.clusters.credentialNames().map((name) => keyOf({ namespace, name }));
  return [...keys.filter((key) => countReferences(key, deps) > 0), ...keysOfMissing(deps, namespace)];
}
