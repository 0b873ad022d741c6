import memoize from 'lodash/memoize.js';
import once from 'lodash/once.js';
import partition from 'lodash/partition.js';
import uniq from 'lodash/uniq.js';
import { ACCEPT_CLUSTER_UID_ANNOTATION, recordedUid } from '#api/v1alpha1/labels.js';
import { groupedBy } from '#lib/plain.js';
import { listed } from '#lib/text/text.js';
import { describeObject } from '#lib/net/urls.js';
import { clusterIdText } from '../../../cluster/model/cluster.js';
import { isProbed } from '../../../cluster/model/probe.js';
import { backendOf } from '../backends/index.js';
import { clusterIdOf, type ClusterIndex, clusterNameOf, factsOf } from '../child/cluster.js';
import { isInstalledFor } from '../child/metadata.js';
import type { Child, Entry, ReleaseKey, Violation } from '../child/types.js';
import { isTerminating } from '../children/state.js';
import { heldReleaseKeys, liveReleaseKey, releaseKeyText } from '../destinations/identity.js';
import { acceptedIn, recordedIn, replacementOf, type Replacements, tellerOf, uidNow } from './replaced.js';
import { alsoText, describeBeside, isLost, textWithoutCluster } from './same-release.js';

/** Paths in a message that each of thousands of entries may have. */
const NAMED = 5;

interface Claim {
  readonly entry: Entry;
  readonly live: Child | undefined;
  /** UID of its cluster. */
  readonly uid: string;
  /** The cluster took the place of another one, and nobody accepted it: whether the entry gets there is not known. */
  readonly isOpen: boolean;
  /** The cluster does not answer, and may be the one that was accepted for it. */
  readonly isAccepted: boolean;
}

interface Known extends Replacements {
  /** See `agreedUids`. */
  readonly agreed: ReadonlyMap<string, string>;
}

/** The claims of entries, by their releases on the clusters that answer. */
type Claims = ReadonlyMap<string, readonly Claim[]>;

/**
 * The claims of an entry on the cluster that answers, or, until one does, on the one that its child was made for, or
 * would be: a process that starts knows no other. Open claims are on each that it may be, also on one that was accepted
 * and does not answer. Empty: they are unknown.
 */
function claimsOf(entry: Entry, live: Child | undefined, known: Known): Claim[] {
  const id = entry.cluster && clusterIdText(entry.cluster.id);
  if (id === undefined) return [];
  const teller = tellerOf(entry, live, known);
  const madeFor = live === undefined ? known.agreed.get(id) || undefined : recordedIn(live, id);
  const recorded = recordedIn(teller, id) ?? madeFor;
  const now = factsOf(known.clusters, id).uid;
  // Until the cluster answers, it may be the one before or the one that was accepted.
  const accepted = now === undefined ? acceptedIn(known.clusters, id) : undefined;
  const uids = uniq([now, recorded, accepted].filter((uid) => uid !== undefined));
  const isAccepted = teller === undefined && ![undefined, recorded].includes(accepted);
  const isOpen = teller !== undefined || isAccepted;
  return (isOpen ? uids : uids.slice(0, 1)).map((uid) => ({ entry, live, uid, isOpen, isAccepted }));
}

/** The release that the child of a claim has for good, or is to have. */
function releaseOf({ entry, live }: Pick<Claim, 'entry' | 'live'>): ReleaseKey {
  return live !== undefined && isInstalledFor(entry, live) ? liveReleaseKey(live) : entry.release;
}

function byRelease(claims: readonly Claim[]): Claims {
  return groupedBy(claims, (claim) => releaseKeyText({ ...releaseOf(claim), cluster: claim.uid }));
}

/** The claims that keep their releases: those with a child, unless it was made for another cluster than others. */
function keepersOf(claims: readonly Claim[]): readonly Claim[] {
  const holders = claims.filter(({ live }) => live !== undefined);
  const first = holders.filter(({ live, uid }) => live !== undefined && (recordedUid(live) ?? uid) === uid);
  return first.length > 0 ? first : holders;
}

