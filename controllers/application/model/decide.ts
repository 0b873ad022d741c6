import type { Application } from '#api/v1alpha1/application.js';
import { templatesInUse } from '#api/v1alpha1/template.js';
import { backendFor, hasBackend } from './backends/index.js';
import { changedAccess } from './clusters/changed-access.js';
import { clusterText } from './cluster.js';
import { clusterNameOf } from './clusters/child-cluster.js';
import type { Finding } from './conditions.js';
import { abandonedOf, abandonWarning, deletionPolicyOf, leftoversMayGo } from './deletion.js';
import { desiredChild } from './desired.js';
import { engineOf } from './engine.js';
import { gateViolation } from './clusters/gate.js';
import { Departures } from './clusters/departures.js';
import type { Count } from './clusters/removals.js';
import { withUid } from './clusters/recorded-uid.js';
import { selectionStatus } from './clusters/selection-status.js';
import { selectionWarnings } from './clusters/selection-warning.js';
import type { ClusterView } from './clusters/types.js';
import { entriesOf } from './entries.js';
import { isTerminating } from './state.js';
import { releaseIndexValue } from './identity.js';
import { lockFields } from './lock/lock-report.js';
import { matchChildren } from './match.js';
import { withFinalizer } from './metadata.js';
import { heldOnly } from './ownership.js';
import { planSteps } from './plan.js';
import { rejectedEntries, type FindOwner, type FindViolation } from './reject.js';
import { newRequests } from './requests.js';
import { rowsOf, type Row } from './rows.js';
import type { Upstreams } from './source-failure.js';
import { stalledOutcomes } from './stalled.js';
import { steadyRows } from './steady.js';
import type { SourceUse } from './template-use.js';
import { plannedEvents, type NewEvent } from './events.js';
import type { HistoryPlan } from './revisions/history.js';
import { pinFinding, pinWarning } from './revisions/pin-finding.js';
import { EarlierRevisions, heldClusters } from './revisions/at-revision.js';
import { withPins, type Revisions } from './revisions/pinned.js';
import { soonest } from '../../runtime/pure/soonest.js';
import { rolloutFields } from './rollout/rollout-status.js';
import { stagingOf } from './rollout/staged.js';
import type { Rollout } from './rollout/types.js';
import type { Child, DesiredChild, Entry, Outcome, RejectedEntry, Step, Violation } from './types.js';
import type { Valid } from './validate.js';
import { waitsIn } from './waits.js';

