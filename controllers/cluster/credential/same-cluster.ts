import type { KubeObject } from '#api/meta.js';
import { acceptedUid, recordedUid } from '#api/v1alpha1/cluster-uid.js';
import type { ClusterCredential } from '#runtime/credentials.js';
import { TerminalError, TransientError } from '#lib/errors.js';
import type { Cluster } from '../model/cluster.js';
import { replacementProblem } from '../model/replaced-cluster.js';
import { reach } from '../probe/reach.js';

interface Known {
  /** The Secret, if there is one. */
  readonly live: Pick<KubeObject, 'metadata'> | undefined;
  readonly cluster: Cluster;
}

/**
 * The UID of the cluster that a credential leads to, for the next time; undefined if it is unknown. Throws TerminalError
 * `ClusterReplaced` if the Secret was made for another cluster: what is deployed by it would be deployed there, too.
 */
export async function sameCluster(
  own: ClusterCredential,
  { live, cluster }: Known,
  signal: AbortSignal,
): Promise<string | undefined> {
  const made = live && recordedUid(live);
  const now = await uidOf(own, made === undefined, signal);
  const problem = replacementProblem({ made, now, accepted: acceptedUid(cluster.annotations) });
  if (problem !== undefined) throw new TerminalError('ClusterReplaced', problem);
  return now;
}

/** Who uses the credential may reach a cluster that this process does not. */
async function uidOf(own: ClusterCredential, mayFail: boolean, signal: AbortSignal): Promise<string | undefined> {
  try {
    return (await reach(own, signal)).uid;
  } catch (error: unknown) {
    if (mayFail && error instanceof TransientError) return undefined;
    throw error;
  }
}