function namesOf(claims: readonly Claim[]): string {
  const paths = claims.map(({ entry }) => entry.path);
  return listed(paths, NAMED);
}

const oneCluster = (uid: string): string => `names of one cluster, with the UID ${uid} of namespace kube-system`;

function violationOf(claims: readonly Claim[], claim: Claim): Violation {
  const { entry, uid } = claim;
  const what = backendOf(entry.release).describeDuplicate({ ...entry, release: releaseOf(claim) });
  const message = `${namesOf(claims)} define the same ${what}; these are ${oneCluster(uid)}`;
  return { reason: 'DuplicateDestination', message };
}

/** Of those that keep one release; the way out comes first, because what is too long is cut at its end. */
function warningOf(keepers: readonly Claim[], claim: Claim): string {
  const release = releaseOf(claim);
  const what = backendOf(release).describeHeld(release);
  return `${what}: deployed more than once under ${oneCluster(claim.uid)}; remove or exclude all but one, and what is installed stays: ${namesOf(keepers)}`;
}

const clustersIn = (claims: readonly Claim[]): number => new Set(claims.map(({ entry }) => entry.release.cluster)).size;

/**
 * The entries whose release another entry defines on the same cluster under another name of it, by the UID that both
 * answer with. Those that have a child keep it, and are warned of if they are several.
 */
function sharedClusters(all: Claims): Pick<OtherNames, 'violations' | 'warnings'> {
  const violations = new Map<Entry, Violation>();
  const warnings: string[] = [];
  for (const claims of all.values()) {
    const [first] = claims;
    if (first === undefined || clustersIn(claims) < 2) continue;
    const keepers = keepersOf(claims);
    if (clustersIn(keepers) > 1) warnings.push(warningOf(keepers, first));
    const kept = new Set(keepers);
    const violation = violationOf(claims, first);
    for (const claim of claims) if (!kept.has(claim)) violations.set(claim.entry, violation);
  }
  return { violations, warnings };
}

/** The claims on the release of a child, on the same cluster under other names of it. */
function claimsBeside(child: Child, all: Claims, clusters: ClusterIndex): Claim[] {
  const id = clusterIdOf(child);
  const uid = id === undefined ? undefined : (uidNow(id, clusters) ?? recordedUid(child));
  if (uid === undefined || replacementOf(child, clusters) !== undefined) return [];
  const { cluster, ...release } = liveReleaseKey(child);
  const claims = all.get(releaseKeyText({ ...release, cluster: uid })) ?? [];
  return claims.filter(({ entry }) => entry.release.cluster !== cluster);
}

/** True if the child has the release, and its engine has left any other. A release that is only wanted may never come. */
function isCarriedOut({ entry, live }: Claim): boolean {
  if (live === undefined || isTerminating(live)) return false;
  const text = textWithoutCluster(releaseOf({ entry, live }));
  return heldReleaseKeys(live).every((key) => textWithoutCluster(key) === text);
}

/**
 * The keeper of the release of a child without an entry, for messages: that of an entry which defines it on the same
 * cluster under another name of it, so that an uninstall would take it from there. The last answer of a cluster that is
 * asked again proves nothing.
 */
function keeperOf(child: Child, all: Claims, clusters: ClusterIndex): string | undefined {
  const keeper = claimsBeside(child, all, clusters).find(
    (claim) => isCarriedOut(claim) && !isToBeAsked(claim.entry, clusters),
  );
  if (keeper?.live === undefined) return undefined;
  return describeBeside(keeper.live);
}

