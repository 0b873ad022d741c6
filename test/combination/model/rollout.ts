import type { Rollout } from '#api/v1alpha1/rollout.js';
import { currentOf, type ApplicationMemory, type Revision } from './applications.js';
import type { Act, ApplicationName, Moment } from './facts.js';
import { gateOf, hasEmptyStage, isBaked } from './gates.js';
import { textOf } from './layers.js';
import { membersOf, type Member } from './members.js';
import { amountOf, stagesOf, type Stage } from './stages.js';
import type { Memory } from './story.js';

/** A stage, or the whole rollout, went back to an earlier revision. */
interface WayBack {
  /** Undefined: all stages. */
  readonly stage?: string | undefined;
  /** False if the controllers may not have seen why, or something may have ended it since. */
  readonly isCertain: boolean;
  /** The spec at that time. */
  readonly spec: string;
}

/** A revision that was rolled out completely. */
interface Good {
  readonly revision: Revision;
  /** False if that may have been too short for the controllers to see. */
  readonly isCertain: boolean;
}

/** The model's memory of the rollout of an Application's current revision. */
export interface RolloutMemory {
  readonly revision: Revision;
  readonly uid: string | undefined;
  /** The newest commit when the revision began. */
  readonly head: string | undefined;
  /** The names of stages that have begun; false: the controllers may not have seen that. */
  readonly begun: ReadonlyMap<string, boolean>;
  /** True once it was complete: then nothing keeps a stage from beginning; false: the controllers may not have seen that. */
  readonly wasComplete?: boolean | undefined;
  /** True once the controllers have seen that it is not complete. What all have already is complete at once. */
  readonly isOpen?: boolean | undefined;
  /** Stages that were passed, and when. */
  readonly passed: ReadonlyMap<string, number>;
  /** Targets that failed and were not Ready since: their keys, each with the stage of that time. */
  readonly failing: ReadonlyMap<string, string>;
  /** Targets that had failed before a retry, and have failed since. */
  readonly forgiven: ReadonlySet<string>;
  /** Targets that took no part and were not Ready with the revision since: their keys. */
  readonly resting: ReadonlySet<string>;
  readonly back?: WayBack | undefined;
  readonly isComplete: boolean;
  /** Oldest first. */
  readonly good: readonly Good[];
}
export type Rollouts = ReadonlyMap<ApplicationName, RolloutMemory>;

type Known = Omit<Memory, 'rollouts'>;

/** State of a stage, summed up over all its members. */
export interface StageView {
  readonly stage: Stage;
  readonly members: readonly Member[];
  /** True if more failed than `failureBudget` allows, or all that can be reached. */
  readonly isOver: boolean;
  /** True if every member is Ready, or failed or unreachable within the budgets. */
  readonly isSettled: boolean;
  /** True if a member is Ready with the revision, or none is needed. */
  readonly isProven: boolean;
}

const takesPart = ({ state }: Member): boolean => ['ready', 'failed', 'pending'].includes(state);

function unreachableAllowed({ unreachableBudget }: Rollout, total: number): number {
  return unreachableBudget === undefined ? total - 1 : amountOf(unreachableBudget, total);
}

function isProven(rollout: Rollout, members: readonly Member[]): boolean {
  const goesAnyway = rollout.unreachableBudget !== undefined && members.every(({ state }) => state === 'unreachable');
  const needsNone = members.every(({ state }) => state === 'once') || rollout.onFailure === 'Continue';
  return goesAnyway || needsNone || members.some(({ state }) => state === 'ready');
}

/** How a stage stands. What failed counts in the stage that it was in, also when it is gone. */
function viewOf(
  rollout: Rollout,
  stage: Stage,
  members: readonly Member[],
  failing: RolloutMemory['failing'],
): StageView {
  const total = members.length;
  const failures = [...failing.values()].filter((name) => name === stage.name).length;
  const active = members.filter(takesPart);
  const haveAllFailed = failures > 0 && active.every(({ key }) => failing.has(key));
  const isOver = failures > amountOf(rollout.failureBudget ?? 0, total) || haveAllFailed;
  const unreachable = members.filter(({ state }) => state === 'unreachable').length;
  const isDone = active.every(({ key, state }) => state === 'ready' || failing.has(key));
  const isSettled = isDone && (total === 0 || unreachable <= unreachableAllowed(rollout, total));
  return { stage, members, isOver, isSettled, isProven: isProven(rollout, members) };
}

/** How all stages stand, in order. */
export function viewsOf(
  application: ApplicationMemory,
  known: Known,
  failing: RolloutMemory['failing'],
  members = membersOf(application, known),
): StageView[] {
  const { rollout = {} } = application.object.spec;
  return stagesOf(rollout).map((stage) =>
    viewOf(
      rollout,
      stage,
      members.filter((member) => member.stage === stage.name),
      failing,
    ),
  );
}

