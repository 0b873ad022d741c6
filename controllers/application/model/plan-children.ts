import difference from 'lodash/difference.js';
import pick from 'lodash/pick.js';
import uniq from 'lodash/uniq.js';
import uniqBy from 'lodash/uniqBy.js';
import type { Application } from '#api/v1alpha1/application.js';
import { soonest } from '#lib/duration.js';
import { clusterIdText } from '../../cluster/model/cluster.js';
import { backendOf } from './backends/index.js';
import {
  changedAccess,
  type ChangedAccess,
  clusterIdOf,
  type ClusterIndex,
  clusterText,
  factsOf,
  selectionOf,
} from './child/cluster.js';
import { describeChild } from './child/messages.js';
import { isInstalledFor, legacyMayGo } from './child/metadata.js';
import type { Child, DesiredChild, Entry, RejectedEntry } from './child/types.js';
import { foundFor, type Step, writtenBy } from './child/verdicts.js';
import { desiredChild } from './children/desired.js';
import { PossibleMatches } from './children/possible-matches.js';
import { SameTargets } from './children/same-target.js';
import { isTerminating } from './children/state.js';
import type { Successor } from './children/successors.js';
import { type EntryDestination, isLeftover, isOfEntry, type Wanted, type World } from './children/world.js';
import { Departures } from './clusters/departures.js';
import { withdrawalsOf } from './clusters/handovers.js';
import { isStayingRecord } from './clusters/leaving.js';
import { LostDestinations } from './clusters/lost-destinations.js';
import { possibleRecords, withMovedRecords } from './clusters/moved-records.js';
import {
  agreedUids,
  type Halting,
  haltsOf,
  recordingOf,
  replacedChildren,
  resumptionOf,
  whyHalted,
  withUids,
} from './clusters/replaced.js';
import { otherNames, type OtherNames } from './clusters/shared-cluster.js';
import { liveReleaseKey, releaseKeyText } from './destinations/identity.js';
import { judge, POLICY, type Policy } from './policy/policy.js';
import { stepsFor } from './policy/steps.js';
import { EarlierRevisions, heldClusters, withPins } from './revisions/at-revision.js';
import { type Staging, stagingOf } from './revisions/staged.js';
import type { Rollout } from './rollout/types.js';

/** Not everybody who waits for a cluster that is to be asked hears of the answer. */
const UNASKED_RETRY_MS = 30_000;
/** The same for one that is asked within seconds. */
const SOON_RETRY_MS = 5_000;

/** The steps for the children of a valid Application, and its rejected entries. */
export interface ChildPlan {
  readonly steps: readonly Step[];
  readonly rejected: readonly RejectedEntry[];
  /** By the path of an entry: a missing object that it refers to, as a sentence. */
  readonly missing: ReadonlyMap<string, string>;
  readonly departures: Departures;
  /** Undefined: all changes reach the destinations at once. */
  readonly rollout: Rollout | undefined;
  /** What the spec wants. */
  readonly wanted: readonly DesiredChild[];
  /** The children as they are to be now. */
  readonly desired: readonly DesiredChild[];
  /** Beside the steps, and before them. */
  readonly halting: readonly Halting[];
  /** What users should know. */
  readonly warnings: readonly string[];
  /** Milliseconds until the next reconciliation, if nothing changes before. */
  readonly retryAfterMs: number | undefined;
}

interface Resuming extends Pick<World, 'owned' | 'clusters'>, Pick<ChildPlan, 'steps'> {
  readonly access: ChangedAccess;
  readonly desired: readonly DesiredChild[];
}

/**
 * A child is resumed once it is as it is wanted: no engine may act on what was wanted before. One that no step writes
 * gets the UID that was accepted.
 */
function resumptions({ owned, access, clusters, desired, steps }: Resuming): Halting[] {
  const objects = new Map(desired.flatMap(({ live, object }) => (live === undefined ? [] : [[live, object] as const])));
  const written = writtenBy(steps);
  return owned
    .filter((child) => !written.has(child) && access.whyStays(child) === undefined)
    .flatMap((child) => resumptionOf(child, objects.get(child), clusters) ?? recordingOf(child, clusters) ?? []);
}

