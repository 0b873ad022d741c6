import type { Application } from '#api/v1alpha1/application.js';
import { OFFERED_TO_ANNOTATION } from '#api/v1alpha1/labels.js';
import { clusterView, inventoryCaches } from '#controllers/application/clusters.js';
import type { Pass } from '#controllers/application/deps.js';
import type { Child, Entry } from '#controllers/application/model/child/types.js';
import type { Step } from '#controllers/application/model/child/verdicts.js';
import type { Plan } from '#controllers/application/model/decide.js';
import { lackOf } from '#controllers/application/model/dry-run.js';
import { applicationDeps } from '#controllers/application/setup.js';
import {
  currentlyPending,
  type CurrentlyPending,
  renderApplication,
  type Rendered,
  simulate,
} from '#controllers/application/simulate.js';
import { createLogger } from '#runtime/process/log.js';
import { pause } from '#runtime/until.js';
import type { PlannedChild, PlanView, PublishedChild } from '../answers/plans.js';
import { bounded } from './bounded.js';
import { Budget } from './budget.js';
import { foresee, type Foreseen } from './foreseen.js';
import { CONTROLLER, readableDeployment } from './installation.js';
import { rulesOf } from './installed-flags.js';
import { LazyRenderer } from './lazy-renderer.js';
import { limitLines } from './limits.js';
import { isDecisive, isOfOthers, PlanObjects } from './plan-objects.js';
import { plannedChild, planView, publishedChildren } from './plan-view.js';
import type { Reading } from './reading.js';
import { PreviewError } from './preview-error.js';
import type { Limit } from './snapshot.js';
import type { Replace } from './template-change.js';

/** How long one piece may keep the thread, in milliseconds. */
const TURN_MS = 10;

/**
 * Maps one after the other, and lets others have the thread whenever that took long. Throws what `map` throws, and a
 * CancelledError if it is aborted. `now`: monotonic milliseconds.
 */
export async function mapInTurns<T, R>(
  items: readonly T[],
  map: (item: T) => R,
  { signal, now = () => performance.now() }: { readonly signal: AbortSignal; readonly now?: () => number },
): Promise<R[]> {
  const results: R[] = [];
  let startedMs = now();
  for (const item of items) {
    if (now() - startedMs >= TURN_MS) {
      await pause(signal);
      startedMs = now();
    }
    results.push(map(item));
  }
  return results;
}

const record = (): void => {
  throw new Error('nothing is recorded');
};

/** Choices about a pass that nothing follows from. */
interface PassOptions {
  /** Takes an object that was read for another one. */
  readonly replace?: Replace | undefined;
  /** True: as with a dry run, it is said what becomes of a child in the end. */
  readonly isEventual: boolean;
}

/** The deps of a reconciliation, made of what the user may read. */
async function passOf(
  application: Application,
  { budget = new Budget(), ...reading }: Reading,
  { replace, isEventual }: PassOptions,
) {
  const { kube, offload, signal } = reading;
  const installed = await readableDeployment(kube, { signal });
  const { namespace: controllerNamespace = '' } = installed?.metadata ?? CONTROLLER;
  const settings = { ...rulesOf(installed), controllerNamespace, ...(isEventual ? { removalDelayMs: 0 } : {}) };
  const objects = new PlanObjects(replace);
  const context = { kube, offload, cache: objects.cache, now: Date.now, events: { record } };
  const deps = applicationDeps(context, settings, inventoryCaches(objects.forClusters, settings));
  const limits = await objects.read(application, { ...reading, budget });
  const helm = new LazyRenderer(reading.findRenderer);
  const wayOut = ', with those of earlier revisions and of older Applications that want the same';
  const evaluators = { ...deps.evaluators, templates: helm.render };
  // The list of what waits is for the Applications that are too large for their status.
  const values = isEventual ? bounded(evaluators, { budget, wayOut }, signal) : { evaluators };
  const pass: Pass = { ...deps, ...values, signal, log: createLogger('silent') };
  return { pass, limits, helm };
}

/** Problems that would keep the child of a step from becoming ready. */
function problemsOf(step: Step | undefined, plan: Plan, { problems }: Foreseen): string[] {
  if (step === undefined) return [];
  const lack = lackOf(step, plan);
  return [...(lack === undefined ? [] : [lack]), ...(problems.get(step) ?? [])];
}

function withProblems(child: PlannedChild, problems: readonly string[]): PlannedChild {
  return problems.length === 0 ? child : { ...child, problems };
}

const PENDING = 'its template has no status yet: try again';

function refuseUnread(limits: readonly Limit[]): void {
  const decisive = limits.filter(isDecisive);
  if (decisive.length > 0) throw new PreviewError('Forbidden', limitLines(decisive).join(' '));
}

/** The children that the controller would write of everything that an Application wants, whatever they wait for. */
export interface WrittenChildren {
  readonly rendered: Rendered;
  /** What could not be read. */
  readonly notes: readonly string[];
}

