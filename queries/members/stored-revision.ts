import type { HelmRelease } from '#api/flux/helm-release.js';
import type { HelmRevision } from '../answers/members.js';
import type { ReachedChild, Reader } from './child-member.js';
import { readStored, type StoredRelease } from './stored-release.js';

export const NOTHING = 'nothing is installed yet';

function revisionOf({ status }: HelmRelease): HelmRevision | undefined {
  const latest = status?.history?.[0];
  if (latest === undefined) return undefined;
  const { version, status: state, chartName, chartVersion } = latest;
  return { version, status: state, chart: chartName, chartVersion };
}

/** What Helm stored of the current revision. Throws an Error that says why there is none, or what the client throws. */
export async function readRevision(
  release: HelmRelease,
  reached: Pick<ReachedChild, 'member'>,
  reader: Pick<Reader, 'signal'>,
): Promise<{ readonly helm: HelmRevision; readonly stored: StoredRelease }> {
  const helm = revisionOf(release);
  if (helm === undefined) throw new Error(NOTHING);
  const stored = await readStored(release, reached, reader);
  if (stored === undefined) throw new Error(`revision ${helm.version} of Helm is not stored on the cluster any more`);
  return { helm, stored };
}
