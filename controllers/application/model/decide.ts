import type { KubeObject } from '#api/meta.js';
import type { Application } from '#api/v1alpha1/application.js';
import { deletionPolicyOf } from '#api/v1alpha1/ownership.js';
import { templatesInUse } from '#api/v1alpha1/template.js';
import { getCondition } from '#lib/kube/conditions.js';
import { soonest } from '#lib/duration.js';
import { Abandonment } from './abandonment.js';
import { backendFor, hasBackend } from './backends/index.js';
import { childClusterNames } from './child/cluster-names.js';
import { heldOnly, isAt, isInstalledFor, isReady } from './child/metadata.js';
import { describeChild, shortened } from './child/messages.js';
import type { Child, ClusterNames, DesiredChild, Entry, RejectedEntry, Violation } from './child/types.js';
import { type Outcome, type Step, writtenBy } from './child/verdicts.js';
import { statedTarget, targetClaim } from './children/same-target.js';
import { isTerminating } from './children/state.js';
import { type Destination, isLeftover, isOfEntry, type Wanted, type World } from './children/world.js';
import { withdrawalsOf } from './clusters/handovers.js';
import type { Leaving } from './clusters/leaving.js';
import type { Count } from './clusters/removals.js';
import { haltedIn, type Halting, haltsOf } from './clusters/replaced.js';
import { selectionStatus, selectionWarnings } from './destinations/selections.js';
import { releaseIndexValue } from './destinations/identity.js';
import type { SourceUse } from './destinations/template-use.js';
import { planChildren } from './plan-children.js';
import { POLICY, type Policy } from './policy/policy.js';
import { type PinnedTo, rolloutFields } from './rollout/status.js';
import { engineOf } from './spec/flux-spec.js';
import { unkeptText } from './spec/history.js';
import type { Finding } from './status/conditions.js';
import { versionFields, pinFinding, pinWarning } from './status/revisions.js';
import { newRequests, withFinalizer } from './status/console.js';
import { type NewEvent, plannedEvents } from './status/events.js';
import { waitsIn } from './status/pending.js';
import { type Row, rowsOf, steadyRows } from './status/rows.js';

/** The children that a deletion waits for, with why they are not deleted, or else with their messages. */
export function waitingMessage(
  children: readonly Child[],
  whyHeld: (child: Child) => string | undefined = () => undefined,
): string {
  const parts = children.map((child) => {
    const why = whyHeld(child);
    if (why !== undefined) return `${describeChild(child)} (${why})`;
    const ready = getCondition(child.status?.conditions, 'Ready');
    return ready?.status === 'False' ? `${describeChild(child)} (${ready.message})` : describeChild(child);
  });
  return shortened(`waiting for the deletion of ${parts.sort().join(', ')}`, 1_000);
}

const NO_CHILD = 'waiting: the Application as a whole is stalled';
const NO_ENTRY = 'the Application as a whole is stalled';

/** The outcomes of steps of which none was carried out. */
export function outcomesBefore(steps: readonly Step[]): Outcome[] {
  return steps.map((step) => ({ step, child: 'live' in step ? step.live : undefined }));
}

/**
 * Outcomes for an Application that is invalid as a whole: every child is left unchanged and reported. Never throws.
 */
export function stalledOutcomes(destinations: readonly Destination[]): Outcome[] {
  const steps = [
    ...destinations
      .filter(isOfEntry)
      .map(({ entry, live }): Step =>
        live === undefined ? { op: 'wait', entry, live, why: NO_CHILD } : { op: 'keep', entry, live, why: NO_ENTRY },
      ),
    ...destinations.filter(isLeftover).map(({ live }): Step => ({ op: 'spare', live, why: NO_ENTRY })),
  ];
  return outcomesBefore(steps);
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
  /** By the path of an entry: a missing object that it refers to, as a sentence. */
  readonly missing: ReadonlyMap<string, string>;
  /** The entries without a step but to wait until somebody corrects them. */
  readonly rejected: readonly RejectedEntry[];
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
  /** Revisions that are not needed any more. */
  readonly outdatedRevisions: readonly KubeObject[];
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
    missing: new Map<string, string>(),
    rejected: [],
    halting: [],
    disowned: [],
    abandoned: [],
    requests: {},
    sources: [],
  };
  const later = { removals: undefined, leaving: [], outdatedRevisions: [], retryAfterMs: undefined };
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

/** Until a revision is kept, its number is of none: what is remembered of the last one stays. */
function withUnkept({ application, revisions }: World, finding: Finding): Finding {
  if (revisions?.unkept === undefined) return finding;
  const { history, rollout } = application.status ?? {};
  const violation = { reason: 'RevisionNotKept', message: unkeptText(revisions.history, revisions.unkept) } as const;
  const rolledOut = finding.rolledOut && ({ status: 'False', ...violation } as const);
  return { ...finding, missing: finding.missing ?? violation, history, rollout, rolledOut };
}

