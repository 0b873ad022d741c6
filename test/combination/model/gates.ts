import type { ApplicationMemory } from './applications.js';
import { isRolloutPaused } from './objects.js';
import type { RolloutMemory, StageView } from './rollout.js';
import type { RuleName } from './rules.js';
import { amountOf } from './stages.js';

/** All that tells whether something may start in a stage. */
export interface StageQuestion {
  readonly application: Pick<ApplicationMemory, 'approvals' | 'object'>;
  readonly rollout: RolloutMemory;
  readonly atMs: number;
  readonly views: readonly StageView[];
  /** The stage itself, and those before it. */
  readonly own: StageView;
  readonly earlier: readonly StageView[];
}

/** Why nothing starts in a stage. */
interface Gate {
  readonly rule: RuleName;
  /** False if the stage may have begun before, so that this does not matter. */
  readonly isCertain: boolean;
}

function isApproved({ application, rollout }: StageQuestion, stage: string, isUnproven: boolean): boolean {
  const given = application.approvals.filter((each) => each.revision === rollout.revision && each.stage === stage);
  return given.some((each) => each.isUnproven || !isUnproven);
}

/** Destinations that took no part are updated in stages once they are resumed, however far the rollout is. */
function isResuming({ rollout }: StageQuestion, { members }: StageView): boolean {
  return members.some(({ key, state }) => state === 'pending' && rollout.resting.has(key));
}

/** An earlier stage without a proof is passed by an approval that says so, of a later stage up to this one. */
function isPassed(question: StageQuestion, view: StageView): boolean {
  if (isResuming(question, view)) return false;
  if (question.rollout.passed.has(view.stage.name)) return true;
  const { views, own } = question;
  const later = views.slice(views.indexOf(view) + 1, views.indexOf(own) + 1);
  const isWaived = later.some(({ stage }) => isApproved(question, stage.name, true));
  const active = view.members.filter(
    (member) => (member.state === 'pending' && !member.mayBeRejected) || member.state === 'failed',
  );
  // A member that may be rejected holds no stage that others have proven.
  const mayBeProven = view.members.some((member) => member.mayBeRejected) && view.isProven;
  return (isWaived || mayBeProven) && !view.isOver && active.length === 0;
}

/** True if the `bakeTime` of a stage has passed, or does not matter yet. */
export function isBaked({ rollout, atMs }: StageQuestion, { stage }: StageView): boolean {
  const since = rollout.passed.get(stage.name);
  return since === undefined || atMs - since >= stage.bakeMs;
}

const isZero = (amount: string | number | undefined): boolean => amount !== undefined && amountOf(amount, 100) === 0;

/** True if a stage that names or selects clusters has none: then no stage begins, and no rollout is complete. */
export const hasEmptyStage = (views: readonly StageView[]): boolean =>
  views.some(({ stage, members }) => stage.isSelective && members.length === 0);

/** Why nothing starts in a stage, whether it has begun or not. */
function stop({ application, own, earlier }: StageQuestion): RuleName | undefined {
  const goesOn = application.object.spec.rollout?.onFailure === 'Continue';
  if (isRolloutPaused(application.object)) return 'rolloutPaused';
  if (isZero(own.stage.maxConcurrent) || isZero(own.stage.maxUnavailable)) return 'zeroLimit';
  return !goesOn && [...earlier, own].some(({ isOver }) => isOver) ? 'failures' : undefined;
}

/** Why a stage does not begin. */
function wait(question: StageQuestion): RuleName | undefined {
  const { views, earlier } = question;
  if (hasEmptyStage(views)) return 'emptyStage';
  const open = earlier.filter((view) => !isPassed(question, view));
  if (open.length > 0) return open.every((view) => isResuming(question, view)) ? 'resumedInStages' : 'inStages';
  return earlier.every((view) => isBaked(question, view)) ? undefined : 'bakeTime';
}

/** The things that a stage waits for although it has begun: destinations that took no part before are updated in stages. */
function waitAgain(question: StageQuestion): RuleName | undefined {
  return question.earlier.some((view) => isResuming(question, view)) ? 'resumedInStages' : undefined;
}

/** Why nothing starts in a stage; undefined: it may. */
export function gateOf(question: StageQuestion): Gate | undefined {
  const { own, rollout } = question;
  const stopped = stop(question);
  if (stopped !== undefined) return { rule: stopped, isCertain: true };
  const again = waitAgain(question);
  if (again !== undefined) return { rule: again, isCertain: true };
  const hasBegun = rollout.wasComplete === true || (rollout.begun.get(own.stage.name) ?? rollout.wasComplete);
  const waits = hasBegun === true ? undefined : wait(question);
  if (waits !== undefined) return { rule: waits, isCertain: hasBegun === undefined };
  const isAsked = own.stage.needsApproval && !isApproved(question, own.stage.name, false);
  return isAsked ? { rule: 'approval', isCertain: true } : undefined;
}
