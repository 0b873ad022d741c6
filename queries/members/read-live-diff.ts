import type { HelmRelease } from '#api/flux/helm-release.js';
import type { Kustomization } from '#api/flux/kustomization.js';
import type { Application } from '#api/v1alpha1/application.js';
import type { Kube } from '#runtime/client/kube.js';
import type { DestinationView } from '../answers/application.js';
import type { LiveDiffFindings, LiveDiffView } from '../answers/members.js';
import { reachChild, type Reader } from './child-member.js';
import { compareFiles } from './compare-files.js';
import { compareRelease } from './compare-release.js';
import { eachDestination, type ReadLimits } from './each-destination.js';
import { problemOf } from './read-destination.js';

async function findingsOf(destination: DestinationView, reader: Reader): Promise<LiveDiffFindings> {
  try {
    const reached = await reachChild(destination, reader);
    const { child } = reached;
    // As its kind says.
    if (child.kind === 'HelmRelease') return await compareRelease(child as HelmRelease, reached, reader);
    return await compareFiles(child as Kustomization, reached, reader);
  } catch (error: unknown) {
    return { objects: [], more: 0, note: '', problem: problemOf(error, reader.host) };
  }
}

/**
 * What is wanted at each of these destinations, and what is there, read with the rights that `host` has: of a
 * HelmRelease by a dry run for each object, which writes nothing. Says what could not be read.
 */
export async function readLiveDiff(
  host: Kube,
  { metadata }: Application,
  destinations: readonly DestinationView[],
  limits: ReadLimits = {},
): Promise<LiveDiffView[]> {
  const { namespace = '', name } = metadata;
  const read = async (destination: DestinationView, reader: Reader): Promise<LiveDiffView> => ({
    ...destination,
    ...(await findingsOf(destination, reader)),
    application: `${namespace}/${name}`,
  });
  return eachDestination({ host, namespace }, destinations, read, limits);
}
