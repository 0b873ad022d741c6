import { helmReleaseResource, type HelmRelease } from '#api/flux/helm-release.js';
import { kustomizationResource, type Kustomization } from '#api/flux/kustomization.js';
import type { Member, Members } from '#engine/member/member.js';
import { clusterOf, replacedBy } from '#engine/flux/model/cluster.js';
import type { Kube } from '#runtime/client/kube.js';
import type { Offload } from '#runtime/isolation/offload.js';
import type { DestinationView } from '../answers/application.js';

export type Child = HelmRelease | Kustomization;

const CHILDREN = [helmReleaseResource, kustomizationResource];

/** Who reads, and until when. */
export interface Reader {
  /** The host cluster, asked with the rights of the user. */
  readonly host: Kube;
  /** Those of `host`. */
  readonly members: Members;
  /** Namespace of the Application. */
  readonly namespace: string;
  readonly signal: AbortSignal;
  /** For what tenants stored. */
  readonly offload: Pick<Offload, 'run'>;
}

/** A child, and the cluster that it is for. */
export interface ReachedChild {
  readonly child: Child;
  readonly member: Member;
}

async function readChild(
  destination: DestinationView,
  { host, namespace, signal }: Omit<Reader, 'offload'>,
): Promise<Child> {
  const { kind, name } = destination.childRef ?? { kind: '', name: '' };
  const type = CHILDREN.find((each) => each.kind === kind);
  if (type === undefined) throw new Error('nothing is deployed yet');
  const child = await host.get<Child>(type, { namespace, name }, { signal });
  if (child === undefined) throw new Error(`${destination.child} does not exist any more`);
  return child;
}

/**
 * The cluster of a destination, with the kubeconfig of its child as far as the user may read that. Throws an Error that
 * says what is missing; also if the kubeconfig leads to another cluster than the one that the child is for.
 */
export async function reachChild(destination: DestinationView, reader: Omit<Reader, 'offload'>): Promise<ReachedChild> {
  const { members, namespace, signal } = reader;
  const child = await readChild(destination, reader);
  const cluster = clusterOf(child.spec);
  if (cluster.kind === 'unreadable') throw new Error(cluster.problem);
  if (cluster.kind === 'host') return { child, member: await members.get('host', namespace, { signal }) };
  const member = await members.get(cluster, namespace, { signal });
  const problem = replacedBy(child, member.key, await member.clusterUid({ signal }));
  if (problem !== undefined) throw new Error(problem);
  return { child, member };
}
