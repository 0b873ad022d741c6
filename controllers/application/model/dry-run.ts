import isEqual from 'lodash/isEqual.js';
import merge from 'lodash/merge.js';
import omit from 'lodash/omit.js';
import type { PlannedChange } from '#api/dry-run.js';
import { APPLIED_DIGEST_ANNOTATION } from '#api/v1alpha1/labels.js';
import { changeSet, type Finding, objectChange } from '#engine/dry-run/change-set.js';
import { isNews, type Report, reported, reportOf } from '#engine/dry-run/report.js';
import { timestamp } from '#lib/kube/conditions.js';
import { clusterNameOf } from './child/cluster.js';
import { isOnce, unmanagement } from './child/metadata.js';
import { leftUnchanged, shortened } from './child/messages.js';
import type { Child } from './child/types.js';
import type { Step } from './child/verdicts.js';
import type { Conclusion } from './conclude.js';
import type { Plan } from './decide.js';

/** Values may be secret: the readers of an Application may be more than those of its templates and children. */
const SECRET_FIELDS = ['/spec/values', '/spec/postRenderers', '/spec/patches', '/spec/postBuild'];

/** Characters of what is said of the whole, besides held removals. */
const MAX_OTHERS = 400;

/** What a dry run of the host made of a step; undefined: the step changes nothing. */
export type Answer =
  { readonly live: Child | undefined; readonly next: Child } | { readonly error: string } | undefined;

function content({ metadata, spec }: Child): object {
  const { labels = {}, annotations = {}, ownerReferences = [] } = metadata;
  return { metadata: { labels, annotations, ownerReferences }, spec };
}

function written({ op, why }: Step, object: Child, answer: NonNullable<Answer>): Finding {
  if ('error' in answer) return { action: 'failed', object, message: answer.error };
  if (op === 'create' || answer.live === undefined) return { action: 'created', object, message: why };
  const compared = { old: content(answer.live), new: content(answer.next) };
  return { action: 'changed', object, message: why, compared };
}

function spared({ live, why, hold }: Extract<Step, { op: 'offer' | 'spare' }>): Finding | undefined {
  if (hold === undefined) return undefined;
  return { action: 'held', object: live, message: leftUnchanged(why) };
}

/** What becomes of a child by a step; undefined: it stays unchanged. */
function findingOf(step: Step, answer: Answer): Finding | undefined {
  switch (step.op) {
    case 'create':
    case 'update':
      return answer && written(step, step.object, answer);
    // It is suspended only to be deleted without an uninstall.
    case 'suspend':
    case 'delete':
      return { action: 'deleted', object: step.live, message: step.why };
    case 'unmanage':
      return { action: 'changed', object: step.live, message: `suspended: ${step.why}` };
    case 'offer':
    case 'spare':
      return spared(step);
    default:
      return undefined;
  }
}

/** A step as a change set lists it; undefined: its child stays unchanged. `lack`: see `lackOf`. */
export function plannedChange(step: Step, answer: Answer, lack?: string): PlannedChange | undefined {
  const finding = findingOf(step, answer);
  if (finding === undefined) return undefined;
  const said = [finding.message, lack].filter((part) => part !== undefined && part !== '').join('; ');
  return objectChange({ ...finding, ...(said === '' ? {} : { message: said }), secretFields: SECRET_FIELDS });
}

/** What stands in the way of a roll-out, besides the changes. */
function obstacle({ finding }: Plan): string | undefined {
  const [first] = [finding.violation, ...finding.rejected, finding.missing].filter((each) => each !== undefined);
  return first?.message;
}

/** A missing object that a child refers to which is written, now or later; undefined: there is none. */
export function lackOf(step: Step, { missing }: Pick<Plan, 'missing'>): string | undefined {
  const isWritten = step.op === 'create' || step.op === 'update' || 'later' in step;
  return isWritten ? missing.get(step.entry.path) : undefined;
}

