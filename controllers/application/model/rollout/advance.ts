import { revisionId } from '#api/v1alpha1/approve-command.js';
import { shortened } from '../child/messages.js';
import {
  byUrgency,
  exceedsFailures,
  failingOf,
  goneOf,
  isIdle,
  Places,
  stageFinder,
  tallyOf,
  unaskedOf,
  unprovenProblem,
  wasIn,
} from './budgets.js';
import {
  advanced,
  causeOf,
  type Course,
  failuresOf,
  isOver,
  isRolledBack,
  isWaived,
  progressOf,
  recordFor,
  resumeHold,
  type Stage,
  written,
} from './record.js';
import { afterRequests, begunAt, ignoresWindows, pauseOf, requestWarnings } from './requests.js';
import { stagesOf } from './stages.js';
import { mustGoBack, rolloutVerdict, stageStatus, type StageView } from './status.js';
import type { Hold, Move, Rollout, RolloutInput, RolloutRecord, RolloutSpec, Target } from './types.js';

/** The decision to go back is written before anything goes back; the next reconciliation continues. */
const AT_ONCE_MS = 100;

function stagesWith(
  { spec, targets }: RolloutInput,
  { failing, updating = [], completedAt }: RolloutRecord,
  failures: ReadonlySet<string>,
  gone: readonly string[],
): readonly Stage[] {
  const stages = stagesOf(spec);
  const remembered = completedAt === undefined ? [...updating, ...(failing ?? [])] : [];
  const stageOf = stageFinder(stages, failures, remembered);
  const members = stages.map((): Target[] => []);
  // A target of a stage that does not exist is in the last one.
  for (const target of targets) (members[stageOf(target)] ?? members.at(-1))?.push(target);
  return stages.map((stage, index) => {
    const own = members[index] ?? [];
    const lost = gone.filter((each) => wasIn(each, stage, index));
    const tally = tallyOf(own, failures, lost.length);
    return { spec: stage, index, members: own, tally, ...(lost.length === 0 ? {} : { gone: lost }) };
  });
}

const NEVER: Hold = { cause: 'Window', why: 'waits for its window, which never opens' };
const AT_ONCE: Hold = { cause: 'RolledBack', why: 'goes back at once' };
const NOWHERE: Hold = { cause: 'RolledBack', why: 'there is no earlier revision to go back to' };
const IDLE: Hold = {
  cause: 'Stage',
  why: 'no destination takes part: all are suspended, pinned, installed once or on paused clusters',
};
const NOBODY: Hold = { cause: 'Unreachable', why: 'no destination that takes part is reachable' };

function rolledBackHold({ revision, rolledBack }: RolloutRecord): Hold | undefined {
  if (rolledBack === undefined) return undefined;
  return { cause: 'RolledBack', why: `revision ${revision} is rolled back, as ${rolledBack.why}` };
}

/** A network that is lost must not look like a fleet that is settled. All may have left that were released once. */
function isAlive(stages: readonly Stage[], record: RolloutRecord): boolean {
  if (stages.some(({ tally }) => tally.total > tally.left + tally.unreachable)) return true;
  const hasBegun =
    record.stages.length >= stages.length - unaskedOf(stages).size && stages.some(({ tally }) => tally.left > 0);
  return hasBegun && stages.every(({ tally }) => tally.unreachable === 0);
}

/** Why no stage may begin, and the rollout not end. */
function blockOf(input: RolloutInput, { stages, record, failing, pause }: Stand): Hold | undefined {
  const { incomplete } = input;
  const back = rolledBackHold(record);
  if (back !== undefined) return back;
  if (pause !== undefined) return pause;
  if (failing !== undefined) return failuresOf(failing);
  if (incomplete !== undefined) return { cause: 'Stage', why: shortened(incomplete) };
  if (isAlive(stages, record)) return undefined;
  return isIdle(stages) ? IDLE : NOBODY;
}

