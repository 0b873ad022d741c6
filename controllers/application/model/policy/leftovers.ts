import { PRUNE_LEGACY_ANNOTATION } from '#api/v1alpha1/labels.js';
import type { DeletionPolicy } from '#api/v1alpha1/ownership.js';
import { type ChangedAccess, clusterText } from '../child/cluster.js';
import { describeChild } from '../child/messages.js';
import { isInstalledOnce, isLegacyLeftover } from '../child/metadata.js';
import type { Child } from '../child/types.js';
import type { Rule, Verdict } from '../child/verdicts.js';
import type { PossibleMatches } from '../children/possible-matches.js';
import { isTerminating } from '../children/state.js';
import type { Departures } from '../clusters/departures.js';
import { UNWANTED } from '../clusters/leaving.js';
import { workText } from '../destinations/identity.js';

/** Facts about the clusters and the destinations of the Application. */
export interface LeftoverFacts {
  /** False if the list of children may be incomplete or outdated. */
  readonly complete: boolean;
  /** True if the user requested the deletion of children of ks-devops that no entry adopted. */
  readonly legacyMayGo: boolean;
  readonly possibleMatches: PossibleMatches;
  readonly access: Pick<ChangedAccess, 'whyStays'>;
  /** Why it is not known which cluster a child is on. */
  readonly unsettled: ReadonlyMap<Child, string>;
  /** Why a child without an entry stays until its cluster is updated by the rollout. */
  readonly whyStaged: (child: Child) => string | undefined;
  /** Why a destination is held, by its `clusterText`. */
  readonly held: ReadonlyMap<string, string>;
  readonly departures: Pick<Departures, 'whySpared' | 'heldMove' | 'releaseStays' | 'handover' | 'whyLeaves'>;
  /** The children that stay, by their live and desired work. */
  readonly stayingByWork: ReadonlyMap<string, Child>;
  /** Why it stays until another child without an entry, which is for its release, is settled. */
  readonly whyDelayed: (child: Child) => string | undefined;
  /** An entry that has the release of a child under another name of its cluster. */
  readonly keeperOf: (child: Child) => string | undefined;
}

function stays(why: string | undefined): Verdict | undefined {
  return why === undefined ? undefined : { do: 'keep', why, hold: 'Removal' };
}

/** A suspended child is deleted without an uninstall. */
function suspended(child: Child, why: string | undefined): Verdict | undefined {
  if (why === undefined || child.spec.suspend === true) return undefined;
  return { do: 'suspend', why: `${why}, so it is deleted without an uninstall` };
}

/** Nothing is uninstalled with a child whose release an entry has under another name, whatever a rejected one means. */
function doubtOf(child: Child, { possibleMatches, keeperOf: underAnotherName }: LeftoverFacts): string | undefined {
  const isKept = underAnotherName(child) !== undefined;
  const entry = (isKept ? undefined : possibleMatches.rejectedFor(child)) ?? possibleMatches.otherFor(child);
  return entry === undefined ? undefined : `${entry} and may refer to it`;
}

function keeperOf(child: Child, { stayingByWork, keeperOf: underAnotherName }: LeftoverFacts): string | undefined {
  const sharing = stayingByWork.get(workText(child));
  return sharing === undefined ? underAnotherName(child) : describeChild(sharing);
}

