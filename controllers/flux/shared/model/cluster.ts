import type { KubeConfig } from '#api/flux/common.js';
import type { ApplyingSpec } from './types.js';

/**
 * The cluster that an object is about. `unreadable`: the spec names another cluster than the host in a way that cannot be
 * followed, so that nothing may be read, written or deleted anywhere, least of all on the host.
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

/** The field that says how to get a short-lived token, and what to use in its place; for the documentation, too. */
export const CONFIG_MAP_REF = ['spec.kubeConfig.configMapRef', WAY_OUT] as const;

/** What `spec.kubeConfig` says; only without any is it the host. Never throws. */
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
