import omit from 'lodash/omit.js';
import { approvalOf, revisionId } from '#api/v1alpha1/approve-command.js';
import { parseTimestamp, timestamp } from '#lib/kube/conditions.js';
import { defined } from '#lib/plain.js';
import { durationOr } from '#lib/duration.js';
import { shortened } from '../child/messages.js';
import {
  exceedsFailures,
  hasOnlyFailures,
  isSettled,
  rememberedOf,
  unaskedOf,
  unprovenProblem,
  unreachableProblem,
  updatingOf,
} from './budgets.js';
import { approves, begunAt, idOf, withApproval } from './requests.js';
import { mayWait, quoted } from './stages.js';
import type { Hold, RolloutRecord, RolloutSpec, StageRecord, StageSpec, Tally, Target } from './types.js';

const SECOND_MS = 1_000;

/** A stage with its destinations. */
export interface Stage {
  readonly spec: StageSpec;
  readonly index: number;
  readonly members: readonly Target[];
  readonly tally: Tally;
  /** Remembered failures of destinations that left this stage; undefined: there are none. */
  readonly gone?: readonly string[];
}

/** Most characters of a failure's cause. */
const MAX_CAUSE = 180;

/**
 * The problem of the first destination in this state. It is recorded because a rollback clears it from the destination.
 */
export function causeOf({ members }: Stage, state: 'failed' | 'rejected'): string {
  const { cluster, problem } = members.find((each) => each.state === state && each.problem !== undefined) ?? {};
  return problem === undefined ? '' : `; ${cluster ?? ''}: ${shortened(problem, MAX_CAUSE)}`;
}

/** Why a stage with too many failures stops the rollout. */
export function failuresOf({ spec, tally }: Stage): Hold {
  const { failures, total, gone = 0, aside = 0 } = tally;
  const count = `${failures} of ${total + gone} destinations of stage ${quoted(spec.name)} failed`;
  const verdict = hasOnlyFailures(tally)
    ? 'and no other one shows that the revision works'
    : 'more than failureBudget allows';
  const now = `; ${aside} of them ${aside === 1 ? 'is' : 'are'} pinned, suspended, paused, rejected or gone now`;
  return { cause: 'Failures', why: `${count}, ${verdict}${aside === 0 ? '' : now}` };
}

/** What decides which stages begin. */
export interface Course {
  readonly spec: RolloutSpec;
  readonly stages: readonly Stage[];
  readonly record: RolloutRecord;
  /** The ids of the destinations that failed and did not become Ready since. */
  readonly failures: ReadonlySet<string>;
  readonly approved: string | undefined;
  /** Why no stage may begin, whatever the others are. */
  readonly blocked: Hold | undefined;
  readonly nowMs: number;
}

/** The stages that began, and why the others did not. */
export interface Progress {
  readonly records: ReadonlyMap<string, StageRecord>;
  /** By the index of a stage that did not begin. */
  readonly gates: ReadonlyMap<number, Hold>;
  /** By the index of a stage that is settled, and bakes. */
  readonly bakes: ReadonlyMap<number, Hold>;
}

/** The revision to go back to: the last good one; undefined if there is none. Never throws. */
export function previousRevision(record: RolloutRecord | undefined, revision: number): number | undefined {
  if (record?.revision === revision && record.rolledBack !== undefined) return record.rolledBack.to;
  return record?.lastGood === revision ? undefined : record?.lastGood;
}

/** A stage that was renamed or removed since is not known any more: all go back then. */
export function isRolledBack(
  { spec: { name } }: Stage,
  { rolledBack }: RolloutRecord,
  stages: readonly Stage[],
): boolean {
  if (rolledBack === undefined || rolledBack.stage === name) return rolledBack !== undefined;
  return !stages.some(({ spec }) => spec.name === rolledBack.stage);
}

/** True if the rollout is complete or rolled back. */
export function isOver({ completedAt, rolledBack }: RolloutRecord): boolean {
  return completedAt !== undefined || rolledBack !== undefined;
}

function isOutdated({ state }: Target): boolean {
  return state === 'outdated';
}

/** Whole seconds, rounded up: a time of bake is never shortened. */
export function written(nowMs: number): string {
  return timestamp(Math.ceil(nowMs / SECOND_MS) * SECOND_MS);
}

/** Another revision starts at its first stage. */
export function recordFor(
  record: RolloutRecord | undefined,
  revision: number,
  nowMs: number,
  digest?: string,
): RolloutRecord {
  const id = digest && revisionId(revision, digest);
  // An older version recorded no digest.
  const isSame = record?.revision === revision && (record.id ?? id) === (id ?? record.id);
  if (isSame) return record.id === id || id === undefined ? record : { ...record, id };
  const { lastGood, aborted } = record ?? {};
  return { revision, ...defined({ id }), startedAt: written(nowMs), stages: [], ...defined({ lastGood, aborted }) };
}

