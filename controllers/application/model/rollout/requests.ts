import omit from 'lodash/omit.js';
import type { Application } from '#api/v1alpha1/application.js';
import { approvalOf, UNPROVEN } from '#api/v1alpha1/approve-command.js';
import {
  ABORT_ROLLOUT_ANNOTATION,
  APPROVE_STAGE_ANNOTATION,
  IGNORE_WINDOWS_ANNOTATION,
  PAUSE_ROLLOUT_ANNOTATION,
  RETRY_ROLLOUT_ANNOTATION,
} from '#api/v1alpha1/labels.js';
import { listed } from '#lib/text/text.js';
import { quoted } from './stages.js';
import type { Hold, RolloutRecord, RolloutRequests, RolloutSpec, StageRecord, StageSpec } from './types.js';

const REVISION = /^([0-9]{1,15})(-[0-9a-f]{1,64})?$/;
/** The longest text of a request that is remembered. */
const MAX_TEXT = 100;
const NAMED = 5;

/** Reads the requests in the annotations of an Application. */
export function requestsOf({ metadata: { annotations = {} } }: Application): RolloutRequests {
  return {
    approved: annotations[APPROVE_STAGE_ANNOTATION],
    retry: annotations[RETRY_ROLLOUT_ANNOTATION],
    ignoreWindows: annotations[IGNORE_WINDOWS_ANNOTATION],
    abort: annotations[ABORT_ROLLOUT_ANNOTATION],
    paused: annotations[PAUSE_ROLLOUT_ANNOTATION],
  };
}

/** The text by which requests name the revision of a rollout. */
export function idOf({ revision, id }: Pick<RolloutRecord, 'revision' | 'id'>): string {
  return id ?? String(revision);
}

/** True if `approved` approves a stage. A text that accepts a missing proof also approves a stage with a proof. */
export function approves(
  approved: string | undefined,
  stage: string,
  record: Pick<RolloutRecord, 'revision' | 'id'>,
  isUnproven: boolean,
): boolean {
  const isExplicit = approved === approvalOf(stage, idOf(record), true);
  return isExplicit || (!isUnproven && approved === approvalOf(stage, idOf(record)));
}

/** The annotation that approves, and the rollout that it has to be for. */
interface Given {
  readonly approved: string | undefined;
  readonly record: RolloutRecord;
}

function isApproved({ name, approval }: StageSpec, { approved, record }: Given): boolean {
  return approval === true && approves(approved, name, record, false);
}

/** The record of a stage that begins now. It says if that is without an approval: one may be needed later. */
export function begunAt(spec: StageSpec, startedAt: string, given: Given): StageRecord {
  return { name: spec.name, startedAt, ...(isApproved(spec, given) ? {} : { unasked: true }) };
}

/** The record of a stage that began without an approval; once that is there, it counts as one that began with it. */
export function withApproval(begun: StageRecord | undefined, spec: StageSpec, given: Given): StageRecord | undefined {
  return begun?.unasked === true && isApproved(spec, given) ? omit(begun, 'unasked') : begun;
}

interface NamedRevision {
  readonly number: number;
  /** With its digest, if that is there. */
  readonly id: string;
}

/** The revision that a text names, or undefined. */
function revisionIn(text: string): NamedRevision | undefined {
  const [id, number] = REVISION.exec(text) ?? [];
  return id === undefined ? undefined : { number: Number(number), id };
}

interface Approval {
  readonly stage: string;
  readonly revision: NamedRevision;
  readonly isUnproven: boolean;
}

function readApproval(text: string): Approval | undefined {
  const isUnproven = text.endsWith(UNPROVEN);
  const plain = isUnproven ? text.slice(0, -UNPROVEN.length) : text;
  const at = plain.lastIndexOf('@');
  const revision = revisionIn(plain.slice(at + 1));
  return at < 1 || revision === undefined ? undefined : { stage: plain.slice(0, at), revision, isUnproven };
}

/** True if a revision, by its `revisionId`, may pass windows that are closed. */
export function ignoresWindows({ ignoreWindows }: RolloutRequests, revision: string): boolean {
  return ignoreWindows === revision;
}

