import { backendOf } from '../backends/index.js';
import { clusterIdText } from '../../../cluster/model/cluster.js';
import { type ClusterIndex, clusterText, factsOf } from '../child/cluster.js';
import { isInstalledFor, isLeftAlone, isUnmanaged } from '../child/metadata.js';
import { describeChild } from '../child/messages.js';
import type { Child, DesiredChild, ReleaseKey } from '../child/types.js';
import type { Rule, Verdict } from '../child/verdicts.js';
import type { PossibleMatches } from '../children/possible-matches.js';
import type { ReleaseHolders } from '../children/release-holders.js';
import { isTerminating } from '../children/state.js';
import type { WorldRevisions } from '../children/world.js';
import type { Departures } from '../clusters/departures.js';
import { whySilent } from '../clusters/possible-names.js';
import { describeBeside } from '../clusters/same-release.js';
import { liveReleaseKey, newReinstallationOf, releaseKeyText, workText } from '../destinations/identity.js';
import { gateHold, waitsFor, whyClusterWaits } from '../destinations/personal-values.js';
import { unkeptIn } from '../revisions/at-revision.js';
import { isAdoption, isTiedOnly, whyTie, whyWritten } from './why-written.js';

/** Facts about the other children of the Application. */
export interface DestinationFacts {
  readonly possibleMatches: PossibleMatches;
  readonly holders: ReleaseHolders;
  /** Children without an entry that are being deleted, or will be, by `clusterText`. */
  readonly leaving: ReadonlyMap<string, readonly Child[]>;
  readonly departures: Pick<Departures, 'heldCreation' | 'heldMove'>;
  /** A child that has the release of `object` under another name of its cluster, or has not left it yet. */
  readonly heldBeside: (object: Child) => Child | undefined;
  /** Why an update must not uninstall the release of a child: another one keeps it, or may. */
  readonly whyKept: (live: Child) => string | undefined;
  readonly revisions: WorldRevisions | undefined;
  readonly clusters: ClusterIndex;
  /** See `otherNameFinder`. */
  readonly otherName: (release: ReleaseKey) => string | undefined;
}

/** True if both may have created cluster-wide objects of one name. */
function areNamesakes(child: Child, object: Child): boolean {
  return child.kind === object.kind && backendOf(child).areNamesakes(child, object);
}

/** True if the deletion of one child may affect the other on its cluster: same namespace or names. */
function isNeighbour(child: Child, object: Child): boolean {
  const namespaces = [child.spec.targetNamespace, object.spec.targetNamespace];
  // Files without a target namespace can be in any namespace.
  return namespaces.includes(undefined) || namespaces[0] === namespaces[1] || areNamesakes(child, object);
}

/** True if the child claims another release. A child that keeps its work is at most renamed. */
function isMoving({ object, live }: DesiredChild): boolean {
  if (live === undefined) return true;
  if (workText(live) === workText(object)) return false;
  return releaseKeyText(liveReleaseKey(live)) !== releaseKeyText(liveReleaseKey(object));
}

function waiting(why: string | undefined): Verdict | undefined {
  return why === undefined ? undefined : { hold: 'Release', why };
}

/** It keeps the revision that it has; pins and the rollout know better what it waits for. */
function atItsRevision({ entry, live, held }: DesiredChild): Verdict | undefined {
  if (held === undefined) return undefined;
  if (live !== undefined) return { do: 'keep', why: held, hold: 'Release' };
  return waiting(gateHold(entry)?.why ?? held);
}

/** A child that was installed once is at most tied to another Application. */
function leftAlone({ entry, live, object }: DesiredChild): Verdict | undefined {
  if (live === undefined || whyTie(live, object) !== undefined || !isInstalledFor(entry, live)) return undefined;
  if (isLeftAlone(live)) return { do: 'keep', why: 'installed once' };
  return { do: 'unmanage', why: 'installed once, it is not managed any more' };
}

