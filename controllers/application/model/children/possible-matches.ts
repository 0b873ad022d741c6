import memoize from 'lodash/memoize.js';
import partition from 'lodash/partition.js';
import uniqBy from 'lodash/uniqBy.js';
import type { ApplicationReason } from '#api/v1alpha1/conditions.js';
import { groupedBy } from '#lib/plain.js';
import { clusterText } from '../child/cluster.js';
import { isInstalledOnce, isLegacyLeftover } from '../child/metadata.js';
import { describeChild } from '../child/messages.js';
import type { Child, ClusterReference, DesiredChild, Entry, RejectedEntry, ReleaseKey } from '../child/types.js';
import { liveReleaseKey, releaseKeyText } from '../destinations/identity.js';
import { isTerminating } from './state.js';
import type { Successor } from './successors.js';

export interface PossibleMatchesInput {
  readonly desired: readonly DesiredChild[];
  readonly rejected: readonly RejectedEntry[];
  /** Children of the Application without an entry. */
  readonly unmatched: readonly Child[];
  /** True for an entry whose kubeconfig Secret does not exist. */
  readonly lacksSecret: (entry: Entry) => boolean;
  /** True if the user requested the deletion of children of ks-devops that no entry adopted. */
  readonly legacyMayGo: boolean;
  /** True for a child of a selector that is in the spec. */
  readonly isSelected: (child: Child) => boolean;
  /** For new entries with the mode Once: what may have been installed once on their clusters. Default: nothing. */
  readonly possibleRecords?: ReadonlyMap<Entry, readonly Child[]>;
  /** Other Applications that specify releases of unmatched children. Default: there are none. */
  readonly successors?: ReadonlyMap<Child, Successor>;
}

/** Reasons that leave open which child an entry refers to, even if one was matched. */
const UNCLEAR: readonly ApplicationReason[] = [
  'DestinationMissing',
  'DuplicateDestination',
  'InvalidName',
  'ReleaseConflict',
];

/** A new entry or an unmatched child, with the kubeconfig Secret and key that it refers to. */
interface Place<Holder> {
  readonly holder: Holder;
  readonly secret: string;
  readonly cluster: string;
}

function placeOf<Holder>(holder: Holder, kind: string, reference: ClusterReference | undefined): Place<Holder>[] {
  const name = reference?.secretRef?.name;
  return name === undefined ? [] : [{ holder, secret: `${kind} ${name}`, cluster: clusterText(reference) }];
}

function placeOfChild(child: Child): Place<Child>[] {
  return placeOf(child, child.kind, child.spec.kubeConfig);
}

type Places<Holder> = ReadonlyMap<string, readonly Place<Holder>[]>;

/** By Secret, with one place per key. */
function bySecret<Holder>(places: readonly Place<Holder>[]): Places<Holder> {
  return groupedBy(
    uniqBy(places, ({ secret, cluster }) => `${secret} ${cluster}`),
    ({ secret }) => secret,
  );
}

/** The holder of another key of the same Secret. */
function atAnotherKey<Holder>(places: Places<Holder>, [here]: readonly Place<unknown>[]): Holder | undefined {
  if (here === undefined) return undefined;
  return places.get(here.secret)?.find(({ cluster }) => cluster !== here.cluster)?.holder;
}

function clusterKey({ kind, cluster }: Pick<ReleaseKey, 'kind' | 'cluster'>): string {
  return `${kind} ${cluster}`;
}

interface Doubt {
  readonly entry: Entry;
  readonly problem: string;
  /** True if it can only refer to a child on its own cluster, where that is one of the inventory. */
  readonly isPlaced: boolean;
}

function placeKeyOf({ kind, spec }: Child): string {
  return clusterKey({ kind, cluster: clusterText(spec.kubeConfig) });
}

/** Entries that may refer to unmatched children. */
class Doubts {
  readonly #byKind: ReadonlyMap<string, Doubt>;
  /** An entry for a cluster of the inventory can only refer to a child on that cluster. */
  readonly #byCluster: ReadonlyMap<string, Doubt>;

