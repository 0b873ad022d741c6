import { listed } from '#controllers/runtime/pure/listed.js';
import { quoted } from './stages.js';
import type { RolloutRecord, RolloutRequests, StageSpec } from './types.js';

const NUMBER = /^[0-9]{1,15}$/;
/** The longest text of a request that is remembered. */
const MAX_TEXT = 100;
const NAMED = 5;

/** `STAGE@REVISION`, the text that approves a stage. */
export function approvalOf(stage: string, revision: number): string {
  return `${stage}@${revision}`;
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
  const at = text.lastIndexOf('@');
  const revision = revisionIn(text.slice(at + 1));
  return at < 1 || revision === undefined ? undefined : { stage: text.slice(0, at), revision };
}

/** True if a revision may pass windows that are closed. */
export function ignoresWindows({ ignoreWindows }: RolloutRequests, revision: number): boolean {
  return ignoreWindows === String(revision);
}

/** What may be rolled out again after it was rolled back; a request is fulfilled once. */
export function afterRetry(record: RolloutRecord, { retry }: RolloutRequests): RolloutRecord {
  const { retried, rolledBack, ...rest } = record;
  const back = rolledBack === undefined ? {} : { rolledBack };
  if (retry === undefined) return { ...rest, ...back };
  const text = retry.slice(0, MAX_TEXT);
  const isNew = text !== retried && revisionIn(text.split('@', 1)[0] ?? '') === record.revision;
  if (isNew && rolledBack !== undefined) return { ...rest, retried: text };
  return { ...rest, ...back, ...(retried === undefined ? {} : { retried }) };
}

export interface ApprovalView {
  readonly stages: readonly StageSpec[];
  readonly revision: number;
  /** The stage that waits for an approval now. */
  readonly waiting: string | undefined;
  readonly hasStarted: (stage: string) => boolean;
}

function approvalWarning(text: string, { stages, revision, waiting, hasStarted }: ApprovalView): string | undefined {
  const shown = `approve-stage ${quoted(text)}`;
  const approval = readApproval(text);
  if (approval === undefined) return `${shown} is not STAGE@REVISION`;
  if (approval.revision !== revision) {
    if (waiting === undefined) return undefined;
    return `${shown} is not for revision ${revision}: use ${quoted(approvalOf(waiting, revision))}`;
  }
  const stage = stages.find(({ name }) => name === approval.stage);
  const names = stages.map(({ name }) => quoted(name));
  if (stage === undefined) return `${shown}: there is no such stage, only ${listed(names, NAMED)}`;
  if (stage.approval !== true) return `${shown}: the stage needs no approval`;
  if (hasStarted(stage.name) || stage.name === waiting) return undefined;
  return `${shown}: the stage does not wait for an approval yet, and will not wait for another one`;
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

/** What users should know about their requests. */
export function requestWarnings(requests: RolloutRequests, record: RolloutRecord, view: ApprovalView): string[] {
  const { approved, retry } = requests;
  const warnings = [
    approved === undefined ? undefined : approvalWarning(approved, view),
    retry === undefined ? undefined : retryWarning(retry, record),
  ];
  return warnings.filter((warning) => warning !== undefined);
}
