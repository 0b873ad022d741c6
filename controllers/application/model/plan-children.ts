import difference from 'lodash/difference.js';
import uniq from 'lodash/uniq.js';
import type { Application } from '#api/v1alpha1/application.js';
import { clusterText } from './cluster.js';
import { changedAccess, type ChangedAccess } from './clusters/changed-access.js';
import { Departures } from './clusters/departures.js';
import { gateViolation } from './clusters/gate.js';
import { haltsOf, recordingOf, resumptionOf, type Halting } from './clusters/halting.js';
import { agreedUids, withUids } from './clusters/recorded-uid.js';
import type { Leaving } from './clusters/removal-approval.js';
import { replacedChildren, replacedViolation, whyHalted } from './clusters/replaced.js';
import { otherNames, type OtherNames } from './clusters/shared-cluster.js';
import type { ClusterView } from './clusters/types.js';
import { leftoversMayGo } from './deletion.js';
import { desiredChild } from './desired.js';
import { matchChildren } from './match.js';
import { planSteps, writtenBy } from './plan.js';
import { rejectedEntries, type FindOwner, type FindViolation } from './reject.js';
import { EarlierRevisions, heldClusters } from './revisions/at-revision.js';
import { withPins, type Revisions } from './revisions/pinned.js';
import { SameTargets, type Targets } from './same-target.js';
import { stagingOf, type Staging } from './rollout/staged.js';
import type { Rollout } from './rollout/types.js';
import type { Upstreams } from './source-failure.js';
import type { Child, DesiredChild, Entry, RejectedEntry, Step } from './types.js';
import type { Valid } from './validate.js';

/** The children of an Application, and what else decides about them. */
export interface Children extends Upstreams {
  /** Its templates are merged. */
  readonly application: Application;
  /** Children of this very Application. */
  readonly owned: readonly Child[];
  /** Children that an entry may adopt; they must not be deleted. */
  readonly adoptable: readonly Child[];
  /** True for names of existing children in the namespace. */
  readonly isTaken: (name: string) => boolean;
  /** Another holder of the release of an entry, as text for people. */
  readonly otherOwnerOf: FindOwner;
  /** Looks up who applies to a target; undefined: nobody else does. */
  readonly targets?: Targets | undefined;
  readonly clusters: ClusterView;
  /** True for an entry whose kubeconfig Secret does not exist. */
  readonly lacksSecret: (entry: Entry) => boolean;
  /** How long a child has been without an entry, as far as this process knows. */
  readonly unmatchedForMs: (leaving: Leaving) => number;
  /** How long a cluster must not match before its release is removed. */
  readonly delayMs: number;
  readonly nowMs: number;
  /** Flux reconciles the children. */
  readonly isEngineExternal?: boolean | undefined;
  /** Undefined: none are kept. */
  readonly revisions: Revisions | undefined;
  /** False until all caches of children are synced: what looks unwanted may only be incomplete. */
  readonly complete: boolean;
}

/** The steps for the children of a valid Application, and its rejected entries. */
export interface ChildPlan {
  readonly steps: readonly Step[];
  readonly rejected: readonly RejectedEntry[];
  readonly departures: Departures;
  /** Undefined: all changes reach the destinations at once. */
  readonly rollout: Rollout | undefined;
  /** What the spec wants. */
  readonly wanted: readonly DesiredChild[];
  /** What is to be now. */
  readonly desired: readonly DesiredChild[];
  /** Beside the steps, and before them. */
  readonly halting: readonly Halting[];
  /** What users should know. */
  readonly warnings: readonly string[];
  /** Milliseconds until the next reconciliation, if nothing changes before. */
  readonly retryAfterMs: number | undefined;
}