  constructor(doubts: readonly Doubt[]) {
    // The first one wins.
    const [known, unknown] = partition(
      [...doubts].reverse(),
      ({ entry, isPlaced }) => isPlaced && entry.cluster !== undefined,
    );
    this.#byKind = new Map(unknown.map((doubt) => [doubt.entry.release.kind, doubt]));
    this.#byCluster = new Map(known.map((doubt) => [clusterKey(doubt.entry.release), doubt]));
  }

  ofChild(child: Child): string | undefined {
    const doubt = this.#byKind.get(child.kind) ?? this.#byCluster.get(placeKeyOf(child));
    return doubt && `${doubt.entry.path} ${doubt.problem}`;
  }
}

/**
 * Entries that may refer to an unmatched child: rejected ones, and new ones with a kubeconfig Secret that does not
 * exist, or with another key of the child's Secret. A misspelt name or key must not uninstall a release. Nor may another
 * release name install beside what was installed once.
 */
export class PossibleMatches {
  readonly #rejected: Doubts;
  readonly #conflicts: Doubts;
  /** Those that an Application does not end by giving a release up: the same for all children that it is to have. */
  readonly #conflictsWith: (successor: Successor) => Doubts;
  readonly #successors: ReadonlyMap<Child, Successor>;
  readonly #lacking: Doubts;
  readonly #lost: ReadonlySet<Entry>;
  readonly #freeByKind: ReadonlyMap<string, Child>;
  readonly #newPlaces: Places<Entry>;
  readonly #freePlaces: Places<Child>;
  /** By cluster: new entries with the mode Once, and what was installed once by entries that are not there any more. */
  readonly #newOnce: ReadonlyMap<string, Entry>;
  readonly #freeOnce: ReadonlySet<Child>;
  readonly #freeOnceAt: ReadonlyMap<string, Child>;
  /** The releases of new entries, as texts. */
  readonly #newReleases: ReadonlySet<string>;
  readonly #recordsOf: ReadonlyMap<Entry, readonly Child[]>;
  readonly #entryOfRecord: ReadonlyMap<Child, Entry>;

  constructor(input: PossibleMatchesInput) {
    const { desired, rejected, unmatched, lacksSecret, legacyMayGo, isSelected } = input;
    const isUnclear = ({ violation, live }: RejectedEntry): boolean =>
      UNCLEAR.includes(violation.reason) || live === undefined;
    const made = desired.filter(({ live }) => live === undefined).map(({ entry }) => entry);
    const lost = made.filter(lacksSecret);
    const rejection = ({ entry }: RejectedEntry): Doubt => ({ entry, problem: 'is rejected', isPlaced: true });
    const [conflicts, others] = partition(
      rejected.filter(isUnclear),
      ({ violation }) => violation.reason === 'ReleaseConflict',
    );
    const problem = 'refers to a Secret that does not exist';
    this.#rejected = new Doubts(others.map(rejection));
    this.#conflicts = new Doubts(conflicts.map(rejection));
    this.#conflictsWith = memoize(
      ({ gives }) => new Doubts(conflicts.filter(({ entry }) => gives?.(entry.release) !== true).map(rejection)),
      ({ uid }) => uid,
    );
    this.#successors = input.successors ?? new Map();
    this.#lacking = new Doubts(lost.map((entry) => ({ entry, problem, isPlaced: false })));
    const free = unmatched.filter((child) => !isTerminating(child) && (legacyMayGo || !isLegacyLeftover(child)));
    this.#lost = new Set(lost);
    this.#freeByKind = new Map(free.map((child) => [child.kind, child]));
    this.#newPlaces = bySecret(made.flatMap((entry) => placeOf(entry, entry.release.kind, entry.kubeConfig)));
    this.#freePlaces = bySecret(free.flatMap(placeOfChild));
    const newOnce = made.filter(({ mode }) => mode === 'Once');
    this.#freeOnce = new Set(free.filter((child) => isInstalledOnce(child) && !isSelected(child)));
    this.#newOnce = new Map(newOnce.map((entry) => [clusterKey(entry.release), entry]));
    this.#freeOnceAt = new Map([...this.#freeOnce].reverse().map((child) => [placeKeyOf(child), child]));
    this.#newReleases = new Set(made.map(({ release }) => releaseKeyText(release)));
    this.#recordsOf = input.possibleRecords ?? new Map();
    const pairs = [...this.#recordsOf].flatMap(([entry, records]) => records.map((child) => [child, entry] as const));
    this.#entryOfRecord = new Map(pairs.reverse());
  }

