import { recordedUid } from '#api/v1alpha1/cluster-uid.js';
import { CLUSTER_REPLACED } from '#api/flux/conditions.js';
import type { Member } from '../../engine/member/member.js';
import { TerminalError, TransientError } from '../../runtime/pure/errors.js';
import type { ApplyingDeps } from './deps.js';
import { clusterOf } from './model/cluster.js';
import { replacedBy } from './model/replaced-cluster.js';
import { serviceAccountOf } from './model/service-account.js';
import type { Applying } from './model/types.js';
import { reachable } from './reachable.js';

/** Throws TransientError `ClusterReplaced` if the object was made for another cluster. */
async function requireSameCluster(object: Applying, member: Member, signal: AbortSignal): Promise<void> {
  // Only of objects that say so: for others, nothing is asked.
  if (recordedUid(object) === undefined) return;
  const problem = replacedBy(object, member.key, await member.clusterUid({ signal }));
  if (problem !== undefined) throw new TransientError(problem, { reason: CLUSTER_REPLACED });
}

/**
 * The target cluster of an object, impersonating its ServiceAccount if it has one; the host only if the spec names no
 * other. Throws TerminalError with the field, or the Secret and its key, and what to do; TransientError
 * `ClusterReplaced` if it is another cluster than the one that the object was made for.
 */
export async function targetCluster(
  { members, settings }: Pick<ApplyingDeps, 'members' | 'settings'>,
  object: Applying,
  signal: AbortSignal,
): Promise<Member> {
  const { metadata, spec } = object;
  const cluster = clusterOf(spec);
  if (cluster.kind === 'unreadable') throw new TerminalError(cluster.reason, cluster.problem);
  const ref = cluster.kind === 'host' ? 'host' : cluster;
  const serviceAccount = serviceAccountOf({ spec }, settings.defaultServiceAccount);
  const member = reachable(await members.get(ref, metadata.namespace ?? '', { signal, serviceAccount }));
  if (ref !== 'host') await requireSameCluster(object, member, signal);
  return member;
}