/** The input of a decision, read at once. */
export interface Observed extends Upstreams {
  readonly application: Application;
  /** The result of validating the Application on its own. */
  readonly validation: Valid | { readonly violation: Violation };
  /** Children of this very Application. */
  readonly owned: readonly Child[];
  /** Children that an entry may adopt; they must not be deleted. */
  readonly adoptable: readonly Child[];
  /** True for names of existing children in the namespace. */
  readonly isTaken: (name: string) => boolean;
  /** Another holder of the release of an entry, as text for people. */
  readonly otherOwnerOf: FindOwner;
  readonly clusters: ClusterView;
  /** A missing object that the entry refers to, as a sentence. */
  readonly missingOf: (entry: Entry) => string | undefined;
  /** True for an entry whose kubeconfig Secret does not exist. */
  readonly lacksSecret: (entry: Entry) => boolean;
  /** The sources that do not exist. */
  readonly missingSources: Violation | undefined;
  /** Sources outside of the watched namespace, as a sentence. */
  readonly unwatched: string | undefined;
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

/** What a reconciliation does, and how it will report that. */
export interface Plan {
  readonly application: Application;
  /**
   * `stalled`: the Application is invalid as a whole; `foreign`: it never had a backend. Neither changes the spec of a
   * child.
   */
  readonly purpose: 'rollout' | 'stalled' | 'foreign' | 'deletion';
  /** All finalizers, if they must be written before the first child. */
  readonly finalizers: readonly string[] | undefined;
  /** Index values of the releases that are claimed. */
  readonly reserved: readonly string[];
  /** Recorded before the steps. */
  readonly events: readonly NewEvent[];
  readonly steps: readonly Step[];
  /** Children that only lose their owner reference. */
  readonly disowned: readonly Child[];
  /** Children on an abandoned cluster that lose the finalizer of the engine. */
  readonly abandoned: readonly Child[];
  /** New requests of the user. */
  readonly requests: Readonly<Record<string, string>>;
  /** The sources that the children use. */
  readonly sources: readonly SourceUse[];
  readonly finding: Finding;
  /** Written before the steps, which remove releases of clusters that no longer match. */
  readonly removals: Count | undefined;
  /** Children without an entry whose clusters no longer match. */
  readonly leaving: readonly Child[];
  /** Written before the steps; undefined: no revisions are kept. */
  readonly history: HistoryPlan | undefined;
  /** Milliseconds until the next reconciliation, if nothing changes before. */
  readonly retryAfterMs: number | undefined;
  /** The rows of the status after the steps; undefined: those of the old status are kept. */
  readonly rowsAfter: (outcomes: readonly Outcome[]) => readonly Row[] | undefined;
}

/** A plan that does nothing. */
export function emptyPlan(application: Application, purpose: Plan['purpose'], finding: Finding): Plan {
  const nothing = { reserved: [], events: [], steps: [], disowned: [], abandoned: [], requests: {}, sources: [] };
  const later = { removals: undefined, leaving: [], history: undefined, retryAfterMs: undefined };
  return { application, purpose, finalizers: undefined, finding, rowsAfter: () => undefined, ...nothing, ...later };
}

/** While the policy is `Orphan`, no child that stays has its Application as owner. */
function withOwner(application: Application, children: readonly Child[]): Child[] {
  if (deletionPolicyOf(application) !== 'Orphan') return [];
  return children.filter((child) => !isTerminating(child) && heldOnly(child, application) !== undefined);
}

/** The release that a child holds after a step. */
function comingTo({ metadata }: Application, step: Step): string[] {
  const isWritten = step.op === 'create' || step.op === 'update';
  return isWritten ? [releaseIndexValue(metadata.namespace ?? '', step.entry.release)] : [];
}

const WRITING: readonly string[] = ['update', 'unmanage', 'delete'];

/** The children that no step writes or deletes. */
function untouchedOf(owned: readonly Child[], steps: readonly Step[]): Child[] {
  const touched = new Set(steps.flatMap((step) => (WRITING.includes(step.op) && 'live' in step ? [step.live] : [])));
  return owned.filter((child) => !touched.has(child));
}

function findingOf(
  observed: Observed,
  { resolved, entries, selections, warnings: others }: Valid,
  { violations, more }: { readonly violations: readonly Violation[]; readonly more: readonly string[] },
): Finding {
  const { application, owned, unwatched, missingSources } = observed;
  const clusters = [...entries.map(({ clusterName }) => clusterName), ...owned.map(clusterNameOf)];
  const named = [abandonWarning(application, clusters), pinWarning(observed.revisions, clusters)];
  const ignored = backendFor(resolved.application).warning(resolved.application);
  const selected = selectionWarnings(selections, observed.clusters.lost);
  const warnings = [resolved.warning, unwatched, ...named, ignored, ...selected, ...others, ...more].filter(
    (each) => each !== undefined,
  );
  return { missing: missingSources, rejected: violations, warnings, templates: resolved.inUse };
}

/** The children of an Application whose templates are merged, and what else decides about them. */
type Children = Pick<
  Observed,
  | 'application'
  | 'owned'
  | 'adoptable'
  | 'complete'
  | 'otherOwnerOf'
  | 'lacksSecret'
  | 'isTaken'
  | 'chartOf'
  | 'sourceOf'
  | 'clusters'
  | 'unmatchedForMs'
  | 'delayMs'
  | 'nowMs'
  | 'revisions'
>;

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

/**
 * Releases outlive an Application with the policy `Orphan`, so its finalizer is added before the first child: without
 * it, children could remain that still refer to the deleted Application.
 */
function decideRollout(observed: Observed, valid: Valid): Plan {
  const { application, owned } = observed;
  const { resolved } = valid;
  const { steps, rejected, departures, rollout, wanted } = planChildren(
    { ...observed, application: resolved.application },
    valid,
  );
  const violations = rejected.map(({ violation }) => violation);
  const whyLeaves = (child: Child): string | undefined => departures.whyLeaves(child);
  const waitOf = waitsIn({ wanted, rollout, revisions: observed.revisions });
  return {
    ...emptyPlan(application, 'rollout', {
      ...findingOf(observed, valid, { violations, more: rollout?.warnings ?? [] }),
      clusters: selectionStatus(valid.selections, application.metadata.namespace),
      removals: departures.status(steps),
      held: departures.held(application),
      ...pinFinding(application, observed.revisions),
      ...lockFields(application, valid.choices, rolloutFields(application, rollout)),
    }),
    removals: departures.countAfter(steps),
    leaving: departures.leaving,
    history: observed.revisions?.history,
    retryAfterMs: soonest([departures.retryAfterMs, rollout?.retryAfterMs]),
    finalizers: deletionPolicyOf(application) === 'Orphan' ? withFinalizer(application) : undefined,
    reserved: steps.flatMap((step) => comingTo(application, step)),
    events: plannedEvents(steps),
    steps,
    disowned: withOwner(application, untouchedOf(owned, steps)),
    abandoned: abandonedOf(application, owned),
    requests: newRequests(application),
    sources: resolved.sources,
    rowsAfter: (outcomes) =>
      steadyRows(rowsOf({ ...observed, outcomes, rejected, whyLeaves, waitOf }), application.status),
  };
}

/** Reports the violation and the state of the children, without changing their specs. */
function decideStalled(observed: Observed, violation: Violation): Plan {
  const { application, owned } = observed;
  const outcomes = stalledOutcomes(entriesOf(application, observed.clusters), owned);
  const rows = steadyRows(rowsOf({ ...observed, outcomes, rejected: [] }), application.status);
  return {
    ...emptyPlan(application, 'stalled', { violation, rejected: [], templates: templatesInUse(application.status) }),
    disowned: withOwner(application, owned),
    abandoned: abandonedOf(application, owned),
    rowsAfter: () => rows,
  };
}

/** Plans the reconciliation of an Application that is not being deleted. Never throws. */
export function decide(observed: Observed): Plan {
  const { application, validation } = observed;
  if (!('violation' in validation)) return decideRollout(observed, validation);
  const { violation } = validation;
  if (hasBackend(engineOf(application))) return decideStalled(observed, violation);
  // Without a backend there are no children; only conditions are written.
  return emptyPlan(application, 'foreign', { violation, rejected: [], templates: templatesInUse(application.status) });
}
