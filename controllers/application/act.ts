import pLimit from 'p-limit';
import { FLUX_FINALIZER } from '#api/flux/annotations.js';
import type { Application } from '#api/v1alpha1/application.js';
import { FIELD_MANAGER } from '#api/v1alpha1/labels.js';
import { CancelledError, TransientError } from '#lib/errors.js';
import { applySteps, PARALLEL_WRITES, patchObserved, patchVersion, toEach } from './apply.js';
import type { Pass } from './deps.js';
import { backendOf } from './model/backends/index.js';
import type { Halting } from './model/clusters/replaced.js';
import { describeChild } from './model/child/messages.js';
import { heldOnly } from './model/child/metadata.js';
import { type Acted, eventsOfWrites, willReconcileAgain } from './model/conclude.js';
import type { Child } from './model/child/types.js';
import type { Step } from './model/child/verdicts.js';
import type { Plan } from './model/decide.js';
import { type Answer, concludeDryRun } from './model/dry-run.js';
import type { IsOutdated } from './resolve.js';
import { forwardRequests } from './requests.js';
import { removeRevision } from './revisions.js';
import { saveTemplates } from './save.js';
import { countRemovals, patchMetadata, recordEvents, writeStatus } from './write-status.js';

type ActedOnChildren = Pick<Acted, 'application' | 'outcomes' | 'isLate'>;

/** Reserves the releases before anything is awaited, and applies the steps. */
function actOnChildren(plan: Plan, isOutdated: IsOutdated, pass: Pass): Promise<ActedOnChildren> {
  const { finalizers, removals, steps, events } = plan;
  return pass.reservations.during(plan.application, plan.reserved, async () => {
    let { application } = plan;
    if (finalizers !== undefined) application = await patchMetadata(application, { finalizers }, pass);
    recordEvents(application, events, pass);
    let isLate = false;
    const mayRemove = async (): Promise<boolean> => {
      isLate = isOutdated(application);
      if (isLate || removals === undefined) return !isLate;
      application = await countRemovals(application, removals, pass);
      // A process that was stopped learns what changed meanwhile no later than with the answer.
      isLate = isOutdated(application);
      return !isLate;
    };
    const outcomes = await applySteps(steps, pass, mayRemove);
    return { application, outcomes, isLate };
  });
}

const HALTING_EVENTS = { halt: ['Warning', 'Halted'], resume: ['Normal', 'Resumed'] } as const;

/** Patches the version of a child that was decided on, with an event if it is suspended or resumed. */
async function halt({ op, live, change, message }: Halting, application: Application, pass: Pass): Promise<void> {
  await patchObserved(live, change, pass);
  if (op === 'record' || op === 'withdraw') return;
  const [type, reason] = HALTING_EVENTS[op];
  pass.events.record(application, type, reason, message);
}

/** Replaces the owner reference of a child by an annotation. */
async function disown(child: Child, application: Application, pass: Pass): Promise<void> {
  const tie = heldOnly(child, application);
  if (tie !== undefined) await patchVersion(child, { metadata: tie }, pass);
}

/** Removes the engine's finalizer from a child on an abandoned cluster. */
async function abandon(child: Child, application: Application, pass: Pass): Promise<void> {
  const finalizers = (child.metadata.finalizers ?? []).filter((name) => name !== FLUX_FINALIZER);
  await patchVersion(child, { metadata: { finalizers } }, pass);
  const message = `${describeChild(child)} was abandoned: what it installed was not removed`;
  pass.events.record(application, 'Warning', 'Abandoned', message);
}

/** First of all: other writes may take minutes, in which engines act on the wrong cluster. Returns the errors. */
export function haltAll(halting: readonly Halting[], application: Application, pass: Pass): Promise<unknown[]> {
  return toEach(halting, (each) => halt(each, application, pass));
}

/** Facts about a plan when it is carried out. */
export interface Carrying {
  readonly isOutdated: IsOutdated;
  /** Failures before it was decided on. */
  readonly failures: readonly unknown[];
}

/**
 * Carries out a plan. If it created children, which trigger the next reconciliation, or if it is outdated when children
 * are to be removed, the rest is left to the next one.
 */
export async function act(plan: Plan, { isOutdated, failures }: Carrying, pass: Pass): Promise<Acted> {
  const halted = await haltAll(plan.halting, plan.application, pass);
  const { application, outcomes, isLate } = await actOnChildren(plan, isOutdated, pass);
  recordEvents(application, eventsOfWrites(plan, outcomes), pass);
  const errors = [
    ...halted,
    ...failures,
    ...outcomes.flatMap(({ error }) => (error === undefined ? [] : [error])),
    ...(await toEach(plan.disowned, (child) => disown(child, application, pass))),
    ...(await toEach(plan.outdatedRevisions, (revision) => removeRevision(revision, pass))),
    ...(await toEach(plan.abandoned, (child) => abandon(child, application, pass))),
  ];
  const incomplete = isLate || willReconcileAgain(plan, { outcomes, errors });
  const acted: Acted = { application, outcomes, requests: {}, saved: undefined, errors, incomplete, isLate };
  if (plan.purpose !== 'rollout' || incomplete) return acted;
  const passed = await forwardRequests(application, { ...plan, outcomes }, pass);
  const saved = await saveTemplates(application, pass);
  return { ...acted, requests: passed.requests, saved, errors: [...errors, ...passed.errors] };
}

/** Asks the host, by a dry run, what it would make of a child. */
async function ask(step: Step, { kube, signal }: Pass): Promise<Answer> {
  if (step.op !== 'create' && step.op !== 'update') return undefined;
  const { object } = step;
  const live = step.op === 'update' ? step.live : undefined;
  const options = { fieldManager: FIELD_MANAGER, force: true, dryRun: true, signal };
  try {
    return { live, next: await kube.apply(backendOf(object).resource, object, options) };
  } catch (error: unknown) {
    // The server's answer about the child is part of the report; that there is no answer is not.
    const isAnswer =
      error instanceof TransientError && !(error instanceof CancelledError) && error.status !== undefined;
    if (!isAnswer) throw error;
    return { error: error.message };
  }
}

/** Publishes what a plan would do to the children, and does nothing else. */
export async function publishDryRun(plan: Plan, pass: Pass): Promise<void> {
  const limit = pLimit(PARALLEL_WRITES);
  const answers = await Promise.all(
    plan.steps.map((step) => limit(async () => [step, await ask(step, pass)] as const)),
  );
  await writeStatus(concludeDryRun(plan, new Map(answers), pass.now()), pass);
}
