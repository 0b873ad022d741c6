import type { Applications } from './applications.js';
import { keyOf } from './content.js';
import type { Destination } from './destinations.js';
import type { ClusterUid } from './facts.js';
import { acceptedUid } from './objects.js';
import type { Targets } from './targets.js';

/** The cluster that a destination was for when its child was made. */
interface Recorded {
  readonly uid: ClusterUid;
  /** False if the child may have been deleted in the meantime, and with it the record, or if there may be none yet. */
  readonly isCertain: boolean;
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
}

/** True if the child of a destination was made for the cluster that it is for. */
function isMadeFor(
  destination: Destination,
  { uid, found }: Pick<Located, 'uid' | 'found'>,
  { destinations, targets }: Fleet,
): boolean {
  if (!isTried(destination, uid, targets)) return false;
  // What runs there may be of another name that leads there now.
  const isOther = ({ clusterKey, leadsTo }: Destination): boolean =>
    clusterKey !== destination.clusterKey && leadsTo === uid;
  return found === undefined || !destinations.some(isOther);
}

/** The record of a destination from now on; undefined: there is none. */
function recordOf(destination: Destination, before: Records, fleet: Fleet): Recorded | undefined {
  const { id, cluster } = destination;
  const known = before.get(id);
  const { uid, found } = locate(destination, before);
  const isSure = isMadeFor(destination, { uid, found }, fleet);
  const isNew = known === undefined || (found === undefined && known.uid !== uid);
  if (isNew && uid !== undefined && cluster?.answers !== false) return { uid, isCertain: isSure };
  return known && { ...known, isCertain: known.isCertain || (known.uid === uid && isSure) };
}

/**
 * Records the cluster of each destination that answers. A record is doubtful until something was tried there, and once
 * its destination is gone.
 */
export function rememberClusters(before: Records, applications: Applications, targets: Targets): Records {
  const after = new Map([...before].map(([id, { uid }]) => [id, { uid, isCertain: false }]));
  const existing = [...applications.values()].filter(({ exists }) => exists);
  const destinations = existing.flatMap(({ expanded }) => expanded.destinations);
  for (const destination of destinations) {
    const record = recordOf(destination, before, { destinations, targets });
    if (record !== undefined) after.set(destination.id, record);
  }
  return after;
}
