import type { Application } from '#api/v1alpha1/application.js';
import { clusterText } from './cluster.js';
import { changedAccess } from './clusters/changed-access.js';
import { Departures } from './clusters/departures.js';
import { gateViolation } from './clusters/gate.js';
import { withUid } from './clusters/recorded-uid.js';
import type { ClusterView } from './clusters/types.js';
import { leftoversMayGo } from './deletion.js';
import { desiredChild } from './desired.js';
import { matchChildren } from './match.js';
import { planSteps } from './plan.js';
import { rejectedEntries, type FindOwner, type FindViolation } from './reject.js';
import { EarlierRevisions, heldClusters } from './revisions/at-revision.js';
import { withPins, type Revisions } from './revisions/pinned.js';
import { stagingOf } from './rollout/staged.js';
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
  readonly clusters: ClusterView;
  /** True for an entry whose kubeconfig Secret does not exist. */
  readonly lacksSecret: (entry: Entry) => boolean;
  /** How long a child has been without an entry, as far as this process knows. */
  readonly unmatchedForMs: (child: Child) => number;
  /** How long a cluster must not match before its release is removed. */
  readonly delayMs: number;
  readonly nowMs: number;
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
}

/** Derives the steps from the entries and the children of a valid Application (see `findViolation`). Never throws. */
export function planChildren(
  children: Children,
  { entries, violationOf, selections }: Omit<Valid, 'resolved' | 'warnings'>,
): ChildPlan {
  const { application, owned, adoptable, complete, lacksSecret, revisions } = children;
  const { childOf, unclear, unmatched } = matchChildren(entries, [...owned, ...adoptable]);
  const access = changedAccess(entries, owned);
  const violation: FindViolation = (entry) =>
    violationOf(entry) ?? access.violationOf(entry) ?? gateViolation(entry, childOf.get(entry));
  const rejected = rejectedEntries(entries, children.otherOwnerOf, violation, unclear);
  const refused = new Set(rejected.map(({ entry }) => entry));
  const accepted = entries.filter((entry) => !refused.has(entry));
  const wanted = accepted.map((entry) =>
    desiredChild(application, entry, childOf.get(entry), {
      isTaken: children.isTaken,
      revision: revisions?.history.isKept === true ? revisions.history.current : undefined,
    }),
  );
  const at = revisions && new EarlierRevisions(revisions.earlier, children);
  const pinned = revisions === undefined || at === undefined ? wanted : withPins(wanted, revisions, at);
  const rejectedChild = ({ entry }: RejectedEntry): Child | undefined => childOf.get(entry);
  const staging = stagingOf({ ...children, selections }, { earlier: at, wanted, pinned, rejected, rejectedChild });
  const desired = (staging?.desired ?? pinned).map((each) => withUid(each, children.clusters));
  const held = heldClusters(desired);
  const whyStays = (child: Child): string | undefined =>
    access.whyStays(child) ?? staging?.whyStays(child) ?? held.get(clusterText(child.spec.kubeConfig));
  const own = new Set(owned);
  const leftover = unmatched.filter((child) => own.has(child));
  const without = new Set(leftover);
  const matched = owned.filter((child) => !without.has(child));
  const leaving = leftover.filter((child) => whyStays(child) === undefined);
  const departures = new Departures({ ...children, selections, matched, unmatched: leaving });
  const steps = planSteps({
    desired,
    rejected,
    rejectedChild,
    unmatched: leftover,
    complete,
    lacksSecret,
    heldRemoval: (child) => whyStays(child) ?? departures.heldRemoval(child),
    whyLeaves: (child) => departures.whyLeaves(child),
    departing: departures.leaving,
    heldCreation: (entry) => departures.heldCreation(entry),
    releaseStays: (child) => departures.releaseStays(child),
    leftoversMayGo: leftoversMayGo(application),
  });
  return { steps, rejected, departures, rollout: staging?.rollout, wanted };
}