/** Without those whose release an entry has under another name of their cluster: no engine may act on it for both. */
function resumableOf(
  owned: readonly Child[],
  childOf: ReadonlyMap<Entry, Child>,
  { violations, keeperOf, whyAwaited }: OtherNames,
): Child[] {
  const refused = new Set([...violations.keys()].map((entry) => childOf.get(entry)));
  const matched = new Set(childOf.values());
  const isShared = (child: Child): boolean => (keeperOf(child) ?? whyAwaited(child)) !== undefined;
  return owned.filter((child) => !refused.has(child) && (matched.has(child) || !isShared(child)));
}

/** The children that the spec wants of these destinations. */
function wantedOf({ revisions }: World, application: Application, destinations: readonly EntryDestination[]) {
  const revision = revisions?.history.isKept === true ? revisions.history.current : undefined;
  return destinations.map(({ entry, live, name }) => desiredChild(application, entry, live, { name, revision }));
}

interface Stays extends Pick<Resuming, 'access' | 'clusters'> {
  readonly possibleMatches: PossibleMatches;
  readonly lost: LostDestinations;
  readonly others: OtherNames;
  readonly staging: Staging | undefined;
  /** The releases that selectors of the spec select, as texts. */
  readonly selections: ReadonlySet<string>;
  /** See `heldClusters`; `pinned`: without those that only wait for their stage. */
  readonly held: ReadonlyMap<string, string>;
  readonly pinned: ReadonlyMap<string, string>;
}

/**
 * Why children that no entry matches stay, and which leave. `unsettled`: it is not known which clusters they are on, or
 * they are `awaiting`: they go without an uninstall once an entry under another name of their cluster has their release;
 * `apart`: these, those whose clusters are reached in another way now, and those that an entry may refer to; `meant`: see
 * `PossibleMatches`.
 */
function leftoversOf(leftover: readonly Child[], stays: Stays) {
  const { access, others, clusters, staging, held, pinned, possibleMatches, lost } = stays;
  const open = leftover.filter((child) => others.keeperOf(child) === undefined);
  // The record of a cluster that is there stays whatever the others are, so it waits for no answer.
  const isRecord = (child: Child): boolean =>
    isStayingRecord(child, stays.selections) && factsOf(clusters, clusterIdOf(child) ?? '').cluster !== undefined;
  const whyUnasked = (child: Child): string | undefined =>
    others.isAwaiting(child) || isRecord(child) ? undefined : others.whyUnasked(child);
  const unsure = foundFor(open, (child) => whyHalted(child, clusters) ?? others.doubtOf(child) ?? whyUnasked(child));
  const awaited = foundFor(difference(open, [...unsure.keys()]), others.whyAwaited);
  const unsettled = new Map([...unsure, ...awaited]);
  const whyStaged = (child: Child): string | undefined => staging?.whyStays(child);
  const isHeld = (child: Child): boolean => held.has(clusterText(child.spec.kubeConfig));
  // Nothing is asked about it before the pin ends.
  const isPinned = (child: Child): boolean =>
    isHeld(child) && pinned.has(clusterText(child.spec.kubeConfig)) && lost.replacing(child) !== undefined;
  // A child that waits for its stage is not meant: it may wait for a new entry for the host itself.
  const isApart = (child: Child): boolean =>
    access.whyStays(child) !== undefined ||
    unsettled.has(child) ||
    possibleMatches.otherFor(child) !== undefined ||
    (possibleMatches.rejectedFor(child) !== undefined && others.keeperOf(child) === undefined) ||
    isPinned(child);
  // A child that a new entry replaces waits for an approval first, and then for its stage.
  const isFree = (child: Child): boolean =>
    !isApart(child) && (lost.replacing(child) !== undefined || (whyStaged(child) === undefined && !isHeld(child)));
  const apart = leftover.filter(isApart);
  const isWaiting = [...unsettled.keys()].some((child) => whyUnasked(child) !== undefined);
  const retryAfterMs = isWaiting ? UNASKED_RETRY_MS : undefined;
  const awaiting: ReadonlySet<Child> = new Set(awaited.keys());
  const meant = new Set(apart.filter((child) => possibleMatches.isMeantOnce(child)));
  return { whyStaged, unsettled, awaiting, meant, apart, leaving: leftover.filter(isFree), retryAfterMs };
}

