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

/** Flux tries these keys of a kubeconfig Secret when none is named: to name one of them changes nothing. */
const DEFAULT_SECRET_KEYS: readonly string[] = ['value', 'value.yaml'];

/** One text per credential; empty for the cluster of the Application itself. */
export function clusterText(reference: ClusterReference | undefined): string {
  if (reference?.secretRef !== undefined) {
    const [first] = DEFAULT_SECRET_KEYS;
    const { name, key = first } = reference.secretRef;
    return `Secret/${name}/${DEFAULT_SECRET_KEYS.includes(key ?? '') ? first : key}`;
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

/** Name and storage of a release regardless of the cluster: what two names of one cluster have in common. */
export function slotText({ kind, storageNamespace, releaseName }: ReleaseKey): string {
  return JSON.stringify([kind, storageNamespace, releaseName]);
}

/** True when nothing that is stated of a release differs from `live`. */
export function agrees(
  stated: Partial<Pick<ReleaseKey, 'releaseName' | 'storageNamespace'>>,
  live: ReleaseKey,
): boolean {
  const { releaseName = live.releaseName, storageNamespace = live.storageNamespace } = stated;
  return live.releaseName === releaseName && live.storageNamespace === storageNamespace;
}