/** The clusters of the entries and children of an Application. */
function clustersOf({ destinations, owned }: Pick<World, 'destinations' | 'owned'>): ClusterNames[] {
  return [...destinations.flatMap(({ entry }) => entry?.names ?? []), ...owned.map(childClusterNames)];
}

interface Found {
  readonly violations: readonly Violation[];
  /** Warnings about the names of clusters in annotations. */
  readonly named: readonly (string | undefined)[];
  readonly more: readonly string[];
}

function findingOf(
  { unwatched, missingSources, lost }: World,
  wanted: Wanted,
  { violations, named, more }: Found,
): Finding {
  const ignored = backendFor(wanted.application).warning(wanted.application);
  const selected = selectionWarnings(wanted.selections, lost);
  const warnings = [wanted.warning, unwatched, ...named, ignored, ...selected, ...wanted.warnings, ...more].filter(
    (each) => each !== undefined,
  );
  return { missing: missingSources, rejected: violations, warnings, templates: wanted.inUse };
}

/** The earlier revision that all destinations are pinned to, and whether those that take part are Ready at it. */
function pinnedTo(revisions: World['revisions'], desired: readonly DesiredChild[]): PinnedTo | undefined {
  const { all, problem } = revisions?.pins ?? {};
  const earlier = all === undefined || problem !== undefined ? undefined : revisions?.earlier.get(all);
  if (all === undefined || earlier === undefined || 'problem' in earlier) return undefined;
  const isLeft = ({ entry, live, object, held }: DesiredChild): boolean =>
    held !== undefined || object.spec.suspend === true || isInstalledFor(entry, live);
  const active = desired.filter((each) => !isLeft(each));
  return {
    revision: all,
    isReady: active.length > 0 && active.every((each) => isAt(each.live, each) && isReady(each.live)),
  };
}

/**
 * Releases outlive an Application with the policy `Orphan`, so its finalizer is added before the first child: without
 * it, children could remain that still refer to the deleted Application.
 */
function decideRollout(world: World, wanted: Wanted, policy: Policy): Plan {
  const { application, owned, revisions, destinations, clusters } = world;
  const names = clustersOf(world);
  const abandonment = new Abandonment(application, names);
  const named = [...abandonment.warnings, pinWarning(revisions, names)];
  const children = planChildren(world, wanted, policy);
  const { steps, rejected, departures, rollout, desired, halting, warnings, retryAfterMs } = children;
  const violations = rejected.map(({ violation }) => violation);
  const whyLeaves = (child: Child): string | undefined => departures.whyLeaves(child);
  const waitOf = waitsIn(children);
  const stageOf = ({ path }: Entry): string | undefined => rollout?.stageOf.get(path);
  const finding = {
    ...findingOf(world, wanted, { violations, named, more: [...warnings, ...(rollout?.warnings ?? [])] }),
    clusters: selectionStatus(wanted.selections, application.metadata.namespace),
    removals: departures.status(steps),
    held: departures.held(application),
    ...pinFinding(application, revisions),
    ...versionFields(application, wanted.choices, rolloutFields(application, rollout, pinnedTo(revisions, desired))),
  };
  return {
    ...emptyPlan(application, 'rollout', withUnkept(world, finding)),
    removals: departures.countAfter(steps),
    leaving: departures.remembered,
    outdatedRevisions: revisions?.history.remove ?? [],
    retryAfterMs: soonest([departures.retryAfterMs, rollout?.retryAfterMs, retryAfterMs]),
    finalizers: deletionPolicyOf(application) === 'Orphan' ? withFinalizer(application) : undefined,
    reserved: steps.flatMap((step) => comingTo(wanted.application, step)),
    events: plannedEvents(steps),
    steps,
    missing: children.missing,
    rejected,
    halting,
    disowned: withOwner(application, untouchedOf(owned, steps, halting)),
    abandoned: abandonment.finalizersOf(untouchedOf(owned, [], halting)),
    requests: newRequests(application),
    sources: wanted.sources,
    rowsAfter: (outcomes) =>
      steadyRows(
        rowsOf({ destinations, clusters, outcomes, rejected, whyLeaves, waitOf, stageOf }),
        application.status,
      ),
  };
}

/** Reports the violation and the state of the children, without changing their specs, but on replaced clusters. */
function decideStalled(world: World, violation: Violation): Plan {
  const { application, owned, destinations, clusters } = world;
  const outcomes = stalledOutcomes(destinations);
  const rows = steadyRows(rowsOf({ destinations, clusters, outcomes, rejected: [] }), application.status);
  const halts = haltsOf(world);
  // Nobody knows what its own Application wants.
  const halting = [...halts, ...withdrawalsOf(owned, [], halts)];
  const untouched = untouchedOf(owned, [], halting);
  return {
    ...emptyPlan(application, 'stalled', { violation, rejected: [], templates: templatesInUse(application.status) }),
    halting,
    disowned: withOwner(application, untouched),
    abandoned: new Abandonment(application, clustersOf(world)).finalizersOf(untouched),
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
