import type { Member } from '../../engine/member/member.js';
import { TerminalError } from '../../runtime/pure/errors.js';
import type { ApplyingDeps } from './deps.js';
import { clusterOf } from './model/cluster.js';
import { serviceAccountOf } from './model/service-account.js';
import type { Applying } from './model/types.js';
import { reachable } from './reachable.js';

/**
 * The target cluster of an object, impersonating its ServiceAccount if it has one; the host only if the spec names no
 * other. Throws TerminalError with the field, or the Secret and its key, and what to do. Does not connect.
 */
export async function targetCluster(
  { members, settings }: Pick<ApplyingDeps, 'members' | 'settings'>,
  { metadata, spec }: Applying,
  signal: AbortSignal,
): Promise<Member> {
  const cluster = clusterOf(spec);
  if (cluster.kind === 'unreadable') throw new TerminalError(cluster.reason, cluster.problem);
  const ref = cluster.kind === 'host' ? 'host' : cluster;
  const serviceAccount = serviceAccountOf({ spec }, settings.defaultServiceAccount);
  return reachable(await members.get(ref, metadata.namespace ?? '', { signal, serviceAccount }));
}