function begun(application: ApplicationMemory, { good, head }: Pick<RolloutMemory, 'good' | 'head'>): RolloutMemory {
  return {
    head,
    revision: currentOf(application),
    uid: application.object.metadata.uid,
    begun: new Map(),
    passed: new Map(),
    failing: new Map(),
    forgiven: new Set(),
    resting: new Set(),
    isComplete: false,
    good,
  };
}

/** A retry forgets what failed. What is still Failed at that moment counts again only after it was tried. */
function retried(application: ApplicationMemory, before: RolloutMemory): RolloutMemory {
  return { ...begun(application, before), forgiven: new Set(before.failing.keys()) };
}

/** The memory after what the user did: a retry, an abort, or the end of a pin. */
function withAct(before: RolloutMemory, application: ApplicationMemory, act: Act): RolloutMemory {
  const { revision, isComplete } = before;
  switch (act.do) {
    case 'retry':
      return act.revision >= revision.since ? retried(application, before) : before;
    case 'abort': {
      const back = { isCertain: !isComplete, spec: textOf(application.object.spec) };
      return act.revision >= revision.since ? { ...before, back } : before;
    }
    case 'unpin':
      return act.cluster === undefined
        ? {
            ...before,
            begun: new Map(),
            wasComplete: undefined,
            passed: new Map(),
            resting: new Set(),
            isComplete: false,
          }
        : before;
    default:
      return before;
  }
}

/** Adds what takes no part, and forgets what does and is not waiting. */
function restingNow({ resting }: RolloutMemory, members: readonly Member[]): ReadonlySet<string> {
  const after = new Set(resting);
  for (const { key, state } of members) {
    if (state === 'left') after.add(key);
    else if (state !== 'pending') after.delete(key);
  }
  return after;
}

/** Adds what failed, and forgets what became Ready. Nothing else makes a failure good. */
function withFailures(before: RolloutMemory, members: readonly Member[], { targets }: Known): RolloutMemory {
  const failing = new Map(before.failing);
  const forgiven = new Set(before.forgiven);
  for (const { key, stage, state, destination } of members) {
    const run = targets.get(key)?.run;
    const isReady = run?.state === 'Ready' && run.content === destination.content;
    if (isReady) failing.delete(key);
    if (state !== 'failed') forgiven.delete(key);
    else if (!forgiven.has(key)) failing.set(key, failing.get(key) ?? stage);
  }
  return { ...before, failing, forgiven, resting: restingNow(before, members) };
}

/** True if a newer commit may be a revision of its own, which begins once this one is rolled back. */
function mayBeNewer({ head, revision }: RolloutMemory, { world }: Moment): boolean {
  return revision.wish.kind === 'Kustomization' && head !== world.head;
}

function wayBack(before: RolloutMemory, application: ApplicationMemory, views: StageView[], moment: Moment) {
  const { spec } = application.object;
  const { back } = before;
  if (back !== undefined && mayBeNewer(before, moment)) return { ...back, isCertain: false };
  if (back?.isCertain === true) return back.spec === textOf(spec) ? back : { ...back, isCertain: false };
  const over = spec.rollout?.onFailure === 'Rollback' ? views.find(({ isOver }) => isOver) : undefined;
  if (over === undefined) return back;
  return { stage: over.stage.name, isCertain: moment.isSettled && !before.isComplete, spec: textOf(spec) };
}

/** True if the stage no longer keeps the next one from beginning, apart from approvals and time. */
const isPassed = (rollout: Rollout | undefined, { isSettled, isOver, isProven: proven }: StageView): boolean =>
  isSettled && proven && (!isOver || rollout?.onFailure === 'Continue');

function isCompleteNow(views: readonly StageView[], rollout: Rollout | undefined): boolean {
  const isOut = (view: StageView): boolean =>
    isPassed(rollout, view) || view.members.every(({ state }) => !['pending', 'failed'].includes(state));
  return views.every(isOut) && views.some(({ members }) => members.some(({ state }) => state === 'ready'));
}

/** True if it is complete without those that may be rejected. */
function mayBeComplete({ failing }: RolloutMemory, application: ApplicationMemory, known: Known): boolean {
  const members = membersOf(application, known).map((member): Member => {
    return member.mayBeRejected && member.state === 'pending' ? { ...member, state: 'rejected' } : member;
  });
  return isCompleteNow(viewsOf(application, known, failing, members), application.object.spec.rollout);
}

