import omit from 'lodash/omit.js';
import pick from 'lodash/pick.js';
import { APPLICATION_REVISION, MODE_ANNOTATION, recordedUid } from '#api/v1alpha1/labels.js';
import { applicationOwners } from '#api/v1alpha1/ownership.js';
import { groupedBy } from '#lib/plain.js';
import { clusterIdOf, type ClusterIndex, factsOf } from '../child/cluster.js';
import { heldOnly, isInstalledOnce, isOnceFor, recordOf } from '../child/metadata.js';
import type { Child, DesiredChild, Entry } from '../child/types.js';
import { liveReleaseKey } from '../destinations/identity.js';
import { certainUidOf, textWithoutCluster } from './same-release.js';

/** Fields that name the place of a release; the rest of a spec is what was installed. */
const PLACE = ['kubeConfig', 'releaseName', 'storageNamespace', 'targetNamespace'];

/** The object of a new child as a record of what `installed` was installed once as: no engine ever changes it. */
function recordLike(object: Child, installed: Child): Child {
  const [owner] = applicationOwners(object);
  const tied = owner && heldOnly(object, { ...object, metadata: owner });
  const annotations = {
    // The revision of the Application is the one that was installed, if that is known.
    ...omit(object.metadata.annotations, APPLICATION_REVISION),
    ...pick(installed.metadata.annotations, APPLICATION_REVISION),
    ...tied?.annotations,
    [MODE_ANNOTATION]: 'Once',
    ...recordOf(installed),
  };
  return {
    ...object,
    metadata: { ...object.metadata, ...pick(tied, 'ownerReferences'), annotations },
    spec: { ...installed.spec, ...pick(object.spec, PLACE), suspend: true },
  };
}

/**
 * The destinations, where a new one with the mode Once gets a record instead of an installation: its release was
 * installed once on the same cluster under an earlier name of that. `leftover`: the children without an entry. Never
 * throws.
 */
export function withMovedRecords(
  desired: readonly DesiredChild[],
  leftover: readonly Child[],
  clusters: ClusterIndex,
): readonly DesiredChild[] {
  const records = groupedBy(leftover.filter(isInstalledOnce), (child) => textWithoutCluster(liveReleaseKey(child)));
  if (records.size === 0) return desired;
  return desired.map((each) => {
    const { entry, live, object } = each;
    const uid = live === undefined ? certainUidOf(entry, clusters) : undefined;
    if (uid === undefined) return each;
    const installed = records
      .get(textWithoutCluster(entry.release))
      ?.find((child) => recordedUid(child) === uid && isOnceFor(entry, child));
    return installed === undefined ? each : { ...each, object: recordLike(object, installed) };
  });
}

/**
 * The new entries with the mode Once whose cluster does not tell which one it is, each with the record of its release on
 * a cluster that is gone: that may be the same one under an earlier name. Never throws.
 */
export function possibleRecords(
  desired: readonly DesiredChild[],
  leftover: readonly Child[],
  clusters: ClusterIndex,
): ReadonlyMap<Entry, Child> {
  const isGone = (child: Child): boolean => {
    const id = clusterIdOf(child);
    return id !== undefined && factsOf(clusters, id).cluster === undefined;
  };
  const records = new Map(
    leftover
      .filter((child) => isInstalledOnce(child) && isGone(child))
      .map((child) => [textWithoutCluster(liveReleaseKey(child)), child]),
  );
  if (records.size === 0) return new Map();
  const found = desired.flatMap(({ entry, live }): [Entry, Child][] => {
    const isUnknown = entry.cluster !== undefined && certainUidOf(entry, clusters) === undefined;
    const record = live === undefined && isUnknown ? records.get(textWithoutCluster(entry.release)) : undefined;
    return record !== undefined && isOnceFor(entry, record) ? [[entry, record]] : [];
  });
  return new Map(found);
}
