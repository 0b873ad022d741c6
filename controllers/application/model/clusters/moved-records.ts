import omit from 'lodash/omit.js';
import pick from 'lodash/pick.js';
import { APPLICATION_REVISION, MODE_ANNOTATION, recordedUid } from '#api/v1alpha1/labels.js';
import { applicationOwners } from '#api/v1alpha1/ownership.js';
import { groupedBy } from '#lib/plain.js';
import { clusterIdOf, type ClusterIndex, factsOf } from '../child/cluster.js';
import { heldOnly, isInstalledOnce, isOnceFor, isUnmanaged, recordOf } from '../child/metadata.js';
import type { Child, DesiredChild, Entry } from '../child/types.js';
import { isTerminating } from '../children/state.js';
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

/** True for a record that stays: who deletes one has it installed again. */
function isRecord(child: Child): boolean {
  return isInstalledOnce(child) && !isTerminating(child);
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
  const records = groupedBy(leftover.filter(isRecord), (child) => textWithoutCluster(liveReleaseKey(child)));
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

interface PossibleRecordsInput {
  /** The children without an entry. */
  readonly leftover: readonly Child[];
  readonly clusters: ClusterIndex;
  readonly isSelected: (child: Child) => boolean;
}

/** The records of a release that no entry has any more, and what is known of where they were made. */
class Records {
  readonly #clusters: ClusterIndex;
  readonly #lost: ReadonlyMap<string, readonly Child[]>;
  readonly #unselected: ReadonlyMap<string, readonly Child[]>;

  constructor(records: readonly Child[], { clusters, isSelected }: PossibleRecordsInput) {
    const isLost = (child: Child): boolean => factsOf(clusters, clusterIdOf(child) ?? '').cluster === undefined;
    this.#clusters = clusters;
    this.#lost = groupedBy(records.filter(isLost), (child) => textWithoutCluster(liveReleaseKey(child)));
    this.#unselected = groupedBy(
      records.filter((child) => !isSelected(child)),
      (child) => `${child.kind} ${recordedUid(child) ?? ''}`,
    );
  }

  /**
   * Those that keep a new entry from its release: of another release on the same cluster under an earlier name, or of the
   * same release on a cluster that is gone, if it is not known whether that is the same one.
   */
  of(entry: Entry): readonly Child[] {
    const { release, cluster } = entry;
    if (cluster === undefined) return [];
    const uid = certainUidOf(entry, this.#clusters);
    const text = textWithoutCluster(release);
    const here = uid === undefined ? [] : (this.#unselected.get(`${release.kind} ${uid}`) ?? []);
    const beside = here.filter((child) => textWithoutCluster(liveReleaseKey(child)) !== text);
    const isUnknown = (child: Child): boolean => uid === undefined || recordedUid(child) === undefined;
    const found = [...beside, ...(this.#lost.get(text) ?? []).filter(isUnknown)];
    return found.filter((child) => liveReleaseKey(child).cluster !== release.cluster && isOnceFor(entry, child));
  }
}

/**
 * The new entries with the mode Once that wait, each with the records of what may have been installed once on its
 * cluster under an earlier name. `isSelected`: true for a child of a selector that is in the spec. Never throws.
 */
export function possibleRecords(
  desired: readonly DesiredChild[],
  input: PossibleRecordsInput,
): ReadonlyMap<Entry, readonly Child[]> {
  const made = input.leftover.filter(isRecord);
  if (made.length === 0) return new Map();
  const records = new Records(made, input);
  const found = desired.flatMap(({ entry, live, object }): [Entry, readonly Child[]][] => {
    const those = live === undefined && !isUnmanaged(object) ? records.of(entry) : [];
    return those.length === 0 ? [] : [[entry, those]];
  });
  return new Map(found);
}
