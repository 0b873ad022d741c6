import omit from 'lodash/omit.js';
import pick from 'lodash/pick.js';
import sumBy from 'lodash/sumBy.js';
import type { Application } from '#api/v1alpha1/application.js';
import { approvalOf, approveStageCommand, retryRolloutCommand } from '#api/v1alpha1/approve-command.js';
import type { ApplicationReason } from '#api/v1alpha1/conditions.js';
import type { RolloutStatus } from '#api/v1alpha1/rollout.js';
import { defined } from '#lib/plain.js';
import { classOf, exceedsFailures, isIdle, isSettled, unprovenProblem, unreachableProblem } from './budgets.js';
import { shortened } from '../child/messages.js';
import type { Violation } from '../child/types.js';
import { causeOf, failuresOf, type Stage } from './record.js';
import { idOf, retryOf } from './requests.js';
import { quoted } from './stages.js';
import type {
  Hold,
  HoldCause,
  Rollout,
  RolloutPhase,
  RolloutRecord,
  RolloutSpec,
  StageStatus,
  Target,
} from './types.js';

/** A destination of the stage that is rolled back must still be sent to the previous revision. */
export function mustGoBack({ state, isAtPrevious, hasPrevious }: Target): boolean {
  return !isAtPrevious && hasPrevious && (state === 'updating' || state === 'ready' || state === 'failed');
}

/** A stage that is rolled back has destinations that are not Ready at the previous revision yet, and will be. */
export function isRollingBack({ members }: Stage): boolean {
  return members.some((target) => {
    if (['left', 'rejected', 'unreachable'].includes(classOf(target))) return false;
    return mustGoBack(target) || (target.isAtPrevious && !target.isAvailable && !target.isFailed);
  });
}

/** What is known of a stage once all is decided. */
export interface StageView {
  readonly stage: Stage;
  /** Why nothing of it is started. */
  readonly hold: Hold | undefined;
  /** Why its outdated destinations wait, although the rollout is complete. */
  readonly resumed?: Hold | undefined;
  /** Why it did not begin. */
  readonly gate: Hold | undefined;
  readonly bake: Hold | undefined;
  /** It is rolled back. */
  readonly isBack: boolean;
  /** True if the stage needs no proof. Default: false. */
  readonly isWaived?: boolean;
}

/** The same for all stages. */
export interface Common {
  readonly record: RolloutRecord;
  readonly spec: RolloutSpec;
  /** Why nothing moves. */
  readonly pause: Hold | undefined;
}

interface Verdict {
  readonly phase: RolloutPhase;
  readonly why: string;
  readonly approval?: string;
}

const PHASES: Readonly<Partial<Record<HoldCause, RolloutPhase>>> = {
  Approval: 'AwaitingApproval',
  Window: 'AwaitingWindow',
  Paused: 'Paused',
};

function heldVerdict({ cause, why, approval }: Hold): Verdict {
  return { phase: PHASES[cause] ?? 'Pending', why, ...defined({ approval }) };
}

function countText(count: number, what: 'being updated' | 'rejected' | 'unreachable'): string[] {
  return count === 0 ? [] : [`${count} ${count === 1 ? 'destination is' : 'destinations are'} ${what}`];
}

function failedText(count: number): string[] {
  return count === 0 ? [] : [`${count} ${count === 1 ? 'destination' : 'destinations'} failed`];
}

function readyOf({ tally: { ready, total, rejected = 0 } }: Stage): string {
  if (total === 0) return 'it has no destinations';
  return [`${ready} of ${total} destinations are ready`, ...countText(rejected, 'rejected')].join(', ');
}

function unprovenText(stage: Stage, spec: RolloutSpec): string | undefined {
  const problem = unprovenProblem(stage.tally, spec);
  return problem && `it proves nothing: ${problem}${causeOf(stage, 'rejected')}`;
}

function openVerdict(stage: Stage, spec: RolloutSpec): Verdict {
  const problems = [unreachableProblem(stage.tally, spec), unprovenText(stage, spec)].filter(
    (text) => text !== undefined,
  );
  return { phase: 'Progressing', why: problems.length === 0 ? readyOf(stage) : problems.join('; ') };
}

/** Of the stages that are rolled back. */
function rolledBackVerdict(stages: readonly Stage[], { record, pause }: Common): Verdict {
  const { to, why = '' } = record.rolledBack ?? {};
  if (to === undefined || !stages.some(isRollingBack)) return { phase: 'RolledBack', why };
  return { phase: 'RollingBack', why: pause === undefined ? why : `${why}; ${pause.why}` };
}

