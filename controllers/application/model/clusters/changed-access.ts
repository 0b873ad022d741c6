import { clusterIdText } from '#controllers/cluster/model/cluster.js';
import { clusterIdOf, clusterText } from '../child/cluster.js';
import { describeChild } from '../child/messages.js';
import type { Child, Entry, Violation } from '../child/types.js';

/** Forbids what would act on a cluster that is reached in another way than its children. */
export interface ChangedAccess {
  readonly violationOf: (entry: Entry) => Violation | undefined;
  /** Why a child stays that an entry of its cluster does not match. */
  readonly whyStays: (child: Child) => string | undefined;
}

function accessText(reference: Child['spec']['kubeConfig']): string {
  const name = reference?.secretRef?.name;
  return name === undefined ? 'as the host' : `with the Secret ${name}`;
}

/**
 * The children of clusters that are reached in another way now, e.g. because a label makes one the host: rolled out
 * there, a release could be installed on another cluster, and uninstalled from its own. Never throws.
 */
export function changedAccess(entries: readonly Entry[], owned: readonly Child[]): ChangedAccess {
  const byCluster = new Map<string, Entry>();
  for (const entry of entries) if (entry.cluster !== undefined) byCluster.set(clusterIdText(entry.cluster.id), entry);
  const changed = new Map<string, Child>();
  const stays = new Map<Child, string>();
  for (const child of owned) {
    const id = clusterIdOf(child);
    const entry = id === undefined ? undefined : byCluster.get(id);
    if (id === undefined || entry === undefined) continue;
    if (clusterText(child.spec.kubeConfig) === clusterText(entry.kubeConfig)) continue;
    changed.set(id, child);
    stays.set(child, `because cluster ${entry.clusterName} is now reached ${accessText(entry.kubeConfig)}`);
  }
  return {
    whyStays: (child) => stays.get(child),
    violationOf: ({ cluster, clusterName, path, kubeConfig }) => {
      const child = cluster === undefined ? undefined : changed.get(clusterIdText(cluster.id));
      if (child === undefined) return undefined;
      const message = `${path}: cluster ${clusterName} is now reached ${accessText(kubeConfig)}, but ${describeChild(child)} reaches it ${accessText(child.spec.kubeConfig)}: change the cluster back, or first remove its entries and wait until its children are deleted`;
      return { reason: 'ClusterChanged', message };
    },
  };
}
