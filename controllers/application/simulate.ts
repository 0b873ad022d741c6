import omit from 'lodash/omit.js';
import type { Application } from '#api/v1alpha1/application.js';
import type { Pending } from '#api/v1alpha1/pending.js';
import type { Finding } from '#engine/dry-run/change-set.js';
import { pause } from '#runtime/until.js';
import { clusterValues, clusterView, type InventoryCaches } from './clusters.js';
import type { Pass } from './deps.js';
import { backendOf } from './model/backends/index.js';
import { indexClusters } from './model/child/cluster.js';
import type { Child, Entry, RejectedEntry, Rules, Violation } from './model/child/types.js';
import { type World, worldOf } from './model/children/world.js';
import { decideDeletion } from './model/decide-deletion.js';
import { decide, outcomesBefore, type Plan } from './model/decide.js';
import { entryLayers } from './model/destinations/entries.js';
import { selectionWarnings } from './model/destinations/selections.js';
import { explain, type Explanation } from './model/destinations/personal-values.js';
import { rejectedEntries } from './model/destinations/rejected.js';
import { validate, type Valid } from './model/destinations/validate.js';
import { comesTo, eventualChanges, installed } from './model/dry-run.js';
import { PendingMemory, pendingRows } from './model/status/pending.js';
import { followedBy, MOST_DECISIONS, unfinished, worldAfter } from './model/following.js';
import { observe } from './observe.js';
import { resolve, type ResolvedApplication } from './resolve.js';
import { templateView, type TemplateCaches } from './templates.js';
import { withValues, type Personalized, type ValuesDeps } from './values.js';

/** A decision that is not carried out, and its world. */
export interface Simulated {
  readonly resolved: ResolvedApplication;
  readonly world: World;
  readonly plan: Plan;
}

/**
 * A plan with what follows from it before any engine has done something, e.g. a further stage of a rollout of which
 * nothing changes but the number of the revision. The later decisions are not carried out either.
 */
export async function planAhead(
  { world, plan: first }: Pick<Simulated, 'world' | 'plan'>,
  { signal, rules }: Pick<Pass, 'signal' | 'rules'>,
): Promise<Plan> {
  let plan = first;
  let next = worldAfter(world, first);
  for (let decisions = 1; next !== undefined; decisions += 1) {
    if (decisions === MOST_DECISIONS) return unfinished(plan);
    // With thousands of destinations it takes long.
    await pause(signal);
    const following = decide(next, rules.policy);
    plan = followedBy(plan, following);
    next = worldAfter(next, following);
  }
  return plan;
}

interface Simulation {
  /** Throws if nothing can be said after the values were made. */
  readonly check?: () => void;
  /** See `planAhead`. */
  readonly isAhead: boolean;
}

/**
 * The decision of a reconciliation by the objects as they are, which does not happen. Pending: a template was not
 * validated yet.
 */
export async function simulate(
  application: Application,
  pass: Pass,
  { check = () => undefined, isAhead }: Simulation,
): Promise<Simulated | 'pending'> {
  const resolved = await resolve(application, pass);
  if (resolved === 'pending') return resolved;
  check();
  // Each of these takes long with thousands of destinations.
  await pause(pass.signal);
  const world = observe(application, resolved, pass);
  await pause(pass.signal);
  const plan = decide(world, pass.rules.policy);
  await pause(pass.signal);
  return { resolved, world, plan: isAhead ? await planAhead({ world, plan }, pass) : plan };
}

/** The waits of an Application, or why they are not known. */
export type CurrentlyPending = { readonly rows: Pending['destinations'] } | { readonly unknown: string };