/** The rules about a child that no entry matches, in their order. The last one always applies. */
export const LEFTOVER_RULES: readonly Rule<Child, LeftoverFacts>[] = [
  {
    name: 'is-being-deleted',
    meaning: 'it is already being deleted',
    of: (child) => (isTerminating(child) ? { do: 'keep', why: 'it is being deleted' } : undefined),
  },
  {
    name: 'list-is-incomplete',
    meaning: 'the list of children may be incomplete or outdated: it stays',
    of: (_, { complete }) => (complete ? undefined : { do: 'keep', why: 'the list of children may be incomplete' }),
  },
  {
    name: 'entry-is-in-doubt',
    meaning:
      'an entry may refer to it that is rejected, or that is new and refers to a kubeconfig Secret that does not exist, or to another key of its Secret, or that is new with the mode `Once` for its cluster, or for one that may be the same, if it was installed once: it stays',
    of: (child, facts) => stays(doubtOf(child, facts)),
  },
  {
    name: 'access-changed',
    meaning: 'its cluster is reached in another way now: it stays',
    of: (child, { access }) => stays(access.whyStays(child)),
  },
  {
    name: 'cluster-is-unsettled',
    meaning:
      'its cluster was replaced, or may be that of an entry under another name, or such an entry has not got its release yet: it stays',
    of: (child, { unsettled }) => stays(unsettled.get(child)),
  },
  {
    name: 'cluster-is-not-updated-yet',
    meaning: 'a destination on its cluster waits for its stage of a rollout: it stays',
    of: (child, { whyStaged }) => stays(whyStaged(child)),
  },
  {
    name: 'replacement-is-held',
    meaning: 'a destination on its cluster is held at an earlier revision, or its revision could not be kept: it stays',
    of: (child, { held }) => stays(held.get(clusterText(child.spec.kubeConfig))),
  },
  {
    name: 'cluster-is-out-of-reach',
    meaning: 'its cluster is paused, no longer granted, or may exist although the inventory lacks it: it stays',
    of: (child, { departures }) => stays(departures.whySpared(child)),
  },
  {
    name: 'removal-is-held',
    meaning:
      'a selector made it, or a new entry replaces it, and its removal must wait: for a moment, or for an approval',
    of: (child, { departures }) => stays(departures.heldMove(child)),
  },
  {
    name: 'release-stays',
    meaning:
      'a selector made it, or a new entry replaces it, and its cluster is not in the inventory any more, or the policy is `Orphan`: it is suspended, and then deleted without an uninstall',
    of: (child, { departures }) => suspended(child, departures.releaseStays(child)),
  },
  {
    name: 'was-installed-once',
    meaning: 'its mode is `Once`, and it was installed: it is suspended, and then deleted without an uninstall',
    of: (child) => suspended(child, isInstalledOnce(child) ? 'it was installed once' : undefined),
  },
  {
    name: 'is-of-ks-devops',
    meaning: 'ks-devops created it, no entry adopted it, and `gitops.kubesphere.io/prune-legacy` is not set: it stays',
    of: (child, { legacyMayGo }) =>
      isLegacyLeftover(child) && !legacyMayGo
        ? {
            do: 'keep',
            why: `ks-devops created it and no entry has adopted it: annotate the Application with ${PRUNE_LEGACY_ANNOTATION}=true to delete it`,
          }
        : undefined,
  },
  {
    name: 'release-is-shared',
    meaning:
      'another child, also under another name of the cluster, keeps its release: it is suspended, and then deleted without an uninstall',
    of: (child, facts) => {
      const keeper = keeperOf(child, facts);
      return suspended(child, keeper === undefined ? undefined : `${keeper} keeps what it installed`);
    },
  },
  {
    name: 'release-is-unsettled',
    meaning:
      'another child without an entry has its release under another name of the cluster, and may leave it without an uninstall: it stays until that one is settled',
    of: (child, { whyDelayed }) => stays(whyDelayed(child)),
  },
  {
    name: 'release-is-handed-over',
    meaning:
      'another Application specifies its release with the same chart: it stays until that one takes it over as it is, after a moment if a selector made it; also while that one is stalled, or rejects the entry',
    of: (child, { departures }) => departures.handover(child),
  },
  {
    name: 'unwanted',
    meaning: 'no entry specifies it any more: it is deleted, and its engine uninstalls what it installed',
    of: (child, { departures }) => ({ do: 'delete', why: departures.whyLeaves(child) ?? UNWANTED }),
  },
];

/** Facts about an Application that is being deleted. */
export interface DeletionFacts {
  readonly policy: DeletionPolicy;
  /** Why it is not deleted: what it installed cannot be uninstalled now. */
  readonly held: ReadonlyMap<Child, string>;
}

/** The rules about a child of an Application that is being deleted, in their order. The last one always applies. */
export const DELETION_RULES: readonly Rule<Child, DeletionFacts>[] = [
  {
    name: 'is-being-deleted',
    meaning: 'it is already being deleted',
    of: (child) => (isTerminating(child) ? { do: 'keep', why: 'it is being deleted' } : undefined),
  },
  {
    name: 'policy-is-orphan',
    meaning: 'the deletion policy is `Orphan`, also by `--cascade=orphan`: it stays, and belongs to nobody then',
    of: (_, { policy }) =>
      policy === 'Orphan' ? { do: 'keep', why: 'the deletion policy of its Application is Orphan' } : undefined,
  },
  {
    name: 'cluster-was-replaced',
    meaning: 'another cluster took the place of its own, and nobody abandoned that: it stays',
    of: (child, { held }) => {
      const why = held.get(child);
      return why === undefined ? undefined : { do: 'keep', why, hold: 'Removal' };
    },
  },
  {
    name: 'was-installed-once',
    meaning: 'its mode is `Once`, and it was installed: it is suspended, and then deleted without an uninstall',
    of: (child) => suspended(child, isInstalledOnce(child) ? 'it was installed once' : undefined),
  },
  {
    name: 'application-is-deleted',
    meaning: 'it is deleted with its Application, and its engine uninstalls what it installed',
    of: () => ({ do: 'delete', why: 'the Application is being deleted' }),
  },
];