const PAUSED_BY_SPEC: Hold = { cause: 'Paused', why: 'spec.rollout.paused is set' };
const PAUSED_BY_ANNOTATION: Hold = { cause: 'Paused', why: `the annotation ${PAUSE_ROLLOUT_ANNOTATION} is set` };

/** Why nothing moves. A pause that is misspelt is one all the same. */
export function pauseOf({ paused: isPaused }: RolloutSpec, { paused = 'false' }: RolloutRequests): Hold | undefined {
  if (isPaused === true) return PAUSED_BY_SPEC;
  return paused === 'false' ? undefined : PAUSED_BY_ANNOTATION;
}

/** The request that a revision is asked for in; it may be followed by any text, to repeat it. */
function isFor(text: string, record: RolloutRecord): boolean {
  return askedIn(text)?.id === idOf(record);
}

function askedIn(text: string): NamedRevision | undefined {
  return revisionIn(text.split('@', 1)[0] ?? '');
}

/** True if a request was carried out. An older version recorded it without the digest. */
function isDone(text: string, done: string | undefined, record: RolloutRecord): boolean {
  if (text === done) return true;
  return isFor(text, record) && `${record.revision}${text.slice(idOf(record).length)}` === done;
}

/** What is to be said to roll out again what was rolled back. */
export function retryOf(record: RolloutRecord): string {
  const id = idOf(record);
  return isDone(id, record.retried, record) ? `${id}@2` : id;
}

/**
 * True after a rollback, or if destinations failed and may never become Ready because they are pinned, paused or gone.
 */
function mayRetry({ rolledBack, failing, completedAt }: RolloutRecord): boolean {
  return rolledBack !== undefined || (failing !== undefined && completedAt === undefined);
}

/** A retry request restarts a halted or rolled-back rollout at its first stage. Each request works only once. */
function afterRetry(record: RolloutRecord, { retry }: RolloutRequests): RolloutRecord {
  const { retried, rolledBack, ...rest } = record;
  const back = rolledBack === undefined ? {} : { rolledBack };
  if (retry === undefined) return { ...rest, ...back };
  const text = retry.slice(0, MAX_TEXT);
  if (!isDone(text, retried, record) && isFor(text, record) && mayRetry(record))
    return { ...omit(rest, 'failing', 'updating'), stages: [], retried: text };
  return { ...rest, ...back, ...(retried === undefined ? {} : { retried }) };
}

/** A rollout that is aborted goes back as a whole, once; it is remembered, so that it can be retried. */
function afterAbort(record: RolloutRecord, { abort }: RolloutRequests, previous: number | undefined): RolloutRecord {
  const { aborted, ...rest } = record;
  if (abort === undefined) return rest;
  const text = abort.slice(0, MAX_TEXT);
  if (isDone(text, aborted, record) || record.completedAt !== undefined || !isFor(text, record)) return record;
  const to = record.rolledBack?.to ?? previous;
  return { ...rest, aborted: text, rolledBack: { ...(to === undefined ? {} : { to }), why: 'it was aborted' } };
}

/** The record after what users ask for. */
export function afterRequests(
  record: RolloutRecord,
  requests: RolloutRequests,
  previous: number | undefined,
): RolloutRecord {
  return afterAbort(afterRetry(record, requests), requests, previous);
}

export interface ApprovalView {
  readonly stages: readonly StageSpec[];
  /** The approval that a stage waits for now. */
  readonly waiting: string | undefined;
  readonly hasStarted: (stage: string) => boolean;
}

/** Warning for an approval of a stage that has not started and does not wait for this text. */
function earlyWarning(shown: string, stage: StageSpec, waiting: string | undefined): string {
  if (waiting !== undefined && readApproval(waiting)?.stage === stage.name)
    return `${shown}: the stage waits for ${quoted(waiting)}`;
  if (stage.approval !== true) return `${shown}: the stage waits for no approval now`;
  return `${shown}: the stage does not wait for an approval yet, and will wait for another one only without a proof`;
}

/** Says that a request names the number of a revision, but not its content, and what to write instead. */
function otherContent(shown: string, { number, id }: NamedRevision, use: string): string {
  const lack = id === String(number) ? 'has no digest' : `is not for the content of revision ${number}`;
  return `${shown} ${lack}: use ${quoted(use)}`;
}

