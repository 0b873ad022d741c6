import type { Application } from '#api/v1alpha1/application.js';
import { templatesInUse } from '#api/v1alpha1/template.js';
import { backendFor, hasBackend } from './backends/index.js';
import { clusterNameOf } from './clusters/child-cluster.js';
import type { Finding } from './conditions.js';
import { deletionPolicyOf } from '#api/v1alpha1/ownership.js';
import { abandonedOf, abandonWarning } from './deletion.js';
import { engineOf } from './engine.js';
import { haltedIn, haltsOf, type Halting } from './clusters/halting.js';
import type { Leaving } from './clusters/removal-approval.js';
import type { Count } from './clusters/removals.js';
import { selectionStatus } from './clusters/selection-status.js';
import { selectionWarnings } from './clusters/selection-warning.js';
import { isTerminating } from './state.js';
import { releaseIndexValue } from './identity.js';
import { lockFields } from './lock/lock-report.js';
import { withFinalizer } from './metadata.js';
import { heldOnly } from './ownership.js';
import { type Outcome, type Step, writtenBy } from './verdicts.js';
import type { Child, Entry, Violation } from './types.js';
import { planChildren } from './plan-children.js';
import { describeChild } from './messages.js';
import { POLICY, type Policy } from './policy/policy.js';
import { newRequests } from './requests.js';
import { rowsOf, type Row } from './rows.js';
import { statedTarget, targetClaim } from './same-target.js';
import { stalledOutcomes } from './stalled.js';
import { steadyRows } from './steady.js';
import type { SourceUse } from './template-use.js';
import { plannedEvents, type NewEvent } from './events.js';
import type { HistoryPlan } from './revisions/history.js';
import { pinFinding, pinWarning } from './revisions/pin-finding.js';
import { soonest } from '../../runtime/pure/soonest.js';
import { rolloutFields } from './rollout/rollout-status.js';
import { waitsIn } from './waits.js';
import type { Wanted, World } from './world.js';

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
  /** Patches of children beside the steps, and before them. */
  readonly halting: readonly Halting[];
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
  /** Children of selectors that leave or move, or would if they were not held. */
  readonly leaving: readonly Leaving[];
  /** Written before the steps; undefined: no revisions are kept. */
  readonly history: HistoryPlan | undefined;
  /** Milliseconds until the next reconciliation, if nothing changes before. */
  readonly retryAfterMs: number | undefined;
  /** The rows of the status after the steps; undefined: those of the old status are kept. */
  readonly rowsAfter: (outcomes: readonly Outcome[]) => readonly Row[] | undefined;
}

/** A plan that does nothing. */
export function emptyPlan(application: Application, purpose: Plan['purpose'], finding: Finding): Plan {
  const nothing = {
    reserved: [],
    events: [],
    steps: [],
    halting: [],
    disowned: [],
    abandoned: [],
    requests: {},
    sources: [],
  };
  const later = { removals: undefined, leaving: [], history: undefined, retryAfterMs: undefined };
  return { application, purpose, finalizers: undefined, finding, rowsAfter: () => undefined, ...nothing, ...later };
}

/** While the policy is `Orphan`, no child that stays has its Application as owner. */
function withOwner(application: Application, children: readonly Child[]): Child[] {
  if (deletionPolicyOf(application) !== 'Orphan') return [];
  return children.filter((child) => !isTerminating(child) && heldOnly(child, application) !== undefined);
}

/** Index values of the release and the target that a child will have after a step. */
function comingTo(application: Application, step: Step): string[] {
  if (step.op !== 'create' && step.op !== 'update') return [];
  const { entry, object } = step;
  const release = releaseIndexValue(application.metadata.namespace ?? '', entry.release);
  return [release, targetClaim(application, statedTarget(object))];
}

/** The children that nothing else of a pass writes or deletes. */
function untouchedOf(owned: readonly Child[], steps: readonly Step[], halting: Plan['halting']): Child[] {
  const touched = new Set([...writtenBy(steps), ...haltedIn(halting)]);
  return owned.filter((child) => !touched.has(child));
}