/** Nothing has to be updated for this revision: it is complete, without a wait. */
function isUnaffected(
  { spec, targets, record, revision, incomplete }: RolloutInput,
  stages: readonly Stage[],
): boolean {
  const active = targets.filter(({ state }) => state !== 'left');
  if (record?.revision === revision || incomplete !== undefined || active.length === 0) return false;
  // The revision may still change destinations that take no part now, so a stage without proof is not unaffected.
  const isOpen = (stage: Stage): boolean =>
    unprovenProblem(stage.tally, spec) !== undefined && !isWaived(stage, stages, () => false);
  if (stages.some(isOpen)) return false;
  return active.every(({ state, isReachable }) => state === 'ready' && isReachable);
}

function completed(
  record: RolloutRecord,
  stages: readonly Stage[],
  { nowMs, requests: { approved } }: RolloutInput,
): RolloutRecord {
  const at = written(nowMs);
  const unasked = unaskedOf(stages);
  const begun = stages.filter((stage) => !unasked.has(stage));
  const all = begun.map(({ spec }) => ({ ...begunAt(spec, at, { approved, record }), settledAt: at }));
  return { ...record, stages: all, completedAt: at, lastGood: record.revision };
}

function withRollback(record: RolloutRecord, failing: Stage, previous: number | undefined): RolloutRecord {
  const why = `${failuresOf(failing).why}${causeOf(failing, 'failed')}`;
  const to = previous === undefined ? {} : { to: previous };
  return { ...record, rolledBack: { stage: failing.spec.name, ...to, why } };
}

/** What is known before anything is decided. */
interface Stand {
  readonly stages: readonly Stage[];
  readonly record: RolloutRecord;
  readonly failures: Course['failures'];
  /** The first stage with too many failures. */
  readonly failing: Stage | undefined;
  /** Why nothing moves. */
  readonly pause: Hold | undefined;
}

/** A revision that was completed is not rolled back: later failures have other causes. */
function standOf(input: RolloutInput): Stand {
  const { spec, requests, previous, revision, nowMs } = input;
  const started = recordFor(input.record, revision, nowMs, input.digest);
  const record = afterRequests(started, requests, previous);
  const isEnded = isOver(record);
  const failures = failingOf(input.targets, record.failing, isEnded);
  const stages = stagesWith(input, record, failures, isEnded ? [] : goneOf(input.targets, record.failing));
  const failing = stages.find(({ tally }) => exceedsFailures(tally, spec));
  const stand = { stages, failures, failing, pause: pauseOf(spec, requests) };
  if (isUnaffected(input, stages)) return { ...stand, record: completed(started, stages, input) };
  const goesBack = failing !== undefined && !isEnded && spec.onFailure === 'Rollback' && stand.pause === undefined;
  return { ...stand, record: goesBack ? withRollback(record, failing, previous) : record };
}

function windowHold({ requests, revision, digest, windowAt }: RolloutInput, { index, tally }: Stage): Hold | undefined {
  if (tally.waiting === 0 || ignoresWindows(requests, revisionId(revision, digest))) return undefined;
  const { open, nextMs } = windowAt(index);
  if (open) return undefined;
  return nextMs === undefined ? NEVER : { cause: 'Window', why: 'waits for its window', ms: nextMs };
}

/** The stage whose failures stop another one. A completed rollout waits only where a stage fails. */
function failureFor(stage: Stage, spec: RolloutSpec, { record, failing }: Stand): Stage | undefined {
  if (record.completedAt === undefined) return failing;
  return exceedsFailures(stage.tally, spec) ? stage : undefined;
}

/** Why no destination of a stage is started. */
function holdOf(stage: Stage, input: RolloutInput, stand: Stand, gate: Hold | undefined): Hold | undefined {
  const back = rolledBackHold(stand.record);
  if (back !== undefined) return back;
  if (stand.pause !== undefined) return stand.pause;
  const failed = failureFor(stage, input.spec, stand);
  if (failed !== undefined) return failuresOf(failed);
  return gate ?? windowHold(input, stage);
}

/** Why what is rolled back does not go back now. */
function backHoldOf(input: RolloutInput, { revision, rolledBack }: RolloutRecord, pause: Hold | undefined) {
  const isWritten = input.record?.revision === revision && input.record.rolledBack !== undefined;
  // A dry run shows what would go back.
  if (!isWritten && input.isDryRun !== true) return { ...AT_ONCE, ms: AT_ONCE_MS };
  if (pause !== undefined) return pause;
  return rolledBack?.to !== undefined && rolledBack.to === input.previous ? undefined : NOWHERE;
}

