import sumBy from 'lodash/sumBy.js';
import { defined } from '#lib/plain.js';
import {
  byUrgency,
  classOf,
  exceedsFailures,
  isSettled,
  Places,
  unprovenProblem,
  unreachableProblem,
} from './budgets.js';
import { causeOf, failuresOf, isIdle, type Stage } from './record.js';
import { quoted } from './stages.js';
import type { Hold, HoldCause, Move, RolloutPhase, RolloutRecord, RolloutSpec, StageStatus, Target } from './types.js';

const TO_TARGET: Move = { to: 'target' };
const TO_PREVIOUS: Move = { to: 'previous' };

function holdMove({ cause, why }: Hold): Move {
  return { hold: why, cause };
}

const UNREACHABLE: Move = { hold: 'its cluster is unreachable', cause: 'Unreachable' };

/** Destinations at the target stay there, and those that take no part are not held. */
function restingMove(target: Target): Move | undefined {
  const { state, isReachable } = target;
  if (state !== 'absent' && state !== 'outdated') return TO_TARGET;
  return isReachable ? undefined : UNREACHABLE;
}

/** Failed destinations that are retried while their failures hold all others, and that hold. */
export interface Retries {
  readonly failures: ReadonlySet<string>;
  readonly hold: Hold | undefined;
}

/** Starts the destinations of a stage that its budgets allow, unless the stage is held. */
export function forwardMoves(
  { spec, members }: Stage,
  hold: Hold | undefined,
  retries: Retries = { failures: new Set(), hold },
): Map<string, Move> {
  const moves = new Map<string, Move>();
  const places = new Places(spec, members);
  for (const target of [...members].sort(byUrgency)) {
    const resting = restingMove(target);
    const own = retries.failures.has(target.id) ? retries.hold : hold;
    if (resting !== undefined) moves.set(target.id, resting);
    else if (own !== undefined) moves.set(target.id, holdMove(own));
    else {
      const full = places.take(target);
      moves.set(target.id, full === undefined ? TO_TARGET : { hold: full, cause: 'Budget' });
    }
  }
  return moves;
}

/** A destination of the stage that is rolled back must still be sent to the previous revision. */
function mustGoBack({ state, isAtPrevious, hasPrevious }: Target): boolean {
  return !isAtPrevious && hasPrevious && (state === 'updating' || state === 'ready' || state === 'failed');
}

/** Sends the destinations of a stage back that its budgets allow; all others keep what they have. */
export function backwardMoves({ spec, members }: Stage, rolledBack: Hold, hold: Hold | undefined): Map<string, Move> {
  const moves = new Map<string, Move>();
  const places = new Places(spec, members, true);
  for (const target of [...members].sort(byUrgency)) {
    const { id, state, isReachable, isAtPrevious } = target;
    if (state === 'left') moves.set(id, TO_TARGET);
    else if (isAtPrevious && state !== 'absent') moves.set(id, TO_PREVIOUS);
    else if (!isReachable) moves.set(id, UNREACHABLE);
    else if (!mustGoBack(target)) moves.set(id, holdMove(rolledBack));
    else if (hold !== undefined) moves.set(id, holdMove(hold));
    else {
      const full = places.take(target);
      moves.set(id, full === undefined ? TO_PREVIOUS : { hold: full, cause: 'Budget' });
    }
  }
  return moves;
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

function countText(count: number, what: 'rejected' | 'unreachable'): string[] {
  return count === 0 ? [] : [`${count} ${count === 1 ? 'destination is' : 'destinations are'} ${what}`];
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
function begunVerdict({ stage, hold, bake, isWaived }: StageView, spec: RolloutSpec): Verdict {
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

/** The phase of the whole rollout. */
export function rolloutStatus(whole: Whole): Verdict {
  const { record, views, statuses, blocked, failing } = whole;
  const { rolledBack, completedAt } = record;
  const back = views.filter(({ isBack }) => isBack).map(({ stage }) => stage);
  if (rolledBack !== undefined) return rolledBackVerdict(back, whole);
  if (failing === undefined && isIdle(views.map(({ stage }) => stage)))
    return { phase: 'Complete', why: blocked?.why ?? '' };
  const isOver = completedAt !== undefined && statuses.every(({ waiting }) => waiting === 0);
  if (!isOver) return currentVerdict(whole);
  const rejected = sumBy(statuses, (each) => each.rejected ?? 0);
  const missing = [...countText(rejected, 'rejected'), ...countText(sumBy(statuses, 'unreachable'), 'unreachable')];
  const but = missing.length === 0 ? '' : `, but ${missing.join(' and ')}`;
  return { phase: 'Complete', why: `it is rolled out${but}` };
}