interface Resuming extends Pick<Children, 'owned' | 'clusters'>, Pick<ChildPlan, 'steps'> {
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

interface Rulings extends Pick<Resuming, 'access' | 'clusters'> {
  readonly others: OtherNames;
  readonly replaced: ReadonlyMap<string, Child>;
  readonly same: SameTargets;
}

/** Checks an entry by itself first, and then against other owners. */
function violationFinder(
  violationOf: FindViolation,
  childOf: ReadonlyMap<Entry, Child>,
  { access, others, clusters, same, replaced }: Rulings,
): FindViolation {
  return (entry) => {
    const live = childOf.get(entry);
    return (
      violationOf(entry) ??
      access.violationOf(entry) ??
      others.violations.get(entry) ??
      replacedViolation(entry, live, { clusters, replaced }) ??
      gateViolation(entry, live) ??
      same.violationOf(entry, live)
    );
  };
}

/** Without those whose release an entry has under another name of their cluster: no engine may act on it for both. */
function resumableOf(
  owned: readonly Child[],
  childOf: ReadonlyMap<Entry, Child>,
  { violations, keeperOf }: OtherNames,
): Child[] {
  const refused = new Set([...violations.keys()].map((entry) => childOf.get(entry)));
  const matched = new Set(childOf.values());
  return owned.filter((child) => !refused.has(child) && (matched.has(child) || keeperOf(child) === undefined));
}

/** The children that no entry matches, and the others. */
function divided(owned: readonly Child[], unmatched: readonly Child[]) {
  const own = new Set(owned);
  const leftover = unmatched.filter((child) => own.has(child));
  const without = new Set(leftover);
  return { leftover, matched: owned.filter((child) => !without.has(child)) };
}

/** What the spec wants of the entries that are not rejected. */
function wantedOf(
  { application, isTaken, revisions }: Children,
  entries: readonly Entry[],
  childOf: ReadonlyMap<Entry, Child>,
): DesiredChild[] {
  const revision = revisions?.history.isKept === true ? revisions.history.current : undefined;
  return entries.map((entry) => desiredChild(application, entry, childOf.get(entry), { isTaken, revision }));
}

/** The decisions about leaving and moving children that the steps need. */
function guardsOf(departures: Departures) {
  return {
    whyLeaves: (child: Child) => departures.whyLeaves(child),
    departing: departures.departing,
    heldMove: (child: Child) => departures.heldMove(child),
    heldCreation: (entry: Entry) => departures.heldCreation(entry),
    releaseStays: (child: Child) => departures.releaseStays(child),
  };
}

interface Stays extends Pick<Rulings, 'access' | 'clusters' | 'others'> {
  readonly staging: Staging | undefined;
  /** See `heldClusters`. */
  readonly held: ReadonlyMap<string, string>;
}

/**
 * Why children that no entry matches stay, and which leave. `unsettled`: it is not known which clusters they are on;
 * `apart`: these, and those whose clusters are reached in another way now.
 */
function leftoversOf(leftover: readonly Child[], { access, others, clusters, staging, held }: Stays) {
  const whyUnsettled = new Map(
    leftover.flatMap((child): [Child, string][] => {
      if (others.keeperOf(child) !== undefined) return [];
      const why = whyHalted(child, clusters) ?? others.doubtOf(child);
      return why === undefined ? [] : [[child, why]];
    }),
  );
  const whyStays = (child: Child): string | undefined =>
    access.whyStays(child) ??
    whyUnsettled.get(child) ??
    staging?.whyStays(child) ??
    held.get(clusterText(child.spec.kubeConfig));
  const leaving = leftover.filter((child) => whyStays(child) === undefined);
  // A child that waits for its stage or a pin is not meant: it may wait for a new entry for the host itself.
  const apart = leftover.filter((child) => access.whyStays(child) !== undefined || whyUnsettled.has(child));
  return { whyStays, leaving, apart, unsettled: [...whyUnsettled.keys()] };
}

/** Derives the steps from the entries and the children of a valid Application (see `findViolation`). Never throws. */
export function planChildren(
  children: Children,
  { entries, violationOf, selections }: Omit<Valid, 'resolved' | 'warnings'>,
): ChildPlan {
  const { application, owned, adoptable, complete, lacksSecret, revisions, clusters } = children;
  const same = new SameTargets(children);
  const { childOf, unclear, unmatched } = matchChildren(entries, [...owned, ...adoptable]);
  const access = changedAccess(entries, owned);
  const siblings = uniq([...owned, ...childOf.values()]);
  const [replaced, agreed] = [replacedChildren(siblings, clusters), agreedUids(siblings)];
  const others = otherNames(entries, childOf, { clusters, replaced, agreed });
  const violation = violationFinder(violationOf, childOf, { access, others, clusters, same, replaced });
  const rejected = rejectedEntries(entries, children.otherOwnerOf, violation, unclear);
  const refused = rejected.map(({ entry }) => entry);
  const wanted = wantedOf(children, difference(entries, refused), childOf);
  const at = revisions && new EarlierRevisions(revisions.earlier, { ...children, same });
  const pinned = revisions === undefined || at === undefined ? wanted : withPins(wanted, revisions, at);
  const rejectedChild = ({ entry }: RejectedEntry): Child | undefined => childOf.get(entry);
  const staging = stagingOf({ ...children, selections }, { earlier: at, wanted, pinned, rejected, rejectedChild });
  const desired = withUids(staging?.desired ?? pinned, clusters, agreed);
  const held = heldClusters(desired);
  const { leftover, matched } = divided(owned, unmatched);
  const { whyStays, leaving, apart, unsettled } = leftoversOf(leftover, { access, others, clusters, staging, held });
  const departures = new Departures({
    ...children,
    selections,
    matched,
    desired,
    wanted,
    unmatched: leaving,
    unmatchedApart: apart,
  });
  const steps = planSteps({
    desired,
    rejected,
    rejectedChild,
    unmatched: leftover,
    complete,
    lacksSecret,
    heldRemoval: (child) => whyStays(child) ?? departures.heldRemoval(child),
    ...guardsOf(departures),
    departing: [...departures.departing, ...unsettled],
    keeperOf: others.keeperOf,
    leftoversMayGo: leftoversMayGo(application),
  });
  const resumable = resumableOf(owned, childOf, others);
  const halting = [...haltsOf(children), ...resumptions({ owned: resumable, access, clusters, desired, steps })];
  const said = { warnings: [...others.warnings, ...same.warningsOf(wanted)], retryAfterMs: same.retryAfterMs };
  return { steps, rejected, departures, rollout: staging?.rollout, wanted, desired, halting, ...said };
}
