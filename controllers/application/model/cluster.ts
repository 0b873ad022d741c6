/** What a kubeconfig reference of a destination may hold. */
export interface ClusterReference {
  readonly secretRef?: { readonly name: string; readonly key?: string } | undefined;
  readonly configMapRef?: { readonly name: string } | undefined;
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

/** The name of the kubeconfig; undefined for the cluster of the Application itself. */
export function clusterName(reference: ClusterReference | undefined): string | undefined {
  return reference?.secretRef?.name ?? reference?.configMapRef?.name;
}

/** How people call the cluster: the name of its kubeconfig, or `host`. */
export function clusterLabel(reference: ClusterReference | undefined): string {
  return clusterName(reference) ?? 'host';
}