/** The entries that are rejected, and what of clusters and other children decides about that. */
function judgeEntries(
  { entries: rules }: Policy,
  world: World,
  application: Application,
  destinations: readonly EntryDestination[],
) {
  const { owned, clusters } = world;
  const entries = destinations.map(({ entry }) => entry);
  const childOf = new Map(
    destinations.flatMap(({ entry, live }) => (live === undefined ? [] : [[entry, live] as const])),
  );
  const same = new SameTargets({ ...world, application });
  const access = changedAccess(entries, owned);
  const siblings = uniq([...owned, ...childOf.values()]);
  const [replaced, agreed] = [replacedChildren(siblings, clusters), agreedUids(siblings)];
  const others = otherNames(entries, childOf, { clusters, replaced, agreed });
  const rejected = judge(rules, destinations, { access, others, clusters, same, replaced });
  return { rejected, childOf, same, access, agreed, others };
}

function missingIn(destinations: readonly EntryDestination[]): ReadonlyMap<string, string> {
  return new Map(
    destinations.flatMap(({ entry, missing }) => (missing === undefined ? [] : [[entry.path, missing] as const])),
  );
}

/** One warning for each entry that says another release than the one it was installed once as: that one stays. */
function renamedWarnings(desired: readonly DesiredChild[]): string[] {
  const renamed = desired.flatMap(({ entry, live }) => {
    if (!isInstalledFor(entry, live)) return [];
    if (releaseKeyText(liveReleaseKey(live)) === releaseKeyText(entry.release)) return [];
    const { describePlace, describeTarget } = backendOf(live);
    const what = `it was installed once as ${describePlace(live)}, and ${describeTarget(entry)} is not installed`;
    return [{ entry, why: `${what}: to install that, too, delete ${describeChild(live)}; what it installed stays` }];
  });
  return uniqBy(renamed, ({ entry }) => entry.specPath).map(({ entry, why }) => `${entry.path}: ${why}`);
}

function successorsIn({ destinations }: World): Map<Child, Successor> {
  const found = destinations.filter(isLeftover).flatMap(({ live, successor }) => {
    return successor === undefined ? [] : [[live, successor] as const];
  });
  return new Map(found);
}

function partsOf({ leaving, apart, awaiting, meant }: ReturnType<typeof leftoversOf>) {
  return { unmatched: leaving, unmatchedApart: apart, awaiting, meant };
}

/** True if a removal waits for what a cluster answers that is to be asked. */
function isHeldUnasked(
  steps: readonly Step[],
  leftover: readonly Child[],
  { clusters, others }: Pick<Stays, 'clusters' | 'others'>,
): boolean {
  const isUnasked = (live: Child | undefined): boolean => live !== undefined && others.whyUnasked(live) !== undefined;
  const isAsking = leftover.some((child) => factsOf(clusters, clusterIdOf(child) ?? '').isToBeAsked);
  return steps.some(
    (step) =>
      (step.op === 'wait' && step.hold === 'Removal' && isUnasked(step.live)) ||
      (step.op === 'spare' && step.hold === 'Removal' && isAsking),
  );
}

/** Milliseconds until new children are looked at again that may wait for what their clusters answer. */
function creationRetryMs(steps: readonly Step[], clusters: ClusterIndex): number | undefined {
  const retries = steps.map((step) => {
    if (step.op !== 'wait' || step.live !== undefined || step.entry.cluster === undefined) return undefined;
    const { isUnasked, isSilent } = factsOf(clusters, clusterIdText(step.entry.cluster.id));
    if (isUnasked) return SOON_RETRY_MS;
    return isSilent ? UNASKED_RETRY_MS : undefined;
  });
  return soonest(retries);
}

