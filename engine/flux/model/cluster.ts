import type { KubeObject } from '#api/meta.js';
import { CLUSTER_UID_ANNOTATION, recordedUid } from '#api/v1alpha1/labels.js';
import { keyOf } from '#lib/kube/keys.js';
import type { KubeConfig } from '#api/flux/common.js';
import type { ApplyingSpec, Applying } from './types.js';

/**
 * The target cluster of an object. `unreadable`: the spec names a cluster other than the host in a way that cannot be
 * resolved, so nothing may be read, written or deleted anywhere, least of all on the host.
 */
export type TargetCluster =
  | { readonly kind: 'host' }
  | { readonly kind: 'member'; readonly secretRef: NonNullable<KubeConfig['secretRef']> }
  | {
      readonly kind: 'unreadable';
      readonly reason: 'FeatureNotSupported' | 'KubeConfigInvalid';
      readonly problem: string;
    };

const WAY_OUT = 'use spec.kubeConfig.secretRef';

const NEITHER = 'set spec.kubeConfig.secretRef.name, or remove spec.kubeConfig for the cluster of this object';

/** The field for short-lived tokens, and what to use instead; also for the documentation. */
export const CONFIG_MAP_REF = ['spec.kubeConfig.configMapRef', WAY_OUT] as const;

/** The cluster in `spec.kubeConfig`; the host only if the field is absent. Never throws. */
export function clusterOf({ kubeConfig }: Pick<ApplyingSpec, 'kubeConfig'>): TargetCluster {
  if (kubeConfig === undefined) return { kind: 'host' };
  const { secretRef, configMapRef } = kubeConfig;
  if (configMapRef !== undefined) {
    const problem = `${CONFIG_MAP_REF[0]} is not supported by the embedded engine: ${WAY_OUT}`;
    return { kind: 'unreadable', reason: 'FeatureNotSupported', problem };
  }
  if (secretRef === undefined || secretRef.name === '') {
    return {
      kind: 'unreadable',
      reason: 'KubeConfigInvalid',
      problem: `spec.kubeConfig does not name a Secret: ${NEITHER}`,
    };
  }
  return { kind: 'member', secretRef };
}

/**
 * The ServiceAccount of the object's own namespace to impersonate on its cluster: that of the spec, else `fallback`
 * (--default-service-account). Undefined: the credential is used as it is.
 */
export function serviceAccountOf({ spec }: Pick<Applying, 'spec'>, fallback: string | undefined): string | undefined {
  return spec.serviceAccountName || fallback || undefined;
}

/** Messages show at most this much of a UID that somebody wrote. */
const MOST_SHOWN = 64;

/**
 * Why nothing may be done for an object on the cluster that answers as `member` and has the UID `found`; undefined if
 * that is its cluster, or if one of the two is unknown. Never throws.
 */
export function replacedBy(object: KubeObject, member: string, found: string | undefined): string | undefined {
  const recorded = recordedUid(object);
  if (recorded === undefined || found === undefined || recorded === found) return undefined;
  const subject = `${object.kind} ${keyOf(object.metadata)}`;
  return (
    `${member} leads to another cluster than the one that ${subject} is for: the UID of namespace kube-system is ` +
    `${found} instead of ${recorded.slice(0, MOST_SHOWN)}; correct the kubeconfig, or, if the cluster was replaced, ` +
    `remove the annotation ${CLUSTER_UID_ANNOTATION} of ${subject}`
  );
}

/** If no key is named, Flux uses the first of these that the Secret has. */
const DEFAULT_KEYS: readonly string[] = ['value', 'value.yaml'];

function clusterText({ metadata, spec }: Applying): string {
  const cluster = clusterOf(spec);
  if (cluster.kind !== 'member') return cluster.kind;
  const { name, key = 'value' } = cluster.secretRef;
  return JSON.stringify([metadata.namespace, name, DEFAULT_KEYS.includes(key) ? 'value' : key]);
}

/** Whether two objects are for one cluster by what they say of it; undefined: they do not say. */
export function isSameCluster(one: Applying, other: Applying): boolean | undefined {
  if (clusterText(one) === clusterText(other)) return clusterOf(one.spec).kind !== 'unreadable';
  const [uid, otherUid] = [recordedUid(one), recordedUid(other)];
  return uid === undefined || otherUid === undefined ? undefined : uid === otherUid;
}

/** Two objects that share one of these are for one cluster. None: what it is for cannot be read. */
export function clusterKeys(object: Applying): string[] {
  if (clusterOf(object.spec).kind === 'unreadable') return [];
  const uid = recordedUid(object);
  return [clusterText(object), ...(uid === undefined ? [] : [`uid ${uid}`])];
}