  /** The rejected entry that may refer to `child`, and its problem; undefined if there is none. */
  rejectedFor(child: Child): string | undefined {
    return this.#rejected.ofChild(child) ?? this.#conflictFor(child);
  }

  /** An entry that waits for a release of the Application that is to have this one exchanges the two. */
  #conflictFor(child: Child): string | undefined {
    const successor = this.#successors.get(child);
    const conflicts = successor?.gives === undefined ? this.#conflicts : this.#conflictsWith(successor);
    return conflicts.ofChild(child);
  }

  /** The same for any entry that is not rejected. */
  otherFor(child: Child): string | undefined {
    const lacking = this.#lacking.ofChild(child);
    if (lacking !== undefined) return lacking;
    const entry = atAnotherKey(this.#newPlaces, placeOfChild(child));
    if (entry !== undefined) return `${entry.path} refers to another key of the same Secret`;
    const here = this.#freeOnce.has(child) ? this.#newOnce.get(placeKeyOf(child)) : undefined;
    const again = here ?? this.#entryOfRecord.get(child);
    return again && `${again.path} is new, with the mode Once,`;
  }

  /**
   * True for what was installed once, stays for a new entry for its cluster, and is of another release than all that is
   * new on the host: what an entry installs there that lost its selector is nothing that was meant for that cluster.
   */
  isMeantOnce(child: Child): boolean {
    const onHost = releaseKeyText({ ...liveReleaseKey(child), cluster: '' });
    return this.#freeOnce.has(child) && this.#newOnce.has(placeKeyOf(child)) && !this.#newReleases.has(onHost);
  }

  /**
   * Why no child is created for a new entry yet: with a child of its own, it would no longer protect the one that it
   * may refer to. Undefined if there is none.
   */
  ofEntry(entry: Entry): string | undefined {
    const { kind } = entry.release;
    const child = this.#lost.has(entry) ? this.#freeByKind.get(kind) : undefined;
    if (child !== undefined) return `waiting: it may refer to ${describeChild(child)}`;
    const other = atAnotherKey(this.#freePlaces, placeOf(entry, kind, entry.kubeConfig));
    if (other === undefined) return this.#beside(entry);
    return `it may refer to ${describeChild(other)}, which uses another key of the same Secret: correct the key, or remove the entry until that child is deleted`;
  }

  /** A child that was installed once has another release name now, or was for another entry. */
  #beside(entry: Entry): string | undefined {
    const [record] = this.#recordsOf.get(entry) ?? [];
    if (record !== undefined) {
      const what = describeChild(record);
      return `waiting: cluster ${entry.clusterName} is, or may be as long as its UID is not known, another name of the one on which ${what} was installed once, and nothing is installed next to it: let the credential get namespace kube-system, or delete ${what} to install this, too; what it installed stays`;
    }
    const { mode, release } = entry;
    const child = mode === 'Once' ? this.#freeOnceAt.get(clusterKey(release)) : undefined;
    if (child === undefined) return undefined;
    const what = describeChild(child);
    return `waiting: ${what} was installed once there, for an entry that the spec does not have any more, and nothing is installed next to it: delete ${what} to install this, too; what it installed stays`;
  }
}