function findingOf(
  { application, destinations, owned, unwatched, missingSources, revisions, lost }: World,
  wanted: Wanted,
  { violations, more }: { readonly violations: readonly Violation[]; readonly more: readonly string[] },
): Finding {
  const clusters = [...destinations.flatMap(({ entry }) => entry?.clusterName ?? []), ...owned.map(clusterNameOf)];
  const named = [abandonWarning(application, clusters), pinWarning(revisions, clusters)];
  const ignored = backendFor(wanted.application).warning(wanted.application);
  const selected = selectionWarnings(wanted.selections, lost);
  const warnings = [wanted.warning, unwatched, ...named, ignored, ...selected, ...wanted.warnings, ...more].filter(
    (each) => each !== undefined,
  );
  return { missing: missingSources, rejected: violations, warnings, templates: wanted.inUse };
}

/** Finds for rows what is missing of the destinations, and why what their children are from cannot be fetched. */
function lookUpIn({ destinations, clusters }: World) {
  const byPath = new Map(destinations.flatMap((each) => (each.entry === undefined ? [] : [[each.entry.path, each]])));
  const byChild = new Map(
    destinations.flatMap((each) => (each.live === undefined ? [] : [[describeChild(each.live), each]])),
  );
  return {
    clusters,
    missingOf: ({ path }: Entry) => byPath.get(path)?.missing,
    chartOf: (child: Child) => byChild.get(describeChild(child))?.chart,
    sourceOf: (child: Child) => byChild.get(describeChild(child))?.source,
  };
}

/**
 * Releases outlive an Application with the policy `Orphan`, so its finalizer is added before the first child: without
 * it, children could remain that still refer to the deleted Application.
 */
function decideRollout(world: World, wanted: Wanted, policy: Policy): Plan {
  const { application, owned, revisions } = world;
  const children = planChildren(world, wanted, policy);
  const { steps, rejected, departures, rollout, halting, warnings, retryAfterMs } = children;
  const violations = rejected.map(({ violation }) => violation);
  const whyLeaves = (child: Child): string | undefined => departures.whyLeaves(child);
  const waitOf = waitsIn(children);
  return {
    ...emptyPlan(application, 'rollout', {
      ...findingOf(world, wanted, { violations, more: [...warnings, ...(rollout?.warnings ?? [])] }),
      clusters: selectionStatus(wanted.selections, application.metadata.namespace),
      removals: departures.status(steps),
      held: departures.held(application),
      ...pinFinding(application, revisions),
      ...lockFields(application, wanted.choices, rolloutFields(application, rollout)),
    }),
    removals: departures.countAfter(steps),
    leaving: departures.leaving,
    history: revisions?.history,
    retryAfterMs: soonest([departures.retryAfterMs, rollout?.retryAfterMs, retryAfterMs]),
    finalizers: deletionPolicyOf(application) === 'Orphan' ? withFinalizer(application) : undefined,
    reserved: steps.flatMap((step) => comingTo(wanted.application, step)),
    events: plannedEvents(steps),
    steps,
    halting,
    disowned: withOwner(application, untouchedOf(owned, steps, halting)),
    abandoned: abandonedOf(application, untouchedOf(owned, [], halting)),
    requests: newRequests(application),
    sources: wanted.sources,
    rowsAfter: (outcomes) =>
      steadyRows(rowsOf({ ...lookUpIn(world), outcomes, rejected, whyLeaves, waitOf }), application.status),
  };
}

/** Reports the violation and the state of the children, without changing their specs, but on replaced clusters. */
function decideStalled(world: World, violation: Violation): Plan {
  const { application, owned, destinations } = world;
  const outcomes = stalledOutcomes(destinations);
  const rows = steadyRows(rowsOf({ ...lookUpIn(world), outcomes, rejected: [] }), application.status);
  const halting = haltsOf(world);
  const untouched = untouchedOf(owned, [], halting);
  return {
    ...emptyPlan(application, 'stalled', { violation, rejected: [], templates: templatesInUse(application.status) }),
    halting,
    disowned: withOwner(application, untouched),
    abandoned: abandonedOf(application, untouched),
    rowsAfter: () => rows,
  };
}

/** Plans the reconciliation of an Application that is not being deleted. Never throws. */
export function decide(world: World, policy = POLICY): Plan {
  const { application, wanted } = world;
  if (!('violation' in wanted)) return decideRollout(world, wanted, policy);
  const { violation } = wanted;
  if (hasBackend(engineOf(application))) return decideStalled(world, violation);
  // Without a backend there are no children; only conditions are written.
  return emptyPlan(application, 'foreign', { violation, rejected: [], templates: templatesInUse(application.status) });
}
