import { sharedName } from '#api/v1alpha1/cluster-name.js';
import { type ClusterId, clusterIdFrom } from '../../../cluster/model/cluster.js';
import { clusterIdOf, clusterLabel, clusterNameIn } from './cluster.js';
import type { Child, ClusterNames, ClusterReference } from './types.js';

const HOST = clusterLabel(undefined);

function fullName({ kind, namespace, name }: Pick<ClusterId, 'kind' | 'namespace' | 'name'>): string {
  return [kind, ...(namespace === undefined ? [] : [namespace]), name].join('/');
}

/** The names of a cluster of the inventory; `isHost`: it is reached without a kubeconfig. */
export function inventoryNames(namespace: string | undefined, id: ClusterId, isHost = false): ClusterNames {
  const full = fullName(id);
  return { short: clusterNameIn(namespace, id), full, key: isHost ? HOST : full };
}

/** The names of the cluster of a kubeconfig that is named itself, in the namespace of the Application. */
export function kubeConfigNames(namespace = '', reference: ClusterReference | undefined): ClusterNames {
  const short = clusterLabel(reference);
  const kind = reference?.secretRef === undefined ? 'ConfigMap' : 'Secret';
  const full = short === HOST && reference?.secretRef === undefined ? HOST : `${kind}/${namespace}/${short}`;
  return { short, full, key: full };
}

/** The name of a cluster that is not known. */
export function unknownNames(name: string): ClusterNames {
  return { short: name, full: name, key: undefined };
}

/** The names of the cluster of a child. */
export function childClusterNames(child: Child): ClusterNames {
  const { metadata, spec } = child;
  const text = clusterIdOf(child);
  if (text === undefined) return kubeConfigNames(metadata.namespace, spec.kubeConfig);
  const id = clusterIdFrom(text);
  if (id === undefined) return unknownNames(text);
  return inventoryNames(metadata.namespace, id, spec.kubeConfig === undefined);
}

/** The cluster that a name is of, or why it could be one of several. */
export type Meant = { readonly key: string } | { readonly problem: string; readonly keys: ReadonlySet<string> };

/** Finds the clusters that users name, among those of one Application. */
export class ClusterResolver {
  /** By short and full name: the full name of each cluster, by its key. */
  readonly #byText = new Map<string, Map<string, string>>();

  constructor(clusters: Iterable<ClusterNames>) {
    for (const { short, full, key } of clusters) {
      if (key === undefined) continue;
      for (const text of [short, full]) {
        const found = this.#byText.get(text) ?? new Map<string, string>();
        this.#byText.set(text, found.set(key, full));
      }
    }
  }

  /** The cluster with that name; undefined: none has it. */
  find(name: string): Meant | undefined {
    const found = this.#byText.get(name) ?? new Map<string, string>();
    const [first, ...others] = found.keys();
    if (first === undefined || others.length === 0) return first === undefined ? undefined : { key: first };
    // The host is called so, whatever else has that name.
    const exact = [...found].find(([, full]) => full === name);
    if (exact !== undefined) return { key: exact[0] };
    return { problem: sharedName(name, [...found.values()]), keys: new Set(found.keys()) };
  }

  /** True if users must write the full name of a cluster. */
  isShared({ short }: Pick<ClusterNames, 'short'>): boolean {
    return (this.#byText.get(short)?.size ?? 0) > 1;
  }

  /** The name that tells a cluster from all others. */
  shown(names: ClusterNames): string {
    return this.isShared(names) ? names.full : names.short;
  }
}