/** All destinations that wait. Since when is only said where the status knows it, and else empty. */
export async function currentlyPending(application: Application, pass: Pass): Promise<CurrentlyPending> {
  const { rollout, removals } = application.status ?? {};
  const simulated = await simulate(application, pass, { isAhead: false });
  if (simulated === 'pending') return { unknown: 'its template has no status yet' };
  const { plan, resolved } = simulated;
  const { validation } = resolved;
  if ('violation' in validation) return { unknown: `it is rejected: ${validation.violation.message}` };
  const [lost] = validation.selections.length === 0 ? [] : clusterView(pass.inventory).lost;
  if (lost !== undefined) return { unknown: lost };
  const rows = plan.rowsAfter(outcomesBefore(plan.steps)) ?? [];
  return { rows: pendingRows(rows, new PendingMemory({ rollout, removals, before: application.status, now: '' })) };
}

/** All that is read to know what an Application states. */
export interface StatedDeps extends ValuesDeps {
  readonly rules: Rules;
  readonly templates: TemplateCaches;
  readonly inventory: InventoryCaches;
  /** Those that are asked for, before their values are made; what it throws is thrown. Default: all. */
  readonly narrow?: (entries: readonly Entry[]) => readonly Entry[];
}

/** Why nothing is stated. Pending: a template was not validated yet. */
type Undecided = { readonly violation: Violation } | 'pending';

/** Everything that an Application states of its destinations, without children and other Applications. */
interface Stated extends Pick<Personalized, 'valid' | 'rendered'> {
  readonly rejected: readonly RejectedEntry[];
  /** Warnings for users. */
  readonly warnings: readonly string[];
}

/** As a reconciliation computes it, which does not happen. Pending: a template was not validated yet. */
async function readStated(
  application: Application,
  deps: StatedDeps,
  signal: AbortSignal,
): Promise<Stated | Undecided> {
  const view = { templates: templateView(deps.templates), clusters: clusterView(deps.inventory) };
  const validation = validate(application, view, deps.rules);
  if (validation === 'pending' || 'violation' in validation) return validation;
  const { namespace: tenant = '' } = application.metadata;
  const asked = new Set(deps.narrow?.(validation.entries) ?? validation.entries);
  const others = validation.entries.filter((entry) => !asked.has(entry));
  const { valid, rendered } = await withValues({ ...validation, entries: [...asked] }, deps, { tenant, signal });
  const { entries, resolved, selections, violationOf, warnings } = valid;
  // No child is made to tell that: with thousands of destinations, whoever asks for one must not pay for all.
  const rejected = rejectedEntries([...entries, ...others], undefined, violationOf);
  const answered = new Set(entries);
  // The reader says which clusters could not be read.
  const more = [resolved.warning, ...selectionWarnings(selections, []), ...warnings];
  return {
    ...{ valid, rendered },
    rejected: rejected.filter(({ entry }) => answered.has(entry)),
    warnings: more.filter((warning) => warning !== undefined),
  };
}

/** Those that its rollout and its history would hold back come in the end, too. */
function atOnce({ resolved, ...valid }: Valid): Valid {
  const { application } = resolved;
  return {
    ...valid,
    resolved: { ...resolved, application: { ...application, spec: omit(application.spec, 'rollout') } },
  };
}

/** The world of an Application whose children were all installed, as if nothing else was there. */
function settled(application: Application, validation: Valid, owned: readonly Child[], deps: StatedDeps): World {
  const names = new Set(owned.map(({ metadata }) => metadata.name));
  return worldOf({
    ...{ application, owned, adoptable: [], complete: true, delayMs: 0, nowMs: Date.now() },
    validation: atOnce(validation),
    clusters: { ...clusterView(deps.inventory), lost: [] },
    revisions: undefined,
    unmatchedSince: new Map(),
    isTaken: (name) => names.has(name),
    otherOwnerOf: () => undefined,
    missingOf: () => undefined,
    chartOf: () => undefined,
    sourceOf: () => undefined,
    missingSources: undefined,
    unwatched: undefined,
  });
}

