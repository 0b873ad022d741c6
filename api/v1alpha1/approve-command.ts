import { APPROVE_REMOVALS_ANNOTATION, APPROVE_STAGE_ANNOTATION, RETRY_ROLLOUT_ANNOTATION } from './labels.js';

interface Named {
  readonly name: string;
  readonly namespace?: string | undefined;
}

function annotateCommand({ name, namespace = '' }: Named, annotation: string): string {
  return `kubectl annotate --overwrite gapp ${name} -n ${namespace} ${annotation}`;
}

/** In the row of each destination whose removal waits for an approval. */
export const NEEDS_APPROVAL = 'this needs an approval: see RemovalsHeld';

/** What approves the removals of an Application that wait, for a shell. */
export function approveCommand(application: Named, approval: string): string {
  return annotateCommand(application, `${APPROVE_REMOVALS_ANNOTATION}='${approval}'`);
}

/** Suffix of an approval that also accepts that an earlier stage proved nothing. */
export const UNPROVEN = '@unproven';

/**
 * `NUMBER-DIGEST`, by which requests name a revision: numbers begin again once an Application is created again, and mean
 * another content then. Without a digest, which older versions did not give, the number alone.
 */
export function revisionId(revision: number, digest: string | undefined): string {
  return digest === undefined ? String(revision) : `${revision}-${digest}`;
}

const REVISION_ID = /^([1-9]\d{0,8})(?:-([0-9a-f]{1,64}))?$/;

/** A revision as users name it: the digest is not needed to pin it. */
export interface RevisionId {
  readonly revision: number;
  readonly digest: string | undefined;
}

/** Reads `NUMBER` or `NUMBER-DIGEST`; undefined for any other text. */
export function readRevisionId(text: string | undefined): RevisionId | undefined {
  const [, number, digest] = REVISION_ID.exec(text ?? '') ?? [];
  return number === undefined ? undefined : { revision: Number(number), digest };
}

/**
 * `STAGE@REVISION`, the text that approves a stage; `revision` is a `revisionId`. Continuing without a proof needs a
 * different text: a user who approved early did not know that an earlier stage would prove nothing.
 */
export function approvalOf(stage: string, revision: string, isUnproven = false): string {
  return `${stage}@${revision}${isUnproven ? UNPROVEN : ''}`;
}

/** What approves a stage of its rollout; `approval` is made of names and numbers only. */
export function approveStageCommand(application: Named, approval: string): string {
  return annotateCommand(application, `${APPROVE_STAGE_ANNOTATION}=${approval}`);
}

/** What rolls a revision out again that was rolled back. */
export function retryRolloutCommand(application: Named, retry: string): string {
  return annotateCommand(application, `${RETRY_ROLLOUT_ANNOTATION}=${retry}`);
}

/** The stage of all clusters that are in no other one: it may be the last of `stages`, and is there in any case. */
export const REST_STAGE = 'rest';