/** Failed destinations are retried before their turn, but only once their stage has started, and inside its window. */
function retryHold(input: RolloutInput, stage: Stage, hold: Hold | undefined, gate: Hold | undefined) {
  return hold?.cause === 'Failures' ? (gate ?? windowHold(input, stage)) : hold;
}

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

/** Starts the destinations of a stage that its budgets allow, unless the stage is held; `resumed` holds outdated ones. */
export function forwardMoves(
  { spec, members }: Stage,
  hold: Hold | undefined,
  retries: Retries = { failures: new Set(), hold },
  resumed?: Hold,
): Map<string, Move> {
  const moves = new Map<string, Move>();
  const places = new Places(spec, members);
  for (const target of [...members].sort(byUrgency)) {
    const resting = restingMove(target);
    const stageHold = retries.failures.has(target.id) ? retries.hold : hold;
    const own = target.state === 'outdated' ? (stageHold ?? resumed) : stageHold;
    if (resting !== undefined) moves.set(target.id, resting);
    else if (own !== undefined) moves.set(target.id, holdMove(own));
    else {
      const full = places.take(target);
      moves.set(target.id, full === undefined ? TO_TARGET : { hold: full, cause: 'Budget' });
    }
  }
  return moves;
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

function leastOf(holds: readonly (Hold | undefined)[]): number | undefined {
  const waits = holds.flatMap((hold) => hold?.ms ?? []);
  return waits.length === 0 ? undefined : Math.max(AT_ONCE_MS, Math.ceil(Math.min(...waits)));
}

/**
 * Decides what each destination gets: the new revision, the previous one, or what it has. All of it follows from the
 * destinations and the record, so it may be interrupted at any point and repeated. Never throws.
 */
export function advance(input: RolloutInput): Rollout {
  const { spec, requests, nowMs } = input;
  const stand = standOf(input);
  const { stages, failing } = stand;
  const course: Course = { ...stand, spec, approved: requests.approved, blocked: blockOf(input, stand), nowMs };
  const progress = progressOf(course);
  const hasStarted = (name: string): boolean => progress.records.has(name);
  const record = advanced(course, progress);
  const back = record.rolledBack === undefined ? undefined : backHoldOf(input, record, stand.pause);
  const views = stages.map((stage): StageView => {
    const { index } = stage;
    const resumed = resumeHold(stage, course, progress);
    const hold = holdOf(stage, input, stand, progress.gates.get(index));
    const isBack = isRolledBack(stage, record, stages);
    const waived = isWaived(stage, stages, hasStarted);
    const [gate, bake] = [progress.gates.get(index), progress.bakes.get(index)];
    return { stage, hold, resumed, gate, bake, isBack, isWaived: waived };
  });
  const moves = new Map<string, Move>();
  for (const { stage, hold, resumed, gate, isBack } of views) {
    const retries = { failures: stand.failures, hold: retryHold(input, stage, hold, gate) };
    const own =
      isBack && hold !== undefined ? backwardMoves(stage, hold, back) : forwardMoves(stage, hold, retries, resumed);
    for (const [id, move] of own) moves.set(id, move);
  }
  const waiting = views.find(({ gate }) => gate?.cause === 'Approval')?.gate?.approval;
  const open = views.filter(({ gate }) => gate === undefined).map(({ stage }) => stage.spec.name);
  const isOpen = (name: string): boolean => hasStarted(name) && open.includes(name);
  const view = { stages: stages.map((stage) => stage.spec), waiting, hasStarted: isOpen };
  const common = { record, spec, pause: stand.pause };
  const statuses = views.map((each) => stageStatus(each, common));
  return {
    moves,
    record,
    stages: statuses.filter(({ total }, index) => total > 0 || index < Math.max(1, spec.stages?.length ?? 0)),
    stageOf: new Map(stages.flatMap(({ spec, members }) => members.map(({ id }) => [id, spec.name]))),
    ...rolloutVerdict({ ...common, views, statuses, failing, blocked: course.blocked }),
    warnings: requestWarnings(requests, record, view),
    retryAfterMs: leastOf([back, ...views.flatMap(({ hold, resumed, bake }) => [hold, resumed, bake])]),
  };
}
