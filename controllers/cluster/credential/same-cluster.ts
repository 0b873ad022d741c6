import type { KubeObject } from '#api/meta.js';
import { CLUSTER_UID_ANNOTATION } from '#api/v1alpha1/labels.js';
import type { ClusterCredential } from '../../runtime/credentials.js';
import { TerminalError, TransientError } from '../../runtime/pure/errors.js';
import { replacementProblem } from '../model/replaced-cluster.js';
import { reach } from '../probe/reach.js';

/**
 * The UID of the cluster that a credential leads to, for the next time; undefined if it is unknown. Throws TerminalError
 * `ClusterReplaced` if the Secret was made for another cluster: what is deployed by it would be deployed there, too.
 */
export async function sameCluster(
  own: ClusterCredential,
  secret: Pick<KubeObject, 'metadata'> | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  const made = secret?.metadata.annotations?.[CLUSTER_UID_ANNOTATION];
  const now = await uidOf(own, made === undefined, signal);
  const problem = replacementProblem(made, now);
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