/** Waits are the only steps that an entry has and that say why. */
function waits(plan: Plan): string[] {
  return plan.steps.flatMap((step) => {
    if (step.op !== 'wait') return [];
    const lack = lackOf(step, plan);
    return [`${step.entry.path} waits: ${step.why}${lack === undefined ? '' : `; ${lack}`}`];
  });
}

/** What is said of the whole. The command that approves held removals comes last, and is never shortened. */
function actionOf(plan: Plan): string | undefined {
  const { finding } = plan;
  const texts = [obstacle(plan), ...(finding.warnings ?? []), ...waits(plan)].filter((text) => text !== undefined);
  const others = shortened(texts.join('; '), MAX_OTHERS);
  const all = [others, finding.held?.message ?? ''].filter((text) => text !== '');
  return all.length === 0 ? undefined : all.join('; ');
}

/** The status of an Application in a dry run: everything but the change set stays. `nowMs` is epoch milliseconds. */
export function concludeDryRun(plan: Plan, answers: ReadonlyMap<Step, Answer>, nowMs: number): Conclusion {
  const { application, finding, steps } = plan;
  const before = application.status ?? {};
  const moment = { generation: application.metadata.generation ?? 0, now: timestamp(nowMs) };
  const changes = steps.flatMap((step) => plannedChange(step, answers.get(step), lackOf(step, plan)) ?? []);
  const computed = {
    changes,
    unchanged: steps.length - changes.length,
    observedGeneration: moment.generation,
    now: moment.now,
    action: actionOf(plan),
  };
  const dryRun = changeSet(computed, before.dryRun);
  const { violation } = finding;
  const report: Report =
    violation === undefined
      ? reportOf(dryRun)
      : { status: 'False', reason: violation.reason, message: violation.message };
  const status = {
    ...omit(before, 'dryRun'),
    ...(violation === undefined ? { dryRun } : {}),
    conditions: reported(before.conditions ?? [], report, moment),
  };
  if (isEqual(status, application.status)) return { application, metadata: undefined, status: undefined, events: [] };
  const type = report.status === 'True' ? 'Normal' : 'Warning';
  const { reason, message } = report;
  const events = isNews(before.conditions, report) ? [{ type, reason, message } as const] : [];
  return { application, metadata: undefined, status, events };
}

/** A child as it is once it was installed: one that is installed once is left alone from then on. */
export function installed(child: Child): Child {
  return isOnce(child) ? merge({}, child, unmanagement(child)) : child;
}

/** Steps that wait, e.g. until another child is deleted, are done in the end; without an accepted entry, nothing is. */
function inTheEnd(step: Step): Step {
  if (step.op !== 'wait' || step.later === undefined) return step;
  const { entry, later: object, live, why } = step;
  if (live === undefined) return { op: 'create', entry, object, why };
  return { op: 'update', entry, object, live, why, isAdoption: false };
}

/** The child that a step creates or updates in the end; undefined: none. */
export function comesTo(given: Step): Child | undefined {
  const step = inTheEnd(given);
  return step.op === 'create' || step.op === 'update' ? step.object : undefined;
}

/** Its digest follows from the rest. */
function withoutDigest(child: Child): Child {
  const { metadata } = child;
  return { ...child, metadata: { ...metadata, annotations: omit(metadata.annotations, APPLIED_DIGEST_ANNOTATION) } };
}

/** As the host stores it: all of a child is of one who applies it. */
function answerTo(step: Step): Answer {
  if (step.op === 'create') return { live: undefined, next: step.object };
  return step.op === 'update' ? { live: withoutDigest(step.live), next: withoutDigest(step.object) } : undefined;
}

function clusterOf(step: Step): string {
  return 'entry' in step ? step.entry.clusterName : clusterNameOf(step.live);
}

/** The changes of children by a plan, whatever it waits for: those that change, each with its cluster. */
export function eventualChanges(steps: readonly Step[]): Finding[] {
  return steps.flatMap((each) => {
    const step = inTheEnd(each);
    const finding = findingOf(step, answerTo(step));
    return finding === undefined ? [] : [{ ...finding, message: `on ${clusterOf(step)}: ${finding.message ?? ''}` }];
  });
}
