import type { ChildKind } from './child-kind.js';

/** What a kubeconfig reference of a destination may hold. */
export interface ClusterReference {
  readonly secretRef?: { readonly name: string; readonly key?: string } | undefined;
  readonly configMapRef?: { readonly name: string } | undefined;
}

/**
 * What makes a Helm release one and the same: the cluster, and where and how it is recorded there. Files that are
 * applied are recorded nowhere: there it is the target namespace (or nothing), and the Application with the name of the
 * entry.
 */
export interface ReleaseKey {
  readonly kind: ChildKind;
  /** Text of the cluster, from `clusterText`. */
  readonly cluster: string;
  readonly storageNamespace: string;
  readonly releaseName: string;
}

/** Flux tries this key of a kubeconfig Secret first when none is named. */
const DEFAULT_SECRET_KEY = 'value';

/** One text per credential; empty for the cluster of the Application itself. */
export function clusterText(reference: ClusterReference | undefined): string {
  if (reference?.secretRef !== undefined) {
    return `Secret/${reference.secretRef.name}/${reference.secretRef.key ?? DEFAULT_SECRET_KEY}`;
  }
  return reference?.configMapRef === undefined ? '' : `ConfigMap/${reference.configMapRef.name}`;
}

/** How people call the cluster: the name of its kubeconfig, or `host`. */
export function clusterLabel(reference: ClusterReference | undefined): string {
  return reference?.secretRef?.name ?? reference?.configMapRef?.name ?? 'host';
}

/** Equal keys give equal texts, different keys different ones. */
export function releaseKeyText(key: ReleaseKey): string {
  const parts = [key.cluster, key.storageNamespace, key.releaseName];
  // Children that exist are named by this text: that of releases must stay as it is.
  return JSON.stringify(key.kind === 'HelmRelease' ? parts : [key.kind, ...parts]);
}