/** The time since which a stage is settled; a time in the future is of a clock that was set back since. */
function settledSince(settledAt: string | undefined, nowMs: number): string {
  const atMs = parseTimestamp(settledAt ?? '');
  return settledAt === undefined || atMs === undefined || atMs >= nowMs + SECOND_MS ? written(nowMs) : settledAt;
}

/** The rest of the bakeTime of a settled stage; an empty one has nothing to bake. */
function bakeOf({ spec, members }: Stage, { settledAt }: StageRecord, nowMs: number): Hold | undefined {
  const { name, bakeTime } = spec;
  const bakeMs = durationOr(bakeTime, 0);
  if (settledAt === undefined || members.length === 0 || bakeMs === 0) return undefined;
  const ms = (parseTimestamp(settledAt) ?? nowMs) + bakeMs - nowMs;
  return ms <= 0 ? undefined : { cause: 'Bake', why: `waits for the bakeTime of stage ${quoted(name)}`, ms };
}

function waitsFor({ spec }: Stage): Hold {
  return { cause: 'Stage', why: `waits for stage ${quoted(spec.name)}` };
}

/**
 * True if a stage needs no proof. That is so once the next stage has started: this one had a proof then, or a user
 * approved. It is also so for the last stage with destinations, if none of them is rejected and any destination is
 * Ready.
 */
export function isWaived(
  { index, tally }: Stage,
  stages: readonly Stage[],
  hasBegun: (stage: string) => boolean,
): boolean {
  const next = stages.slice(index + 1).find(({ members }) => members.length > 0);
  if (next !== undefined) return hasBegun(next.spec.name);
  return tally.rejected === undefined && stages.some((each) => each.tally.ready > 0);
}

/**
 * The first earlier stage that `stage` must wait for. `mayBeApproved`: an approval of `stage` is enough, because the
 * earlier ones only lack a proof.
 */
function openBefore({ spec: { name }, index }: Stage, { spec, stages }: Course, { records }: Progress) {
  const isPassed = (each: Stage, next?: string): boolean => {
    const waived = isWaived(each, stages, (other) => other === next || records.has(other));
    return records.has(each.spec.name) && isSettled(each.tally, spec, waived);
  };
  const earlier = stages.slice(0, index);
  const stage = earlier.find((each) => !isPassed(each));
  return stage && { stage, mayBeApproved: earlier.every((each) => isPassed(each, name)) };
}

/** True if a failed destination of the stage is to be retried. Failures block everything else, but not that stage. */
function triesAgain({ members }: Stage, { failures, blocked }: Course): boolean {
  if (blocked?.cause !== 'Failures') return false;
  return members.some(({ id, state }) => failures.has(id) && (state === 'absent' || state === 'outdated'));
}

/** The approval that a stage waits for. `open`: an earlier stage that proves nothing, if there is one. */
function approvalHold(stage: Stage, open: Stage | undefined, course: Course): Hold | undefined {
  const { spec, stages, record, approved } = course;
  const { name } = stage.spec;
  const isUnproven = open !== undefined;
  // Without destinations from here on, there is nothing to approve.
  const follows = stages.slice(stage.index).some(({ members }) => members.length > 0);
  if (!follows || approves(approved, name, record, isUnproven)) return undefined;
  const approval = approvalOf(name, idOf(record), isUnproven);
  const why = `waits for the approval ${quoted(approval)}`;
  if (open === undefined) return { cause: 'Approval', why, approval };
  const { tally } = open;
  const failures = exceedsFailures(tally, spec) ? failuresOf(open).why : '';
  const problem = `${unprovenProblem(tally, spec) ?? unreachableProblem(tally, spec) ?? failures}${causeOf(open, 'rejected')}`;
  return { cause: 'Approval', why: `${why}, as stage ${quoted(open.spec.name)} proves nothing: ${problem}`, approval };
}

const AT_TARGET: readonly Target['state'][] = ['ready', 'updating', 'failed'];

/** In a completed rollout, a stage that had no destinations, or is new, waits for its approval only. */
function lateGate(stage: Stage, course: Course): Hold | undefined {
  const isOpen = stage.spec.approval === true && stage.members.some(({ state }) => !AT_TARGET.includes(state));
  return isOpen ? approvalHold(stage, undefined, course) : undefined;
}

/** Why a stage may not begin; of one that began, why the rest of it may not. */
function gateOf(stage: Stage, known: StageRecord | undefined, course: Course, progress: Progress): Hold | undefined {
  if (!mayWait(stage, known)) return undefined;
  return course.record.completedAt === undefined ? earlyGate(stage, course, progress) : lateGate(stage, course);
}