/** Milliseconds until what may wait for the answer of a cluster is looked at again. */
function askedRetryMs(
  steps: readonly Step[],
  leftover: readonly Child[],
  facts: Pick<Stays, 'clusters' | 'others'>,
): number | undefined {
  const removalMs = isHeldUnasked(steps, leftover, facts) ? UNASKED_RETRY_MS : undefined;
  return soonest([removalMs, creationRetryMs(steps, facts.clusters)]);
}

/** Derives the steps from the destinations of an Application that is valid as a whole. Never throws. */
export function planChildren(world: World, { application, selections }: Wanted, policy = POLICY): ChildPlan {
  const { owned, complete, revisions, clusters } = world;
  const destinations = world.destinations.filter(isOfEntry);
  const leftover = world.destinations.filter(isLeftover).map(({ live }) => live);
  const { rejected, childOf, same, access, agreed, others } = judgeEntries(policy, world, application, destinations);
  const refused = new Set(rejected.map(({ entry }) => entry));
  const accepted = destinations.filter(({ entry }) => !refused.has(entry));
  const wanted = wantedOf(world, application, accepted);
  const at = revisions && new EarlierRevisions(revisions.earlier, { destinations, same });
  const pinned = revisions === undefined || at === undefined ? wanted : withPins(wanted, revisions, at);
  const around = { ...world, application, selections };
  const staging = stagingOf(around, { earlier: at, wanted, pinned, rejected });
  const desired = withMovedRecords(withUids(staging?.desired ?? pinned, clusters, agreed), leftover, clusters);
  const held = heldClusters(desired, revisions);
  const missing = missingIn(destinations);
  const successors = successorsIn(world);
  const texts = new Set(selections.map(({ text }) => text));
  const isSelected = (child: Child): boolean => texts.has(selectionOf(child) ?? '');
  const possibleMatches = new PossibleMatches({
    ...{ desired, rejected, unmatched: leftover },
    lacksSecret: ({ path }) => missing.has(path),
    legacyMayGo: legacyMayGo(application),
    isSelected,
    possibleRecords: possibleRecords(desired, { leftover, clusters, isSelected }),
    successors,
  });
  const lost = new LostDestinations(wanted, legacyMayGo(application));
  const facts = { held, pinned: heldClusters(pinned, revisions), selections: texts };
  const leftovers = leftoversOf(leftover, { access, others, clusters, staging, possibleMatches, lost, ...facts });
  const matched = difference(owned, leftover);
  const departures = new Departures({ ...around, ...partsOf(leftovers), matched, successors, desired, wanted, lost });
  const steps = stepsFor(policy, {
    ...{ desired, rejected, complete, access, held, departures },
    ...pick(leftovers, 'unsettled', 'awaiting', 'whyStaged'),
    ...{ revisions, leftovers: leftover, possibleMatches },
    ...pick(others, 'keeperOf', 'namesBeside', 'whyMayBeKept'),
    clusters,
    legacyMayGo: legacyMayGo(application),
  });
  const { unsettled } = leftovers;
  // The end of a removal on another cluster waits like the removal itself.
  const resumable = resumableOf(owned, childOf, others).filter((each) => !isTerminating(each) || !unsettled.has(each));
  const switched = [...haltsOf(world), ...resumptions({ owned: resumable, access, clusters, desired, steps })];
  const halting = [...switched, ...withdrawalsOf(matched, steps, switched)];
  const warnings = [...others.warnings, ...same.warningsOf(wanted), ...renamedWarnings(desired)];
  const askedMs = askedRetryMs(steps, leftover, { clusters, others });
  const retryAfterMs = soonest([same.retryAfterMs, leftovers.retryAfterMs, askedMs]);
  const found = { rejected, departures, rollout: staging?.rollout, wanted, desired };
  return { ...found, steps, missing, halting, warnings, retryAfterMs };
}
