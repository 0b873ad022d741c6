import type { ApplicationMemory, Applications } from './applications.js';
import { keyOf } from './content.js';
import type { Destination } from './destinations.js';
import type { ClusterUid, Moment, MomentIndex } from './facts.js';
import { acceptedUid } from './objects.js';
import type { Targets } from './targets.js';

/** The cluster that a destination was for when its child was made. */
interface Recorded {
  readonly uid: ClusterUid;
  /** False if the child may have been deleted in the meantime, and with it the record, or if there may be none yet. */
  readonly isCertain: boolean;
  /** True if the child may be gone with an earlier Application of the name, and none may have been made since. */
  readonly isLost: boolean;
}
export type Records = ReadonlyMap<string, Recorded>;

/** Where a destination is. */
export interface Located {
  /** Undefined if nobody knows yet. */
  readonly uid?: ClusterUid | undefined;
  /** Set if another cluster answers than the one that the destination is for. */
  readonly found?: ClusterUid | undefined;
  readonly isCertain: boolean;
}

const isProbed = ({ way }: Destination): boolean => way === 'clusterRef' || way === 'clusterSelector';

/** Where a destination is, as the object of its cluster and the record of its child say. */
export function locate(destination: Destination, records: Records): Located {
  const { leadsTo, cluster } = destination;
  const record = records.get(destination.id);
  if (leadsTo === undefined) return { uid: record?.uid, isCertain: true };
  const isKnown = record === undefined || !isProbed(destination) || record.uid === leadsTo;
  if (isKnown || acceptedUid(cluster?.annotations) === leadsTo) return { uid: leadsTo, isCertain: true };
  return { uid: record.uid, found: leadsTo, isCertain: record.isCertain };
}

/** True once something runs, or is tried, where a destination wants it: its child was made. */
function isTried({ place }: Destination, uid: ClusterUid | undefined, targets: Targets): boolean {
  return uid !== undefined && targets.get(keyOf({ ...place, cluster: uid }))?.run !== undefined;
}

/** All destinations, and what runs where. */
interface Fleet {
  readonly destinations: readonly Destination[];
  readonly targets: Targets;
  readonly isSettled: boolean;
}

/** True if another name leads to the cluster now. */
function hasOther({ clusterKey: own }: Destination, uid: ClusterUid | undefined, { destinations }: Fleet): boolean {
  return destinations.some(({ clusterKey, leadsTo }) => clusterKey !== own && leadsTo === uid);
}

/** True if the child of a destination was made for the cluster that it is for. */
function isMadeFor(destination: Destination, { uid, found }: Pick<Located, 'uid' | 'found'>, fleet: Fleet): boolean {
  if (!isTried(destination, uid, fleet.targets)) return false;
  // What runs there may be of another name that leads there now.
  return found === undefined || !hasOther(destination, uid, fleet);
}

/** True unless the controllers had the time to make a child, and nothing kept them from it. */
function isUnmade(destination: Destination, found: ClusterUid | undefined, fleet: Fleet): boolean {
  const { cluster, closedBy, leadsTo, rejected } = destination;
  if (!fleet.isSettled || found !== undefined || cluster?.answers === false || cluster?.paused === true) return true;
  return closedBy !== undefined || rejected !== undefined || hasOther(destination, leadsTo, fleet);
}

function certainty(known: Recorded, isSure: boolean, isOpen: boolean): Pick<Recorded, 'isCertain' | 'isLost'> {
  const isLost = known.isLost && isOpen;
  return { isLost, isCertain: !isLost && (known.isCertain || isSure) };
}

/** The record of a destination from now on; undefined: there is none. */
function recordOf(destination: Destination, before: Records, fleet: Fleet): Recorded | undefined {
  const { id, cluster } = destination;
  const known = before.get(id);
  const { uid, found } = locate(destination, before);
  const isSure = isMadeFor(destination, { uid, found }, fleet);
  const isNew = known === undefined || (found === undefined && known.uid !== uid);
  if (isNew && uid !== undefined && cluster?.answers !== false) return { uid, isCertain: isSure, isLost: false };
  return known && { ...known, ...certainty(known, known.uid === uid && isSure, isUnmade(destination, found, fleet)) };
}

/** The records, as another Application of the name finds them: its children may be deleted with the one before. */
function recordsFor(before: Records, applications: readonly ApplicationMemory[], index: MomentIndex): Records {
  const others = applications.filter(({ since }) => since === index).map(({ name }) => `${name}|`);
  const isOfOther = (id: string): boolean => others.some((prefix) => id.startsWith(prefix));
  return new Map([...before].map(([id, each]) => [id, isOfOther(id) ? { ...each, isLost: true } : each]));
}

interface Step {
  readonly applications: Applications;
  readonly targets: Targets;
  readonly moment: Moment;
  readonly index: MomentIndex;
}

/**
 * Records the cluster of each destination that answers. A record is doubtful until something was tried there, and once
 * its destination is gone.
 */
export function rememberClusters(old: Records, { applications, targets, moment, index }: Step): Records {
  const existing = [...applications.values()].filter(({ exists }) => exists);
  const before = recordsFor(old, existing, index);
  const after = new Map([...before].map(([id, each]) => [id, { ...each, isCertain: false }]));
  const destinations = existing.flatMap(({ expanded }) => expanded.destinations);
  for (const destination of destinations) {
    const record = recordOf(destination, before, { destinations, targets, isSettled: moment.isSettled });
    if (record !== undefined) after.set(destination.id, record);
  }
  return after;
}
