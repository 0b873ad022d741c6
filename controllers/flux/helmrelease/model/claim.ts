import { ORIGIN_NAME_LABEL, ORIGIN_NAMESPACE_LABEL } from '#api/flux/annotations.js';
import { printDuration } from '#controllers/runtime/pure/duration.js';
import { isPending, type ReleaseInfo, type StoredRevision } from './release.js';

/** A release whose newest revision another HelmRelease wrote, according to its label. */
export interface Claim {
  readonly releaseName: string;
  readonly storageNamespace: string;
  readonly last: Pick<StoredRevision, 'secretName'> & { readonly origin: string };
}

function handOver({ storageNamespace, last }: Claim): string {
  const labels = `${ORIGIN_NAME_LABEL} and ${ORIGIN_NAMESPACE_LABEL}`;
  return `remove the labels ${labels} from Secret ${storageNamespace}/${last.secretName} of its cluster`;
}

/** Why a release whose HelmRelease exists is left to it. */
export function claimOfLiving({ releaseName, last: { origin } }: Claim): string {
  return (
    `release ${releaseName} belongs to HelmRelease ${origin}: set another spec.releaseName. Deleting that HelmRelease ` +
    'uninstalls the release; to hand it over, first set spec.suspend: true there, and then delete it'
  );
}

/** Why a release is left to a HelmRelease that may not be asked for. */
export function claimOfHidden(claim: Claim): string {
  const { releaseName, last } = claim;
  return (
    `release ${releaseName} belongs to HelmRelease ${last.origin} of another namespace, which another host may manage: ` +
    `set another spec.releaseName, or, to take the release over, ${handOver(claim)}`
  );
}

/** What is known of the claim on a release whose HelmRelease no longer exists. */
export interface Orphaned extends Claim {
  /** The claimant has had the release: somebody took it away. */
  readonly hadIt: boolean;
  /** What an upgrade to the spec would replace, as `reasonToMove` says it. */
  readonly replaces: string | undefined;
}

/**
 * Why a release whose HelmRelease no longer exists is not taken over all the same; undefined if it is. Labels do not
 * say on which host that HelmRelease was: two hosts must not take the release from each other for ever, and a release of
 * the same name that is another application is no heir.
 */
export function claimOfOrphaned(claim: Orphaned): string | undefined {
  const { releaseName, last, hadIt, replaces } = claim;
  if (hadIt) {
    return (
      `HelmRelease ${last.origin} took release ${releaseName} over, and does not exist here: another host may manage ` +
      `the release now. Delete this HelmRelease, or, to take the release back, ${handOver(claim)}`
    );
  }
  if (replaces === undefined) return undefined;
  return (
    `release ${releaseName} of HelmRelease ${last.origin}, which no longer exists, is another one (${replaces}): set ` +
    'another spec.releaseName, correct the spec, or uninstall that release with helm'
  );
}

/** Milliseconds left to an action that may still run, begun by whoever has the release; undefined without one. */
export function timeLeft({ info, nowMs, timeoutMs }: Running): number | undefined {
  if (!isPending(info.status)) return undefined;
  // Parses a time, does not read the clock. One that is not there, or far off, tells of no action that runs.
  // eslint-disable-next-line no-restricted-globals
  const age = nowMs - Date.parse(info.deleted ?? info.last_deployed ?? '');
  return Math.abs(age) < timeoutMs ? timeoutMs - age : undefined;
}

export interface Running {
  readonly info: ReleaseInfo;
  readonly nowMs: number;
  readonly timeoutMs: number;
}

/** What is waited for then. */
export function waitForOrphaned({ releaseName, last }: Claim, { info, timeoutMs }: Running): string {
  return (
    `release ${releaseName} is ${info.status}, and HelmRelease ${last.origin}, to which it belongs, does not exist: ` +
    `that action is given ${printDuration(timeoutMs)} to end before the release is taken over`
  );
}