/** Warning for an approval by the number of the revision that is rolled out. */
function currentWarning(
  { stage: name, revision, isUnproven }: Approval,
  shown: string,
  record: RolloutRecord,
  { stages, waiting, hasStarted }: ApprovalView,
): string | undefined {
  const stage = stages.find((each) => each.name === name);
  const names = stages.map((each) => quoted(each.name));
  if (stage === undefined) return `${shown}: there is no such stage, only ${listed(names, NAMED)}`;
  if (hasStarted(name)) return undefined;
  if (revision.id === idOf(record)) return earlyWarning(shown, stage, waiting);
  const isWaiting = waiting !== undefined && readApproval(waiting)?.stage === name;
  return otherContent(shown, revision, isWaiting ? waiting : approvalOf(name, idOf(record), isUnproven));
}

function approvalWarning(text: string, record: RolloutRecord, view: ApprovalView): string | undefined {
  const shown = `approve-stage ${quoted(text)}`;
  const approval = readApproval(text);
  const { waiting } = view;
  if (approval === undefined) return `${shown} is not STAGE@REVISION`;
  if (text === waiting) return undefined;
  if (approval.revision.number === record.revision) return currentWarning(approval, shown, record, view);
  if (waiting === undefined) return undefined;
  return `${shown} is not for revision ${record.revision}: use ${quoted(waiting)}`;
}

function retryWarning(text: string, record: RolloutRecord): string | undefined {
  const { revision, retried, rolledBack } = record;
  const isRepeated = isDone(text.slice(0, MAX_TEXT), retried, record);
  const isBack = rolledBack !== undefined;
  if (isRepeated && !isBack) return undefined;
  const shown = `retry-rollout ${quoted(text)}`;
  const asked = askedIn(text);
  if (asked === undefined) return `${shown} is not the number of a revision`;
  if (asked.number !== revision)
    return isBack ? `${shown}: revision ${revision} is rolled back, use ${quoted(idOf(record))}` : undefined;
  if (!isRepeated && mayRetry(record)) return otherContent(shown, asked, retryOf(record));
  if (!isBack) return `${shown}: the revision is not rolled back`;
  return `${shown} was fulfilled, and the revision is rolled back again: use another text, e.g. ${quoted(`${idOf(record)}@2`)}`;
}

function abortWarning(text: string, record: RolloutRecord): string | undefined {
  if (isDone(text.slice(0, MAX_TEXT), record.aborted, record)) return undefined;
  const shown = `abort-rollout ${quoted(text)}`;
  const asked = askedIn(text);
  if (asked === undefined) return `${shown} is not the number of a revision`;
  const { revision, completedAt } = record;
  if (asked.number !== revision) return `${shown} is not for revision ${revision}: use ${quoted(idOf(record))}`;
  if (completedAt === undefined) return otherContent(shown, asked, idOf(record));
  return `${shown}: the rollout is complete, pin-revision goes back to an earlier revision`;
}

function pauseWarning(text: string): string | undefined {
  if (text === 'true' || text === 'false') return undefined;
  return `pause-rollout ${quoted(text)} is neither "true" nor "false": the rollout is paused`;
}

function windowWarning(text: string, record: RolloutRecord): string | undefined {
  const shown = `ignore-windows ${quoted(text)}`;
  const asked = revisionIn(text);
  if (asked === undefined) return `${shown} is not the number of a revision`;
  if (asked.number !== record.revision || asked.id === idOf(record) || record.completedAt !== undefined)
    return undefined;
  return otherContent(shown, asked, idOf(record));
}

/** What users should know about their requests. */
export function requestWarnings(requests: RolloutRequests, record: RolloutRecord, view: ApprovalView): string[] {
  const { approved, retry, abort, paused, ignoreWindows } = requests;
  const warnings = [
    approved === undefined ? undefined : approvalWarning(approved, record, view),
    retry === undefined ? undefined : retryWarning(retry, record),
    abort === undefined ? undefined : abortWarning(abort, record),
    paused === undefined ? undefined : pauseWarning(paused),
    ignoreWindows === undefined ? undefined : windowWarning(ignoreWindows, record),
  ];
  return warnings.filter((warning) => warning !== undefined);
}