/** Why it is not known whether an entry keeps the release of a child without one. */
function doubtOf(child: Child, open: Claims, clusters: ClusterIndex): string | undefined {
  const [claim] = claimsBeside(child, open, clusters);
  const { cluster } = claim?.entry ?? {};
  if (claim === undefined || cluster === undefined) return undefined;
  const { path, clusterName } = claim.entry;
  const also = alsoText(releaseOf(claim));
  if (claim.isAccepted) {
    return `until cluster ${clusterName} tells its UID or ${path} is removed: ${also}, and ${clusterName} may be the cluster that was accepted for it`;
  }
  const object = describeObject(cluster.id.kind, cluster.id);
  return `until the old kubeconfig of cluster ${clusterName} is back, or ${object} has the new UID in ${ACCEPT_CLUSTER_UID_ANNOTATION}, or ${path} is removed: ${also}, and it is not settled which cluster ${clusterName} is`;
}

/** The claim beside a child that it waits for: first of all one on a cluster of which it is known which one it is. */
function awaitedClaim(child: Child, all: Claims, clusters: ClusterIndex): Claim | undefined {
  const claims = claimsBeside(child, all, clusters);
  return claims.find(({ entry }) => !isToBeAsked(entry, clusters)) ?? claims[0];
}

/** Why a child without an entry stays: the entry that keeps its release has not got it yet. */
function awaitedReason(child: Child, { entry, live }: Claim): string {
  return `until ${entry.path} is carried out or removed: ${alsoText(releaseOf({ entry, live }))}, and cluster ${entry.clusterName} is another name of cluster ${clusterNameOf(child)}`;
}

/** The entries with one release, on whatever clusters of the inventory. */
interface Sharing {
  readonly entries: readonly Entry[];
  /** On clusters that are to be asked. Each may be any cluster, whatever it told before: its credential was changed. */
  readonly open: readonly Entry[];
}

const NOBODY: Sharing = { entries: [], open: [] };

function isToBeAsked({ cluster }: Entry, clusters: ClusterIndex): boolean {
  return cluster !== undefined && factsOf(clusters, clusterIdText(cluster.id)).isToBeAsked;
}

/** Finds the entries with the release of a child, at the same cost for one entry and for thousands. */
function sharingFinder(
  entries: readonly Entry[],
  childOf: ReadonlyMap<Entry, Child>,
  clusters: ClusterIndex,
): (child: Child) => Sharing {
  // Its child may have another release than the entry wants, e.g. as it was installed once.
  const textsOf = (entry: Entry): string[] => {
    const live = childOf.get(entry);
    return uniq([entry.release, ...(live === undefined ? [] : [liveReleaseKey(live)])].map(textWithoutCluster));
  };

  const sharingOf = (group: readonly Entry[]): Sharing => ({
    entries: group,
    open: group.filter((entry) => isToBeAsked(entry, clusters)),
  });
  // Mostly nothing leaves.
  const byText = once(() => {
    const onClusters = entries.filter(({ cluster }) => cluster !== undefined);
    const groups = groupedBy(
      onClusters.flatMap((entry) => textsOf(entry).map((text) => ({ text, entry }))),
      ({ text }) => text,
    );
    return new Map([...groups].map(([text, group]) => [text, sharingOf(group.map(({ entry }) => entry))]));
  });
  return (child) => byText().get(textWithoutCluster(liveReleaseKey(child))) ?? NOBODY;
}

/** The first entry on a cluster with another name than that of a child. */
function firstBeside(child: Child, entries: readonly Entry[]): Entry | undefined {
  const { cluster } = liveReleaseKey(child);
  return entries.find(({ release }) => release.cluster !== cluster);
}

/** Names an entry that may keep the release of a child whose cluster is gone, for messages: it is never known. */
function possibleKeeperOf(child: Child, { entries }: Sharing, clusters: ClusterIndex): string | undefined {
  const entry = isLost(child, clusters) ? firstBeside(child, entries) : undefined;
  return entry && `${entry.path} on ${entry.clusterName}, which may be another name of the same cluster,`;
}