/** Computed as the controller does, and nothing is written. Throws a PreviewError if that cannot be said. */
export async function readChildren(application: Application, reading: Reading): Promise<WrittenChildren> {
  const { pass, limits, helm } = await passOf(application, reading, { isEventual: true });
  refuseUnread(limits);
  const rendered = await renderApplication(application, pass, pass.signal);
  if (rendered === 'pending') throw new PreviewError('Pending', PENDING);
  if ('violation' in rendered) throw new PreviewError('Rejected', rendered.violation.message);
  if (helm.problem !== undefined) throw new PreviewError('Unrendered', helm.problem);
  return { rendered, notes: limitLines(limits.filter((limit) => !isOfOthers(limit))) };
}

function isOnHost({ release }: Entry): boolean {
  return release.cluster === '';
}

/** A plan, and what the engine says of the children that are there. */
export interface Planned extends PlanView {
  readonly published: readonly PublishedChild[];
}

interface PlanOptions {
  /** The text was read as something else. */
  readonly replace?: Replace;
  /** False: clusters are not asked what would go wrong there. Default: true. */
  readonly asksClusters?: boolean;
}

const NOTHING_FORESEEN: Foreseen = { problems: new Map(), notes: [] };

/**
 * What the controller would do of an Application, which need not exist: what a reconciliation decides, which does not
 * happen. Throws a PreviewError if that cannot be said.
 */
export async function readPlan(
  application: Application,
  reading: Reading,
  { replace, asksClusters = true }: PlanOptions = {},
): Promise<Planned> {
  const { pass, limits, helm } = await passOf(application, reading, { replace, isEventual: true });
  refuseUnread(limits);
  const check = (): void => {
    if (helm.problem !== undefined) throw new PreviewError('Unrendered', helm.problem);
  };
  const simulated = await simulate(application, pass, { check, isAhead: true });
  if (simulated === 'pending') throw new PreviewError('Pending', PENDING);
  const { resolved, world, plan } = simulated;
  const isSure = 'violation' in resolved.validation || resolved.validation.selections.length === 0;
  const planned = await mapInTurns(plan.steps, plannedChild, pass);
  const lacks = (step: Step): boolean => lackOf(step, plan) !== undefined;
  const foreseen = asksClusters
    ? await foresee({ steps: plan.steps, owned: world.owned, lacks }, reading)
    : NOTHING_FORESEEN;
  const children = planned.map((child, index) => withProblems(child, problemsOf(plan.steps[index], plan, foreseen)));
  const view = planView(plan, children);
  const unknown = isSure ? [] : clusterView(pass.inventory).lost;
  const published = publishedChildren(world.owned);
  const isNew = plan.steps.some((step) => step.op === 'create' && isOnHost(step.entry));
  const matters = limits.filter((limit) => isNew || !isOfOthers(limit));
  return { ...view, published, notes: [...limitLines(matters), ...unknown, ...view.notes, ...foreseen.notes] };
}

/** A child as an Application would write it, or why it would not take it over, as a sentence. */
type TakeOver = { readonly object: Child } | { readonly problem: string };

/**
 * The decision of the controller once a plain HelmRelease or Kustomization is offered to an Application, which need not
 * exist. Nothing is written. Throws a PreviewError if that cannot be said.
 */
export async function readTakeOver(application: Application, child: Child, reading: Reading): Promise<TakeOver> {
  const { uid: to = '' } = application.metadata;
  const replace: Replace = (object) => {
    const { uid, annotations } = object.metadata;
    if (uid !== child.metadata.uid) return object;
    return {
      ...object,
      metadata: { ...object.metadata, annotations: { ...annotations, [OFFERED_TO_ANNOTATION]: to } },
    };
  };
  const { pass, limits, helm } = await passOf(application, reading, { replace, isEventual: true });
  refuseUnread(limits);
  const simulated = await simulate(application, pass, { isAhead: false });
  if (simulated === 'pending') throw new PreviewError('Pending', PENDING);
  if (helm.problem !== undefined) throw new PreviewError('Unrendered', helm.problem);
  const { plan } = simulated;
  const step = plan.steps.find((each) => 'live' in each && each.live?.metadata.uid === child.metadata.uid);
  if (step?.op === 'update' && step.uninstalls === undefined) return { object: step.object };
  const { problems } = planView(plan, []);
  const said = step === undefined ? problems.map(({ message }) => message) : [step.why];
  return { problem: said.length === 0 ? 'no entry of it is for this object' : said.join('; ') };
}

/** The waits of an Application, by what the user may read: what its status has no room for. */
export async function readWaits(application: Application, reading: Reading): Promise<CurrentlyPending> {
  const { pass, limits, helm } = await passOf(application, reading, { isEventual: false });
  const unread = limits.filter((limit) => !isOfOthers(limit));
  if (unread.length > 0) return { unknown: limitLines(unread).join(' ') };
  const waits = await currentlyPending(application, pass);
  return helm.problem === undefined ? waits : { unknown: helm.problem };
}
