import type { ClusterReference } from './types.js';

/** If no key is named, Flux uses the first of these that the Secret has: naming the one that it has changes nothing. */
const DEFAULT_SECRET_KEYS: readonly string[] = ['value', 'value.yaml'];

/** One text per credential; empty for the cluster of the Application itself. */
export function clusterText(reference: ClusterReference | undefined): string {
  if (reference?.secretRef !== undefined) {
    const [first] = DEFAULT_SECRET_KEYS;
    const { name, key = first } = reference.secretRef;
    return `Secret/${name}/${DEFAULT_SECRET_KEYS.includes(key ?? '') ? first : key}`;
  }
  if (reference?.unresolved !== undefined) return `Unresolved/${reference.unresolved}`;
  return reference?.configMapRef === undefined ? '' : `ConfigMap/${reference.configMapRef.name}`;
}

/** The name of the kubeconfig; undefined for the cluster of the Application itself. */
export function clusterName(reference: ClusterReference | undefined): string | undefined {
  return reference?.secretRef?.name ?? reference?.configMapRef?.name;
}

/** The cluster for people: the name of its kubeconfig, or `host`. */
export function clusterLabel(reference: ClusterReference | undefined): string {
  return clusterName(reference) ?? 'host';
}