function earlyGate(stage: Stage, course: Course, progress: Progress): Hold | undefined {
  const { blocked } = course;
  const open = openBefore(stage, course, progress);
  if (open?.mayBeApproved === false) return waitsFor(open.stage);
  const hold = (triesAgain(stage, course) ? undefined : blocked) ?? progress.bakes.get(stage.index - 1);
  const isNeeded = stage.spec.approval === true || open !== undefined;
  return hold ?? (isNeeded ? approvalHold(stage, open?.stage, course) : undefined);
}

/**
 * Why the outdated destinations of a stage wait, although the rollout is complete: an earlier stage is updated first,
 * and bakes. The stage was approved for this revision, but an earlier one without a proof needs an approval of its own.
 */
export function resumeHold(stage: Stage, course: Course, { bakes }: Progress): Hold | undefined {
  const { record, spec, stages } = course;
  if (record.completedAt === undefined || !stage.members.some(isOutdated)) return undefined;
  const earlier = stages.slice(0, stage.index).filter(({ members }) => members.length > 0);
  const open = earlier.find(({ tally }) => tally.waiting + tally.updating > 0);
  if (open !== undefined) return waitsFor(open);
  const bake = earlier.map(({ index }) => bakes.get(index)).find((each) => each !== undefined);
  if (bake !== undefined) return bake;
  const unproven = earlier.find(({ tally }) => !isSettled(tally, spec));
  return unproven && approvalHold(stage, unproven, course);
}

/**
 * The record of a stage that has started. A relapse clears `settledAt`. If a settled stage loses its proof, it
 * continues to bake, so that an approval does not shorten the wait.
 */
function recordOf(stage: Stage, known: StageRecord | undefined, course: Course): StageRecord {
  const { spec, nowMs } = course;
  const { settledAt } = known ?? {};
  const begun = omit(known ?? begunAt(stage.spec, written(nowMs), course), 'settledAt');
  return isSettled(stage.tally, spec, settledAt !== undefined)
    ? { ...begun, settledAt: settledSince(settledAt, nowMs) }
    : begun;
}

/** The next stage has begun, in a rollout that is not complete. */
function isPassed({ index }: Stage, { stages, record }: Course, old: ReadonlyMap<string, StageRecord>): boolean {
  return record.completedAt === undefined && old.has(stages[index + 1]?.spec.name ?? '');
}

function isAtRest({ record, stages }: Course): boolean {
  return record.completedAt !== undefined && !stages.some(({ members }) => members.some(isOutdated));
}

/** Lets the stages begin that may, and remembers since when each one is settled. */
export function progressOf(course: Course): Progress {
  const { stages, record, nowMs } = course;
  const old = new Map(record.stages.map((each) => [each.name, each]));
  const progress = {
    records: new Map<string, StageRecord>(),
    gates: new Map<number, Hold>(),
    bakes: new Map<number, Hold>(),
  };
  const unasked = unaskedOf(stages);
  const atRest = isAtRest(course);
  for (const stage of stages.filter((each) => old.has(each.spec.name) || !unasked.has(each))) {
    const { spec, index } = stage;
    const known = withApproval(old.get(spec.name), spec, course);
    const gate = gateOf(stage, known, course, progress);
    if (gate !== undefined) progress.gates.set(index, gate);
    if (gate !== undefined && known === undefined) continue;
    // A complete stage stays as it is written, until destinations are updated again, e.g. because they are resumed.
    const begun = known !== undefined && atRest ? known : recordOf(stage, known, course);
    progress.records.set(spec.name, begun);
    const bake = atRest || isPassed(stage, course, old) ? undefined : bakeOf(stage, begun, nowMs);
    if (bake !== undefined) progress.bakes.set(index, bake);
  }
  return progress;
}

/** The record with the stages that began; completed once all of them are settled and baked. */
export function advanced(course: Course, { records, gates, bakes }: Progress): RolloutRecord {
  const { record, spec, stages, failures, blocked, nowMs } = course;
  const open = record.completedAt === undefined ? stages : [];
  const remembered = {
    ...rememberedOf(failures, open),
    ...updatingOf(open.filter(({ spec }) => records.has(spec.name))),
  };
  const next = { ...omit(record, 'failing', 'updating'), ...remembered, stages: [...records.values()] };
  const isOpen = gates.size > 0 || bakes.size > 0 || blocked !== undefined;
  const isDone = (stage: Stage): boolean =>
    isSettled(
      stage.tally,
      spec,
      isWaived(stage, stages, (name) => records.has(name)),
    );
  if (record.completedAt !== undefined || isOpen || !stages.every(isDone)) return next;
  // With `onFailure: Continue` a rollout ends with any number of failures, and is not one to go back to.
  const isGood = !stages.some(({ tally }) => exceedsFailures(tally, { ...spec, onFailure: 'Pause' }));
  return { ...omit(next, 'updating'), completedAt: written(nowMs), ...(isGood ? { lastGood: record.revision } : {}) };
}