function besideLeaving({ live, object }: DesiredChild, { leaving }: DestinationFacts): Verdict | undefined {
  if (live !== undefined) return undefined;
  const there = leaving.get(clusterText(object.spec.kubeConfig)) ?? [];
  const neighbour = there.find((child) => isNeighbour(child, object));
  return neighbour && waiting(`waiting until ${describeChild(neighbour)} is deleted`);
}

function unchanged({ live, object, waits }: DesiredChild): Verdict | undefined {
  if (live === undefined || whyWritten(live, object) !== undefined) return undefined;
  return waits === undefined ? { do: 'keep', why: 'unchanged' } : { do: 'keep', why: waits, hold: 'Release' };
}

/** A release that is there stays: its engine retries, and reports more. */
function clusterNotReady({ entry, live }: DesiredChild): Verdict | undefined {
  const why = live === undefined ? whyClusterWaits(entry) : undefined;
  return why === undefined ? undefined : { hold: 'ClusterNotReady', why };
}

/** The owner of a child is written all the same: see `Plan.disowned`. */
function clusterPaused(desired: DesiredChild): Verdict | undefined {
  const { cluster, clusterName } = desired.entry;
  if (cluster?.isPaused !== true) return undefined;
  if (isTiedOnly(desired)) return { do: 'keep', why: 'unchanged but for its owner' };
  return { hold: 'ClusterPaused', why: `waiting: cluster ${clusterName} is paused` };
}

function withoutCredential({ entry: { cluster, clusterName }, live }: DesiredChild): Verdict | undefined {
  if (live !== undefined || cluster?.credential.type !== 'none') return undefined;
  return { hold: 'Credential', why: `waiting: cluster ${clusterName} has no credential: ${cluster.credential.why}` };
}

/** It may be another name of the cluster of an entry that has, or is to have, the same release. */
function clusterNotAsked({ entry: { cluster, clusterName }, live }: DesiredChild, { clusters }: DestinationFacts) {
  if (live !== undefined || cluster === undefined || !factsOf(clusters, clusterIdText(cluster.id)).isUnasked)
    return undefined;
  return waiting(`waiting: cluster ${clusterName} has not been asked yet which cluster it is`);
}

function clusterSilent(desired: DesiredChild, { clusters, otherName }: DestinationFacts): Verdict | undefined {
  return desired.live === undefined ? waiting(whySilent(desired, clusters, otherName)) : undefined;
}

/** An uninstall would take the release from a child that keeps it. While it is held, none of the update is written. */
function sharedMove({ live, object }: DesiredChild, { whyKept }: DestinationFacts): Verdict | undefined {
  if (live === undefined || newReinstallationOf(live, object) === undefined) return undefined;
  const why = whyKept(live);
  return why === undefined ? undefined : { hold: 'Removal', why };
}

/** A release that another child has, under whichever name of the cluster. */
function heldRelease(desired: DesiredChild, { holders, heldBeside }: DestinationFacts): Verdict | undefined {
  if (!isMoving(desired)) return undefined;
  const beside = heldBeside(desired.object);
  const whyBeside = beside && `waiting until ${describeBeside(beside)} has left the release`;
  return waiting(holders.of(desired) ?? whyBeside);
}

/** An update is treated as a removal if the engine uninstalls first. While it is held, none of it is written. */
function heldMove({ live, object }: DesiredChild, { departures }: DestinationFacts): Verdict | undefined {
  if (live === undefined || newReinstallationOf(live, object) === undefined) return undefined;
  const why = departures.heldMove(live);
  return why === undefined ? undefined : { hold: 'Removal', why: `waiting, ${why}` };
}

function ofUnkeptRevision(desired: DesiredChild, { revisions }: DestinationFacts): Verdict | undefined {
  return waiting(unkeptIn(desired, revisions));
}

function written({ live, object }: DesiredChild): Verdict | undefined {
  const why = live && whyWritten(live, object);
  if (live === undefined || why === undefined) return undefined;
  if (newReinstallationOf(live, object) !== undefined) return { do: 'reinstall', why };
  return { do: isAdoption(live, object) ? 'adopt' : 'update', why };
}

/** The reason for a new child by which nothing is installed; see `withMovedRecords`. */
const RECORDED = 'installed once under another name of its cluster';

