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
import type { Hold, RolloutRecord, RolloutRequests, RolloutSpec, StageSpec } from './types.js';

const NUMBER = /^[0-9]{1,15}$/;
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

/** True if `approved` approves a stage. A text that accepts a missing proof also approves a stage with a proof. */
export function approves(approved: string | undefined, stage: string, revision: number, isUnproven: boolean): boolean {
  const isExplicit = approved === approvalOf(stage, revision, true);
  return isExplicit || (!isUnproven && approved === approvalOf(stage, revision));
}

/** The number of a revision, or undefined. */
function revisionIn(text: string): number | undefined {
  return NUMBER.test(text) ? Number(text) : undefined;
}

interface Approval {
  readonly stage: string;
  readonly revision: number;
}

function readApproval(text: string): Approval | undefined {
  const plain = text.endsWith(UNPROVEN) ? text.slice(0, -UNPROVEN.length) : text;
  const at = plain.lastIndexOf('@');
  const revision = revisionIn(plain.slice(at + 1));
  return at < 1 || revision === undefined ? undefined : { stage: plain.slice(0, at), revision };
}

/** True if a revision may pass windows that are closed. */
export function ignoresWindows({ ignoreWindows }: RolloutRequests, revision: number): boolean {
  return ignoreWindows === String(revision);
}

const PAUSED_BY_SPEC: Hold = { cause: 'Paused', why: 'spec.rollout.paused is set' };
const PAUSED_BY_ANNOTATION: Hold = { cause: 'Paused', why: `the annotation ${PAUSE_ROLLOUT_ANNOTATION} is set` };

/** Why nothing moves. A pause that is misspelt is one all the same. */
export function pauseOf({ paused: isPaused }: RolloutSpec, { paused = 'false' }: RolloutRequests): Hold | undefined {
  if (isPaused === true) return PAUSED_BY_SPEC;
  return paused === 'false' ? undefined : PAUSED_BY_ANNOTATION;
}

/** The request that a revision is asked for in; it may be followed by any text, to repeat it. */
function isFor(text: string, { revision }: RolloutRecord): boolean {
  return revisionIn(text.split('@', 1)[0] ?? '') === revision;
}

/** What is to be said to roll out again what was rolled back. */
export function retryOf({ revision, retried }: RolloutRecord): string {
  return retried === String(revision) ? `${revision}@2` : String(revision);
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
  if (text !== retried && isFor(text, record) && mayRetry(record))
    return { ...omit(rest, 'failing', 'updating'), stages: [], retried: text };
  return { ...rest, ...back, ...(retried === undefined ? {} : { retried }) };
}

/** A rollout that is aborted goes back as a whole, once; it is remembered, so that it can be retried. */
function afterAbort(record: RolloutRecord, { abort }: RolloutRequests, previous: number | undefined): RolloutRecord {
  const { aborted, ...rest } = record;
  if (abort === undefined) return rest;
  const text = abort.slice(0, MAX_TEXT);
  if (text === aborted || record.completedAt !== undefined || !isFor(text, record)) return record;
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
  readonly revision: number;
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

function approvalWarning(text: string, { stages, revision, waiting, hasStarted }: ApprovalView): string | undefined {
  const shown = `approve-stage ${quoted(text)}`;
  const approval = readApproval(text);
  if (approval === undefined) return `${shown} is not STAGE@REVISION`;
  if (approval.revision !== revision) {
    if (waiting === undefined) return undefined;
    return `${shown} is not for revision ${revision}: use ${quoted(waiting)}`;
  }
  const stage = stages.find(({ name }) => name === approval.stage);
  const names = stages.map(({ name }) => quoted(name));
  if (stage === undefined) return `${shown}: there is no such stage, only ${listed(names, NAMED)}`;
  return hasStarted(stage.name) || text === waiting ? undefined : earlyWarning(shown, stage, waiting);
}

function retryWarning(text: string, { revision, retried, rolledBack }: RolloutRecord): string | undefined {
  if (text.slice(0, MAX_TEXT) === retried && rolledBack === undefined) return undefined;
  const shown = `retry-rollout ${quoted(text)}`;
  const asked = revisionIn(text.split('@', 1)[0] ?? '');
  if (asked === undefined) return `${shown} is not the number of a revision`;
  if (rolledBack === undefined) return asked === revision ? `${shown}: the revision is not rolled back` : undefined;
  if (asked !== revision) return `${shown}: revision ${revision} is rolled back, use ${quoted(String(revision))}`;
  return `${shown} was fulfilled, and the revision is rolled back again: use another text, e.g. ${quoted(`${revision}@2`)}`;
}

function abortWarning(text: string, record: RolloutRecord): string | undefined {
  if (text.slice(0, MAX_TEXT) === record.aborted) return undefined;
  const shown = `abort-rollout ${quoted(text)}`;
  if (revisionIn(text.split('@', 1)[0] ?? '') === undefined) return `${shown} is not the number of a revision`;
  const { revision } = record;
  if (!isFor(text, record)) return `${shown} is not for revision ${revision}: use ${quoted(String(revision))}`;
  return `${shown}: the rollout is complete, pin-revision goes back to an earlier revision`;
}

function pauseWarning(text: string): string | undefined {
  if (text === 'true' || text === 'false') return undefined;
  return `pause-rollout ${quoted(text)} is neither "true" nor "false": the rollout is paused`;
}

function windowWarning(text: string): string | undefined {
  if (revisionIn(text) !== undefined) return undefined;
  return `ignore-windows ${quoted(text)} is not the number of a revision`;
}

/** What users should know about their requests. */
export function requestWarnings(requests: RolloutRequests, record: RolloutRecord, view: ApprovalView): string[] {
  const { approved, retry, abort, paused, ignoreWindows } = requests;
  const warnings = [
    approved === undefined ? undefined : approvalWarning(approved, view),
    retry === undefined ? undefined : retryWarning(retry, record),
    abort === undefined ? undefined : abortWarning(abort, record),
    paused === undefined ? undefined : pauseWarning(paused),
    ignoreWindows === undefined ? undefined : windowWarning(ignoreWindows),
  ];
  return warnings.filter((warning) => warning !== undefined);
}