function withGood({ good, revision }: RolloutMemory, isCertain: boolean): readonly Good[] {
  const wasCertain = good.some((each) => each.revision === revision && each.isCertain);
  return [...good.filter((each) => each.revision !== revision), { revision, isCertain: isCertain || wasCertain }];
}

function goodNow(now: RolloutMemory, application: ApplicationMemory, known: Known): readonly Good[] {
  if (now.isComplete) return withGood(now, application.object.spec.rollout !== undefined && known.moment.isSettled);
  return now.back === undefined && mayBeComplete(now, application, known) ? withGood(now, false) : now.good;
}

/** A revision that a pin of all destinations went back from is not good any more; that of the pin is. */
function withoutLeft(memory: RolloutMemory, { pin, object }: ApplicationMemory, isSettled: boolean): RolloutMemory {
  const pinned = pin?.revision;
  const isBack = pinned !== undefined && memory.good.some(({ revision }) => revision.since > pinned.since);
  if (!isBack || object.spec.rollout === undefined || pinned === memory.revision) return memory;
  const older = memory.good.filter(({ revision }) => revision.since < pinned.since);
  if (isSettled && pin?.isDoubtful !== true)
    return { ...memory, good: [...older, { revision: pinned, isCertain: true }] };
  const open = [...memory.good, { revision: pinned, isCertain: false }];
  return { ...memory, good: open.map((each) => ({ ...each, isCertain: false })) };
}

function started(before: RolloutMemory | undefined, application: ApplicationMemory, { act, world }: Moment) {
  const isSame = before?.revision === currentOf(application) && before.uid === application.object.metadata.uid;
  const memory = isSame ? before : begun(application, { good: before?.good ?? [], head: world.head });
  const isMeant = act !== undefined && 'application' in act && act.application === application.name;
  return isMeant ? withAct(memory, application, act) : memory;
}

/** Whether it is or was complete; see `wasComplete`. */
function completeness(now: RolloutMemory, isOut: boolean, { isSettled }: Moment): boolean | undefined {
  if (isOut && isSettled) return true;
  return now.wasComplete ?? (now.isComplete && (isOut || now.isOpen !== true) ? false : undefined);
}

/** Adds the stages that begin now, and whether all is rolled out. */
function withBegun(now: RolloutMemory, application: ApplicationMemory, views: readonly StageView[], moment: Moment) {
  if (now.back !== undefined || application.object.spec.rollout === undefined) return now;
  const begun = new Map(now.begun);
  const questions = views.map((own, index) => {
    return { application, rollout: now, atMs: moment.atMs, views, own, earlier: views.slice(0, index) };
  });
  for (const question of questions) {
    const { name } = question.own.stage;
    if (gateOf(question) === undefined) begun.set(name, moment.isSettled || begun.get(name) === true);
  }
  const isOut = now.isComplete && !hasEmptyStage(views) && questions.every((each) => isBaked(each, each.own));
  const isOpen = now.isOpen === true || (moment.isSettled && !now.isComplete);
  return { ...now, begun, wasComplete: completeness(now, isOut, moment), isOpen };
}

function rememberRollout(before: RolloutMemory | undefined, application: ApplicationMemory, known: Known) {
  const { moment } = known;
  const { rollout } = application.object.spec;
  const begins = withoutLeft(started(before, application, moment), application, moment.isSettled);
  const told = withFailures(begins, membersOf(application, known), known);
  const views = viewsOf(application, known, told.failing);
  const passed = new Map(told.passed);
  for (const view of views) {
    // A rollout that is complete already has nothing to prove in a new stage.
    const since = told.isComplete ? -Infinity : moment.atMs;
    if (isPassed(rollout, view) && !passed.has(view.stage.name)) passed.set(view.stage.name, since);
  }
  const back = wayBack(told, application, views, moment);
  const isComplete = back === undefined && isCompleteNow(views, rollout);
  const next = withBegun({ ...told, passed, back, isComplete }, application, views, moment);
  const good = goodNow(next, application, known);
  return isComplete ? { ...next, failing: new Map<string, string>(), good } : { ...next, good };
}

/** Updates the memory of all rollouts with one more moment. */
export function rememberRollouts(before: Rollouts, known: Known): Rollouts {
  const living = [...known.applications.values()].filter(({ exists }) => exists);
  return new Map(living.map((each) => [each.name, rememberRollout(before.get(each.name), each, known)]));
}

/** The revisions that a rollout may go back to: the last one that was rolled out for certain, and later ones. */
export function goodRevisions({ good, revision }: RolloutMemory): Revision[] {
  const earlier = good.filter((each) => each.revision !== revision);
  const last = earlier.findLastIndex(({ isCertain }) => isCertain);
  return earlier.slice(Math.max(last, 0)).map((each) => each.revision);
}