/** The rules about a destination whose entry is not rejected, in their order. The last one always applies. */
export const DESTINATION_RULES: readonly Rule<DesiredChild, DestinationFacts>[] = [
  {
    name: 'revision-is-held',
    meaning:
      'a pin, its rollout or a version that cannot be resolved keeps it at the revision that it has, or from being installed',
    of: atItsRevision,
  },
  {
    name: 'child-is-being-deleted',
    meaning: 'it waits until its child is gone',
    of: ({ live }) =>
      live !== undefined && isTerminating(live) ? waiting(`${describeChild(live)} is being deleted`) : undefined,
  },
  {
    name: 'may-be-another-child',
    meaning:
      'the entry is new, and may mean a child that no entry matches: its Secret does not exist, it names another key of the same Secret, or its mode is `Once`, and the child was installed once on its cluster, or on one that is gone and may be the same',
    of: ({ entry, live }, { possibleMatches }) =>
      live === undefined ? waiting(possibleMatches.ofEntry(entry)) : undefined,
  },
  {
    name: 'replaced-child-is-there',
    meaning:
      'the entry is new, and a child that it replaces is not removed yet: one with the same chart or directory on its cluster or, if it is for the host, one of its name or release, or of a selector that is not in the spec any more',
    of: (desired, { departures }) =>
      desired.live === undefined ? waiting(departures.heldCreation(desired)) : undefined,
  },
  {
    name: 'ready-is-false',
    meaning: 'it has no child yet, and its `ready` is not true',
    of: ({ entry, live }) => (live === undefined ? waiting(waitsFor(entry)) : undefined),
  },
  {
    name: 'release-is-held',
    meaning: 'another child has its release, or has not left it yet, also under another name of the cluster',
    of: heldRelease,
  },
  { name: 'installed-once', meaning: 'its mode is `Once`, and it was installed: it is left alone', of: leftAlone },
  {
    name: 'neighbour-is-leaving',
    meaning: 'it is new, and a child with the same namespace or the same name on its cluster is not gone yet',
    of: besideLeaving,
  },
  { name: 'nothing-changes', meaning: 'its child is as it is wanted: it is kept', of: unchanged },
  {
    name: 'cluster-is-paused',
    meaning: 'nothing is written for a cluster that is paused, except who owns the child',
    of: clusterPaused,
  },
  {
    name: 'credential-is-missing',
    meaning: 'it is new, and nothing gives access to its cluster yet',
    of: withoutCredential,
  },
  {
    name: 'cluster-is-not-ready',
    meaning: 'it is new, its entry has no `ready`, and the object of its cluster says that the cluster is not ready',
    of: clusterNotReady,
  },
  {
    name: 'cluster-is-not-asked',
    meaning:
      'it is new, and its cluster was not asked yet which one it is, or not since its credential was written: it may be another name of a cluster that has the release',
    of: clusterNotAsked,
  },
  {
    name: 'cluster-does-not-answer',
    meaning:
      'it is new, its cluster was asked which one it is and has not answered for at most five minutes, and the release is also for another cluster, of which it may be another name',
    of: clusterSilent,
  },
  {
    name: 'reinstallation-takes-another',
    meaning:
      'the engine would uninstall what another child keeps under another name of the cluster, or may keep: nothing of it is written',
    of: sharedMove,
  },
  {
    name: 'reinstallation-is-held',
    meaning: 'the engine would uninstall what runs first, and such a removal must wait, e.g. for an approval',
    of: heldMove,
  },
  {
    name: 'revision-is-not-kept',
    meaning: 'the revision that it would get could not be kept as a ControllerRevision: nothing of it is written',
    of: ofUnkeptRevision,
  },
  {
    name: 'changed',
    meaning: 'its child is updated, adopted or, where the engine uninstalls first, reinstalled',
    of: written,
  },
  {
    name: 'new',
    meaning:
      'its child is created; if its release was installed once under another name of the cluster, and its mode is `Once`, as the record of that',
    of: ({ object }) => ({ do: 'create', why: isUnmanaged(object) ? RECORDED : 'new destination' }),
  },
];
