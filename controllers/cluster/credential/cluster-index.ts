import type { ObjectRef } from '#api/meta.js';
import { groupedBy } from '#lib/plain.js';
import { keyOf } from '#lib/kube/keys.js';
import type { Inventory } from '../inventory.js';
import type { Cluster } from '../model/cluster.js';
import { credentialName } from '../model/credential-name.js';

interface Indexed {
  /** What was indexed. */
  readonly clusters: readonly Cluster[];
  readonly byCredential: ReadonlyMap<string, readonly Cluster[]>;
  readonly bySource: ReadonlyMap<string, readonly Cluster[]>;
}

function sourceKey({ credential }: Cluster): string | undefined {
  return 'namespace' in credential ? keyOf(credential) : undefined;
}

const names = new WeakMap<Cluster, string>();

/** A hash each, made once for each state of the cluster. */
function nameOf(cluster: Cluster): string {
  const known = names.get(cluster) ?? credentialName(cluster.id);
  names.set(cluster, known);
  return known;
}

/** The inventory, by what Secrets know of it. The host is not in it: no credential is made for it. */
export class ClusterIndex {
  readonly inventory: Inventory;
  #indexed: Indexed | undefined;

  constructor(inventory: Inventory) {
    this.inventory = inventory;
  }

  /** The clusters whose credential has this name: one, unless names collide. */
  withCredential(name: string): readonly Cluster[] {
    return this.#read().byCredential.get(name) ?? [];
  }

  /** The names of all credentials. */
  credentialNames(): string[] {
    return [...this.#read().byCredential.keys()];
  }

  /** The clusters whose own credential is in this Secret. */
  withSource(secret: ObjectRef): readonly Cluster[] {
    return this.#read().bySource.get(keyOf(secret)) ?? [];
  }

  /** The inventory gives another array after each change. */
  #read(): Indexed {
    const clusters = this.inventory.clusters();
    if (this.#indexed?.clusters !== clusters) {
      const others = clusters.filter(({ isHost }) => !isHost);
      const byCredential = groupedBy(others, nameOf);
      this.#indexed = { clusters, byCredential, bySource: groupedBy(others, sourceKey) };
    }
    return this.#indexed;
  }
}