/** Of a stage that began. */
function begunVerdict({ stage, bake, isWaived, ...holds }: StageView, spec: RolloutSpec): Verdict {
  const hold = holds.hold ?? holds.resumed;
  if (bake !== undefined) {
    const problem = unprovenText(stage, spec);
    const after = problem === undefined ? '' : `; but ${problem}`;
    return { phase: 'Baking', why: `all is settled, and its bakeTime has not passed${after}` };
  }
  if (isSettled(stage.tally, spec, isWaived)) return { phase: 'Complete', why: readyOf(stage) };
  return hold === undefined || stage.tally.updating > 0 ? openVerdict(stage, spec) : heldVerdict(hold);
}

function verdictOf(view: StageView, common: Common): Verdict {
  const { stage, hold, gate, isBack } = view;
  const { record, spec } = common;
  if (isBack) return rolledBackVerdict([stage], common);
  if (record.completedAt !== undefined && stage.tally.waiting === 0) return { phase: 'Complete', why: readyOf(stage) };
  if (exceedsFailures(stage.tally, spec)) return { phase: 'Halted', why: failuresOf(stage).why };
  return gate === undefined ? begunVerdict(view, spec) : heldVerdict(hold ?? gate);
}

export function stageStatus(view: StageView, common: Common): StageStatus {
  const { stage } = view;
  return { name: stage.spec.name, ...stage.tally, ...verdictOf(view, common) };
}

export interface Whole extends Common {
  readonly views: readonly StageView[];
  readonly statuses: readonly StageStatus[];
  readonly failing: Stage | undefined;
  readonly blocked: Hold | undefined;
}

/** The phase of a rollout that is neither rolled back nor complete: that of its first stage that is not complete. */
function currentVerdict({ record, statuses, failing, pause, blocked }: Whole): Verdict {
  if (pause !== undefined) return heldVerdict(pause);
  if (failing !== undefined && record.completedAt === undefined)
    return { phase: 'Halted', why: failuresOf(failing).why };
  // A stage that waits for an approval is reported first, even if an earlier one is incomplete because it proves
  // nothing.
  const asking = statuses.find(({ phase }) => phase === 'AwaitingApproval');
  const open = asking ?? statuses.find(({ phase }) => phase !== 'Complete');
  if (open === undefined) return { phase: 'Progressing', why: blocked?.why ?? '' };
  return { phase: open.phase, why: `stage ${quoted(open.name)}: ${open.why}` };
}

/** All were installed once, so nothing is ever rolled out to them. */
function isForGood(stages: readonly Stage[]): boolean {
  return stages.every(({ members }) => members.every(({ isOnce }) => isOnce === true));
}

/** The phase of the whole rollout. */
export function rolloutVerdict(whole: Whole): Verdict {
  const { record, views, statuses, blocked, failing } = whole;
  const { rolledBack, completedAt } = record;
  const back = views.filter(({ isBack }) => isBack).map(({ stage }) => stage);
  if (rolledBack !== undefined) return rolledBackVerdict(back, whole);
  const all = views.map(({ stage }) => stage);
  if (failing === undefined && isIdle(all))
    return { phase: isForGood(all) ? 'Complete' : 'Pending', why: blocked?.why ?? '' };
  const isOver = completedAt !== undefined && statuses.every(({ waiting }) => waiting === 0);
  if (!isOver) return currentVerdict(whole);
  const rejected = sumBy(statuses, (each) => each.rejected ?? 0);
  const missing = [
    ...countText(sumBy(statuses, 'updating'), 'being updated'),
    ...failedText(sumBy(statuses, 'failed')),
    ...countText(rejected, 'rejected'),
    ...countText(sumBy(statuses, 'unreachable'), 'unreachable'),
  ];
  const but = missing.length === 0 ? '' : `, but ${missing.join(' and ')}`;
  return { phase: 'Complete', why: `it is rolled out${but}` };
}

const MAX_MESSAGE = 300;

/** Beside its revision, its start and its stages. */
const REMEMBERED = ['completedAt', 'rolledBack', 'lastGood', 'failing', 'updating', 'retried', 'aborted'] as const;

