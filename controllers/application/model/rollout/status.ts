import { exceedsFailures, isSettled, unreachableProblem } from './budgets.js';
import { isRollingBack } from './moves.js';
import { failuresOf, type Hold, type Stage } from './record.js';
import { quoted } from './stages.js';
import type { HoldCause, RolloutPhase, RolloutRecord, RolloutSpec, StageStatus } from './types.js';

/** What is known of a stage once all is decided. */
export interface StageView {
  readonly stage: Stage;
  /** Why nothing of it is started. */
  readonly hold: Hold | undefined;
  /** Why it did not begin. */
  readonly gate: Hold | undefined;
  readonly bake: Hold | undefined;
}

interface Verdict {
  readonly phase: RolloutPhase;
  readonly why: string;
}

const PHASES: Readonly<Partial<Record<HoldCause, RolloutPhase>>> = {
  Approval: 'AwaitingApproval',
  Window: 'AwaitingWindow',
  Paused: 'Paused',
};

function heldVerdict({ cause, why }: Hold): Verdict {
  return { phase: PHASES[cause] ?? 'Pending', why };
}

function readyOf({ tally: { ready, total } }: Stage): string {
  return total === 0 ? 'it has no destinations' : `${ready} of ${total} destinations are ready`;
}

function openVerdict(stage: Stage, spec: RolloutSpec): Verdict {
  return { phase: 'Progressing', why: unreachableProblem(stage.tally, spec) ?? readyOf(stage) };
}

function rolledBackVerdict(stage: Stage | undefined, { rolledBack }: RolloutRecord): Verdict {
  const isOpen = stage !== undefined && rolledBack?.to !== undefined && isRollingBack(stage);
  return { phase: isOpen ? 'RollingBack' : 'RolledBack', why: rolledBack?.why ?? '' };
}

/** Of a stage that began. */
function begunVerdict({ stage, hold, bake }: StageView, spec: RolloutSpec): Verdict {
  if (bake !== undefined) return { phase: 'Baking', why: 'all is settled, and its bakeTime has not passed' };
  if (isSettled(stage.tally, spec)) return { phase: 'Complete', why: readyOf(stage) };
  return hold === undefined || stage.tally.updating > 0 ? openVerdict(stage, spec) : heldVerdict(hold);
}

function verdictOf(view: StageView, record: RolloutRecord, spec: RolloutSpec): Verdict {
  const { stage, hold, gate } = view;
  if (record.rolledBack?.stage === stage.spec.name) return rolledBackVerdict(stage, record);
  if (record.completedAt !== undefined && stage.tally.waiting === 0) return { phase: 'Complete', why: readyOf(stage) };
  if (exceedsFailures(stage.tally, spec)) return { phase: 'Halted', why: failuresOf(stage).why };
  return gate === undefined ? begunVerdict(view, spec) : heldVerdict(hold ?? gate);
}

export function stageStatus(view: StageView, record: RolloutRecord, spec: RolloutSpec): StageStatus {
  const { stage } = view;
  return { name: stage.spec.name, ...stage.tally, ...verdictOf(view, record, spec) };
}

export interface Whole {
  readonly record: RolloutRecord;
  readonly stages: readonly Stage[];
  readonly statuses: readonly StageStatus[];
  readonly failing: Stage | undefined;
  readonly spec: RolloutSpec;
  readonly blocked: Hold | undefined;
}

/** The phase of a rollout that is neither rolled back nor complete: that of its first stage that is not complete. */
function currentVerdict({ record, statuses, failing, spec, blocked }: Whole): Verdict {
  if (spec.paused === true && blocked !== undefined) return heldVerdict(blocked);
  if (failing !== undefined && record.completedAt === undefined)
    return { phase: 'Halted', why: failuresOf(failing).why };
  const open = statuses.find(({ phase }) => phase !== 'Complete');
  if (open === undefined) return { phase: 'Progressing', why: blocked?.why ?? '' };
  return { phase: open.phase, why: `stage ${quoted(open.name)}: ${open.why}` };
}

/** The phase of the whole rollout. */
export function rolloutStatus(whole: Whole): Verdict {
  const { record, stages, statuses } = whole;
  const { rolledBack, completedAt, revision } = record;
  const stage = stages.find(({ spec: { name } }) => name === rolledBack?.stage);
  if (rolledBack !== undefined) return rolledBackVerdict(stage, record);
  const isOver = completedAt !== undefined && statuses.every(({ waiting }) => waiting === 0);
  return isOver ? { phase: 'Complete', why: `revision ${revision} is rolled out` } : currentVerdict(whole);
}
