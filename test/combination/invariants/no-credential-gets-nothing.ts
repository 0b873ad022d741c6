import { clusterIdText } from '#controllers/cluster/model/cluster.js';
import { clusterIdOf } from '#controllers/application/model/child/cluster.js';
import { keyOf } from '#lib/kube/keys.js';
import type { ClusterObject } from '../model/facts.js';
import type { ChildWrite } from '../record/recorder.js';
import type { Invariant, Scene } from './types.js';

/** Only Secrets can be without a credential in this suite. */
function idOf({ namespace, name }: ClusterObject): string {
  return clusterIdText({ apiGroup: '', kind: 'Secret', namespace, name });
}

function judge({ before, after }: ChildWrite, { memory }: Scene): string[] {
  if (before !== undefined || after === undefined) return [];
  const without = memory.moment.world.clusters.filter(({ hasCredential }) => hasCredential === false);
  const found = without.find((cluster) => idOf(cluster) === clusterIdOf(after));
  return found === undefined ? [] : [`${keyOf(after.metadata)} was created for ${found.name}, which has no credential`];
}

/**
 * (b) Nothing is created for a cluster that has no credential: its child would fail for ever, and the Application with
 * it, where the destination only waits.
 */
export function noCredentialGetsNothing(): Invariant {
  return {
    name: 'no-credential-gets-nothing',
    // While news is late, the controllers do not know the cluster.
    onWrites: (writes, scene) => (scene.world.process.isStale ? [] : writes.flatMap((each) => judge(each, scene))),
  };
}
