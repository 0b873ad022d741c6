import type { HelmRelease } from '#api/flux/helm-release.js';
import type { Application } from '#api/v1alpha1/application.js';
import type { Kube } from '#runtime/client/kube.js';
import { answerOf } from '#runtime/isolation/offload.js';
import type { DestinationView } from '../answers/application.js';
import type { ManifestFindings, ManifestView } from '../answers/members.js';
import { reachChild, type ReachedChild, type Reader } from './child-member.js';
import { eachDestination, type ReadLimits } from './each-destination.js';
import { liveManifest } from './live-manifest.js';
import { problemOf } from './read-destination.js';
import { inventoryObjects } from './release-objects.js';
import { storedManifestTask, type StoredManifest } from './stored-manifest.js';
import { NOTHING, readRevision } from './stored-revision.js';

/** As Helm stored it: what was applied, whatever became of it. Throws an Error that says why it cannot be read. */
async function renderedOf(release: HelmRelease, reached: ReachedChild, reader: Reader): Promise<ManifestFindings> {
  const { helm, stored } = await readRevision(release, reached, reader);
  const { data, namespace, where } = stored;
  const answer = reader.offload.run(storedManifestTask, JSON.stringify({ data, namespace }), reader.namespace);
  const found = await answerOf<StoredManifest>(answer, ({ message }) => ({ problem: message }));
  if ('problem' in found) throw new Error(`${where}: ${found.problem}`);
  return { ...found, helm, problem: '' };
}

async function findingsOf(destination: DestinationView, reader: Reader): Promise<ManifestFindings> {
  try {
    const reached = await reachChild(destination, reader);
    const { child, member } = reached;
    if (child.kind === 'HelmRelease') return await renderedOf(child as HelmRelease, reached, reader);
    const targets = inventoryObjects(child);
    if (targets === undefined) throw new Error(NOTHING);
    return { ...(await liveManifest(member, targets, reader)), problem: '' };
  } catch (error: unknown) {
    return { objects: [], more: 0, problem: problemOf(error, reader.host) };
  }
}

/**
 * The objects that were put at one destination, read with the rights that `host` has, without what Secrets hold. Says
 * what could not be read.
 */
export async function readManifest(
  host: Kube,
  { metadata }: Application,
  destination: DestinationView,
  limits: ReadLimits = {},
): Promise<ManifestView> {
  const { namespace = '', name } = metadata;
  const nothing = { objects: [], more: 0, problem: NOTHING };
  const [found = nothing] = await eachDestination({ host, namespace }, [destination], findingsOf, limits);
  return { ...destination, ...found, application: `${namespace}/${name}` };
}
