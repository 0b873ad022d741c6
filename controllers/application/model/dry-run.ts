import isEqual from 'lodash/isEqual.js';
import omit from 'lodash/omit.js';
import type { PlannedChange } from '#api/dry-run.js';
import type { Application, ApplicationStatus } from '#api/v1alpha1/application.js';
import { changeSet, objectChange, type Finding } from '#controllers/dry-run/change-set.js';
import { isNews, reported, reportOf, type Report } from '#controllers/dry-run/report.js';
import { timestamp } from '../../runtime/pure/conditions.js';
import type { Plan } from './decide.js';
import type { NewEvent } from './events.js';
import { leftUnchanged, shortened } from './messages.js';
import type { Child } from './types.js';
import type { Step } from './verdicts.js';

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

function spared({ live, why, hold }: Extract<Step, { op: 'spare' }>): Finding | undefined {
  if (hold === undefined) return undefined;
  return { action: 'held', object: live, message: leftUnchanged(why) };
}

/** What becomes of a child by a step; undefined: it stays unchanged. */
export function findingOf(step: Step, answer: Answer): Finding | undefined {
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
    case 'spare':
      return spared(step);
    case 'wait':
    case 'keep':
      return undefined;
  }
}

/** A step as a change set lists it; undefined: its child stays unchanged. */
export function plannedChange(step: Step, answer: Answer): PlannedChange | undefined {
  const finding = findingOf(step, answer);
  return finding && objectChange({ ...finding, secretFields: SECRET_FIELDS });
}

/** What stands in the way of a roll-out, besides the changes. */
function obstacle({ finding }: Plan): string | undefined {
  const [first] = [finding.violation, ...finding.rejected, finding.missing].filter((each) => each !== undefined);
  return first?.message;
}

/** The result of a dry run of an Application. */
export interface DryRunConclusion {
  readonly application: Application;
  /** Undefined: nothing has changed. */
  readonly status: ApplicationStatus | undefined;
  readonly events: readonly NewEvent[];
}

/** Waits are the only steps that an entry has and that say why. */
function waits(steps: readonly Step[]): string[] {
  return steps.flatMap((step) => (step.op === 'wait' ? [`${step.entry.path} waits: ${step.why}`] : []));
}

/** What is said of the whole. The command that approves held removals comes last, and is never shortened. */
function actionOf(plan: Plan): string | undefined {
  const { finding, steps } = plan;
  const texts = [obstacle(plan), ...(finding.warnings ?? []), ...waits(steps)].filter((text) => text !== undefined);
  const others = shortened(texts.join('; '), MAX_OTHERS);
  const all = [others, finding.held?.message ?? ''].filter((text) => text !== '');
  return all.length === 0 ? undefined : all.join('; ');
}

/** The status of an Application in a dry run: everything but the change set stays. `nowMs` is epoch milliseconds. */
export function concludeDryRun(plan: Plan, answers: ReadonlyMap<Step, Answer>, nowMs: number): DryRunConclusion {
  const { application, finding, steps } = plan;
  const before = application.status ?? {};
  const moment = { generation: application.metadata.generation ?? 0, now: timestamp(nowMs) };
  const changes = steps.flatMap((step) => plannedChange(step, answers.get(step)) ?? []);
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
  if (isEqual(status, application.status)) return { application, status: undefined, events: [] };
  const type = report.status === 'True' ? 'Normal' : 'Warning';
  const { reason, message } = report;
  return { application, status, events: isNews(before.conditions, report) ? [{ type, reason, message }] : [] };
}