/** The decision about an Application once `before` are its children, whatever it would wait for. */
async function decideAlone(
  application: Application,
  before: readonly Child[],
  deps: StatedDeps,
  signal: AbortSignal,
): Promise<{ readonly plan: Plan; readonly warnings: readonly string[] } | Undecided> {
  const stated = await readStated(application, deps, signal);
  if (stated === 'pending' || 'violation' in stated) return stated;
  return { plan: decide(settled(application, stated.valid, before, deps)), warnings: stated.warnings };
}

/** The children of an Application that has none yet. */
export interface Rendered {
  readonly children: readonly Child[];
  readonly rejected: readonly RejectedEntry[];
  readonly warnings: readonly string[];
}

/** All children that an Application comes to have, whatever they would wait for. Pending: as `readStated`. */
export async function renderApplication(
  application: Application,
  deps: StatedDeps,
  signal: AbortSignal,
): Promise<Rendered | Undecided> {
  const decided = await decideAlone(application, [], deps, signal);
  if (decided === 'pending' || 'violation' in decided) return decided;
  const { plan, warnings } = decided;
  return { children: plan.steps.flatMap((step) => comesTo(step) ?? []), rejected: plan.rejected, warnings };
}

/** The changes of the children of an Application. */
export interface Changed extends Omit<Rendered, 'children'> {
  /** In the order of the plan. */
  readonly findings: readonly Finding[];
  readonly unchanged: number;
}

/**
 * The changes of the children that an Application has once it says something else, whatever they would wait for.
 * `before`: its children as an earlier `renderApplication` has them. Pending: as `readStated`.
 */
export async function changedChildren(
  application: Application,
  before: readonly Child[],
  deps: StatedDeps,
  signal: AbortSignal,
): Promise<Changed | Undecided> {
  const decided = await decideAlone(application, before.map(installed), deps, signal);
  if (decided === 'pending' || 'violation' in decided) return decided;
  const { plan, warnings } = decided;
  const findings = eventualChanges(plan.steps);
  return { findings, unchanged: plan.steps.length - findings.length, rejected: plan.rejected, warnings };
}

/** The changes of the children of an Application that is deleted. */
export function deletedChildren(application: Application, before: readonly Child[], deps: StatedDeps): Changed {
  const children = before.map(installed);
  const { namespace = '' } = application.metadata;
  const clusters = indexClusters(clusterView(deps.inventory), children.flatMap(clusterValues), namespace);
  const { steps } = decideDeletion(application, children, { clusters });
  const findings = eventualChanges(steps);
  return { findings, unchanged: children.length - findings.length, rejected: [], warnings: [] };
}

/** One destination, as far as it can be said without its child and without other Applications. */
export interface ExplainedDestination {
  readonly entry: Entry;
  /** Why it is rejected. */
  readonly violation: Violation | undefined;
  readonly explanation: Explanation;
  /** The layers below its values that were not read, the lowest first. */
  readonly unread: readonly string[];
}

export interface ExplainedApplication {
  readonly destinations: readonly ExplainedDestination[];
  /** Remarks for the user. */
  readonly warnings: readonly string[];
}

/**
 * Where each value of each destination is from: as a reconciliation computes them, which does not happen. Pending: a
 * template was not validated yet.
 */
export async function explainApplication(
  application: Application,
  deps: StatedDeps,
  signal: AbortSignal,
): Promise<ExplainedApplication | Undecided> {
  const stated = await readStated(application, deps, signal);
  if (stated === 'pending' || 'violation' in stated) return stated;
  const { valid, rendered, rejected, warnings } = stated;
  const { entries, resolved } = valid;
  const violations = new Map(rejected.map(({ entry, violation }) => [entry, violation] as const));
  const layers = entryLayers(application, resolved.templateOf);
  const destinations = entries.map((entry) => ({
    entry,
    violation: violations.get(entry),
    explanation: explain({ entry, below: layers.get(entry.specPath) ?? [], rendered: rendered.get(entry.path) }),
    unread: backendOf(entry.release).unreadValues(resolved.application, entry),
  }));
  return { destinations, warnings };
}