/** The record of a rollout, in the status. */
export function recordIn(status: RolloutStatus | undefined): RolloutRecord | undefined {
  if (status === undefined) return undefined;
  const begun = status.stages.filter(({ startedAt }) => startedAt !== undefined);
  const stages = begun.map((stage) => pick(stage, 'name', 'startedAt', 'settledAt', 'unasked'));
  return { ...pick(status, 'revision', 'id', 'startedAt', ...REMEMBERED), stages };
}

function stageOf({ why, ...stage }: StageStatus, { stages }: RolloutRecord): RolloutStatus['stages'][number] {
  const { startedAt, settledAt, unasked } = stages.find(({ name }) => name === stage.name) ?? {};
  return {
    ...omit(stage, 'updated', 'failures', 'once', 'aside', 'gone'),
    ...defined({ startedAt, settledAt, unasked }),
    message: shortened(why, MAX_MESSAGE),
  };
}

/** The status of a rollout. */
function rolloutStatusOf({ record, stages, phase, why }: Rollout): RolloutStatus {
  return {
    ...omit(record, 'stages', 'failing', 'updating'),
    ...defined({
      failing: record.failing && [...record.failing],
      updating: record.updating && [...record.updating],
    }),
    phase,
    message: shortened(why, MAX_MESSAGE),
    stages: stages.map((stage) => stageOf(stage, record)),
  };
}

const REASONS: Readonly<Partial<Record<RolloutPhase, ApplicationReason>>> = {
  Complete: 'RolledOut',
  RollingBack: 'RolledBack',
  RolledBack: 'RolledBack',
  Halted: 'RolloutHalted',
  Paused: 'RolloutPaused',
  AwaitingApproval: 'RolloutAwaitingApproval',
};

/** How far a rollout is, for the condition RolledOut. */
export interface RolloutFinding extends Violation {
  readonly status: 'True' | 'False';
}

/** The command that a rollout waits for. */
function howToGoOn({ metadata }: Application, { stages, record, phase }: Rollout): string {
  // Failed destinations that are pinned, paused or gone may never become Ready.
  const isStuck = record.completedAt === undefined && stages.some(({ aside }) => aside !== undefined);
  if (record.rolledBack !== undefined || (phase === 'Halted' && isStuck))
    return `; retry: ${retryRolloutCommand(metadata, retryOf(record))}`;
  const waiting = stages.find(({ phase }) => phase === 'AwaitingApproval');
  if (waiting === undefined) return '';
  return `; approve: ${approveStageCommand(metadata, waiting.approval ?? approvalOf(waiting.name, idOf(record)))}`;
}

function rolloutFinding(application: Application, rollout: Rollout): RolloutFinding {
  const { phase, why, record } = rollout;
  const reason = REASONS[phase] ?? 'RolloutProgressing';
  const message = `revision ${record.revision}: ${shortened(why, MAX_MESSAGE)}${howToGoOn(application, rollout)}`;
  return { status: phase === 'Complete' ? 'True' : 'False', reason, message };
}

/** The earlier revision that all are pinned to; `isReady`: it is seen to work. */
export interface PinnedTo {
  readonly revision: number;
  readonly isReady: boolean;
}

/**
 * A revision that the user went back from is not one to go back to. The one that all are pinned to is once they are
 * Ready: it may be one that failed before.
 */
function lastGoodOf({ lastGood }: RolloutStatus, pinned: PinnedTo | undefined): Pick<RolloutStatus, 'lastGood'> {
  if (pinned === undefined || (lastGood !== undefined && lastGood <= pinned.revision)) return defined({ lastGood });
  return pinned.isReady ? { lastGood: pinned.revision } : {};
}

/**
 * Status and conditions of a rollout. While all destinations are pinned, only the last good revision is remembered.
 * `pinned`: its revision, if that is kept.
 */
export function rolloutFields(
  application: Application,
  rollout: Rollout | undefined,
  pinned?: PinnedTo,
): { rollout?: RolloutStatus | undefined; rolledOut?: RolloutFinding } {
  if (rollout !== undefined)
    return { rollout: rolloutStatusOf(rollout), rolledOut: rolloutFinding(application, rollout) };
  const before = application.status?.rollout;
  if (application.spec.rollout === undefined || before === undefined) return {};
  // A rollout that goes on after the pins begins at the first stage.
  const message = 'the Application is pinned to an earlier revision';
  const rest = { ...omit(before, 'completedAt', 'updating', 'lastGood'), ...lastGoodOf(before, pinned) };
  return { rollout: { ...rest, stages: [], phase: 'Paused', message } };
}