/**
 * Why it is not known yet whether an entry keeps the release of a child without one: one of the two clusters did not
 * answer since the process started, or its object was made, or is asked again. That ends in some minutes.
 */
function unaskedReason(child: Child, sharing: Sharing, clusters: ClusterIndex): string | undefined {
  const id = clusterIdOf(child);
  if (id === undefined || isLost(child, clusters)) return undefined;
  const isUnknown = recordedUid(child) === undefined && factsOf(clusters, id).isToBeAsked;
  const found = firstBeside(child, isUnknown ? sharing.entries : sharing.open);
  if (found === undefined) return undefined;
  const { path, clusterName, cluster } = found;
  const own = clusterNameOf(child);
  const [name, asked] = isUnknown ? [own, factsOf(clusters, id).cluster] : [clusterName, cluster];
  const until =
    asked !== undefined && isProbed(asked)
      ? `until cluster ${name} tells its UID or ${path} is removed, for some minutes`
      : `for some minutes or until ${path} is removed, as cluster ${name} cannot be asked now`;
  return `${until}: ${alsoText(found.release)}, and cluster ${clusterName} may be another name of cluster ${own}`;
}

/** What must not happen because clusters of the inventory are one. */
export interface OtherNames {
  readonly violations: ReadonlyMap<Entry, Violation>;
  /** What users should know of releases that several entries keep. */
  readonly warnings: readonly string[];
  readonly keeperOf: (child: Child) => string | undefined;
  /** Why a child without an entry stays: what keeps its release may become known. */
  readonly doubtOf: (child: Child) => string | undefined;
  /** Why a child without an entry stays for some minutes at most. */
  readonly whyUnasked: (child: Child) => string | undefined;
  /** Why a child without an entry stays until another one has its release. */
  readonly whyAwaited: (child: Child) => string | undefined;
  /** True if so, and it is known which cluster that one is: whatever others answer, the child stays until then. */
  readonly isAwaiting: (child: Child) => boolean;
  /** Why an entry may have the release of a child that another entry matches; undefined: that is settled. */
  readonly whyMayBeKept: (child: Child) => string | undefined;
  /** The clusters of the entries that have the release of a child on its cluster under other names, as `clusterText`. */
  readonly namesBeside: (child: Child) => ReadonlySet<string>;
}

/** Finds the releases that entries define under several names of one cluster. Never throws. */
export function otherNames(entries: readonly Entry[], childOf: ReadonlyMap<Entry, Child>, known: Known): OtherNames {
  const all = entries.flatMap((entry) => claimsOf(entry, childOf.get(entry), known));
  const [open, claims] = partition(all, 'isOpen');
  const [kept, unsure] = [byRelease(claims), byRelease(open)];
  const sharingOf = sharingFinder(entries, childOf, known.clusters);
  const awaited = memoize((child: Child) => awaitedClaim(child, kept, known.clusters));
  const doubt = (child: Child): string | undefined => doubtOf(child, unsure, known.clusters);
  const whyUnasked = memoize((child: Child) => unaskedReason(child, sharingOf(child), known.clusters));
  return {
    ...sharedClusters(kept),
    keeperOf: memoize(
      (child) => keeperOf(child, kept, known.clusters) ?? possibleKeeperOf(child, sharingOf(child), known.clusters),
    ),
    doubtOf: doubt,
    whyUnasked,
    whyMayBeKept: (child) => {
      const why = doubt(child) ?? whyUnasked(child);
      return why === undefined ? undefined : `waiting ${why}`;
    },
    whyAwaited: (child) => {
      const claim = awaited(child);
      return claim && awaitedReason(child, claim);
    },
    isAwaiting: (child) => {
      const { entry } = awaited(child) ?? {};
      return entry !== undefined && !isToBeAsked(entry, known.clusters);
    },
    namesBeside: (child) =>
      new Set(claimsBeside(child, kept, known.clusters).map(({ entry }) => entry.release.cluster)),
  };
}
