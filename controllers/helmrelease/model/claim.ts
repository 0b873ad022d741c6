import { ORIGIN_NAME_LABEL, ORIGIN_NAMESPACE_LABEL, ORIGIN_UID_LABEL } from '#api/flux/annotations.js';
import { printDuration } from '#lib/duration.js';
import type { HelmRelease } from './types.js';
import { isPending, type ReleaseInfo, type StoredRevision } from './release.js';

function timeOf(text = ''): number {
  // Parses a time, does not read the clock.
  // eslint-disable-next-line no-restricted-globals
  return Date.parse(text);
}

/** A release whose newest revision has the label of another HelmRelease. */
export interface Claim {
  readonly releaseName: string;
  readonly storageNamespace: string;
  readonly last: Pick<StoredRevision, 'secretName'> & { readonly origin: string };
}

function handOver({ storageNamespace, last }: Claim): string {
  const labels = `${ORIGIN_NAME_LABEL} and ${ORIGIN_NAMESPACE_LABEL}`;
  return `remove the labels ${labels} from Secret ${storageNamespace}/${last.secretName} of its cluster`;
}

/** The message if that HelmRelease exists. */
export function claimOfLiving({ releaseName, last: { origin } }: Claim): string {
  return (
    `release ${releaseName} belongs to HelmRelease ${origin}: set another spec.releaseName. Deleting that HelmRelease ` +
    'uninstalls the release; to hand it over, first set spec.suspend: true there, and then delete it'
  );
}

/** The message if that HelmRelease is in another namespace, and so must not be looked up. */
export function claimOfHidden(claim: Claim): string {
  const { releaseName, last } = claim;
  return (
    `release ${releaseName} belongs to HelmRelease ${last.origin} of another namespace, which another host may manage: ` +
    `set another spec.releaseName, or, to take the release over, ${handOver(claim)}`
  );
}

/** A HelmRelease, and the newest revision that one of its name made. */
export interface Namesake {
  readonly release: Pick<HelmRelease, 'metadata' | 'status'>;
  readonly last: Pick<StoredRevision, 'originUid'>;
}

/** True for one that had the release itself; a restored one has the status of another one, with an earlier time. */
function hadRelease({ metadata, status }: Namesake['release']): boolean {
  if (status?.uid !== undefined) return status.uid === metadata.uid;
  const deployed = status?.history?.[0]?.lastDeployed;
  // Both are times that an API server or an engine wrote.
  return deployed !== undefined && timeOf(metadata.creationTimestamp) <= timeOf(deployed);
}

/** True for one with a status that it did not write itself. */
function isRestored(release: Namesake['release']): boolean {
  const { metadata, status } = release;
  if (status?.uid !== undefined) return status.uid !== metadata.uid;
  return (status?.history ?? []).length > 0 && !hadRelease(release);
}

/**
 * The owner of a revision that a HelmRelease of the same name made. One that was restored, or created again, continues the
 * release. One that had it itself has lost it: then the one of its name on another host, which was restored there,
 * continues it.
 */
export function claimOfNamesake({ release, last }: Namesake): 'own' | 'continued' | 'lost' {
  if (last.originUid === release.metadata.uid) return 'own';
  if (last.originUid === undefined) return isRestored(release) ? 'continued' : 'own';
  return hadRelease(release) ? 'lost' : 'continued';
}

/** The message if another host continues the release. */
export function claimOfLost({ releaseName, storageNamespace, last }: Claim): string {
  return (
    `another HelmRelease ${last.origin} continues release ${releaseName}, probably on another host, to which this one was ` +
    `restored: delete this one, or the Application that made it, which leaves the release as it is; or, to take it back, delete that one with ` +
    `spec.suspend: true, and remove the label ${ORIGIN_UID_LABEL} from all Secrets of the release, on its cluster: ` +
    `kubectl label secrets -n ${storageNamespace} -l owner=helm,name=${releaseName} ${ORIGIN_UID_LABEL}-`
  );
}

/** The message if an upgrade would replace the release of a HelmRelease that is gone, for the reason `replaces`. */
export function claimOfOther({ releaseName, last: { origin } }: Claim, replaces: string): string {
  return (
    `release ${releaseName} of HelmRelease ${origin}, which no longer exists, is another one (${replaces}): set ` +
    'another spec.releaseName, correct the spec, or uninstall that release with helm'
  );
}

/** A claim by a HelmRelease that no longer exists. */
export interface Orphaned extends Claim {
  /** True if this HelmRelease had the release before, so the other one took it over. */
  readonly hadIt: boolean;
  /** The reason why an upgrade to the spec would replace the release, from `reasonToReplace`; undefined: it would not. */
  readonly replaces: string | undefined;
}

/**
 * Why a release whose HelmRelease no longer exists is not taken over; undefined if it is. Labels do not name the host
 * of that HelmRelease, and two hosts must not keep taking the release from each other. A release that an upgrade would
 * replace is a different application, and is not taken over either.
 */
export function claimOfOrphaned(claim: Orphaned): string | undefined {
  const { releaseName, last, hadIt, replaces } = claim;
  if (hadIt) {
    return (
      `HelmRelease ${last.origin} took release ${releaseName} over, and does not exist here: another host may manage ` +
      `the release now. Delete this HelmRelease, or, to take the release back, ${handOver(claim)}`
    );
  }
  return replaces === undefined ? undefined : claimOfOther(claim, replaces);
}

/**
 * Milliseconds left to an action that may still run, even if this HelmRelease did not start it; undefined: none may.
 */
export function timeLeft({ info, nowMs, timeoutMs }: Running): number | undefined {
  if (!isPending(info.status)) return undefined;
  // A time that is missing or far off shows that no action runs.
  const age = nowMs - timeOf(info.deleted ?? info.last_deployed);
  return Math.abs(age) < timeoutMs ? timeoutMs - age : undefined;
}

export interface Running {
  readonly info: ReleaseInfo;
  readonly nowMs: number;
  readonly timeoutMs: number;
}

/** The message while that action may still run. */
export function waitForOrphaned({ releaseName, last }: Claim, { info, timeoutMs }: Running): string {
  return (
    `release ${releaseName} is ${info.status}, and HelmRelease ${last.origin}, to which it belongs, does not exist: ` +
    `that action is given ${printDuration(timeoutMs)} to end before the release is taken over`
  );
}
