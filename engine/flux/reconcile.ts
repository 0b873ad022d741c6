import type { PassContext, Result } from '#runtime/controller.js';
import { CancelledError, ControllerError, TerminalError } from '#lib/errors.js';
import { LostArtifactError } from '../artifact/lost-artifact.js';
import { StaleReadError } from './fresh.js';
import type { Conclusion, Failure } from './model/conclusion.js';
import type { Problem, ProgressStatus } from './model/progress.js';
import type { SecretTexts } from './model/secret-texts.js';
import type { Applying } from './model/types.js';
import { writeStatus, type Reporting } from './write-status.js';
import { reasonText } from '../member/member-failure.js';

/** True for an object that is not reconciled when its applied objects change. */
export function needsNoWatch(object: Applying | undefined): boolean {
  return object === undefined || object.metadata.deletionTimestamp !== undefined || object.spec.suspend === true;
}

/** One reconciliation of a kind. */
export interface Phases<Status> {
  /** `reason`: for errors without one. */
  readonly reason: string;
  /** All phases up to the conclusion. Throws what ends them early. */
  readonly run: () => Promise<Conclusion<Status>>;
  readonly concludeError: (failure: Failure) => Conclusion<Status>;
}

/** The state of one reconciliation of any kind. */
interface Reconciliation extends PassContext {
  readonly secrets: SecretTexts;
}

async function concluded<S>(
  { reason, run, concludeError }: Phases<S>,
  { log, secrets }: Reconciliation,
): Promise<Conclusion<S>> {
  try {
    return await run();
  } catch (unmasked: unknown) {
    // Conclusions from an old read would undo what has been written since.
    if (unmasked instanceof CancelledError || unmasked instanceof StaleReadError) throw unmasked;
    const error = secrets.maskError(unmasked);
    if (error instanceof TerminalError) log.warn({ reason: error.reason, err: error.message }, 'cannot be reconciled');
    const isLostArtifact = error instanceof LostArtifactError;
    return concludeError({ error, problem: problemOf(error, reason), isLostArtifact });
  }
}

/** Whatever ends the phases ends in a conclusion, which is written; except for what says nothing about the object. */
export async function reconcileInPhases<S extends ProgressStatus>(
  pass: Reporting<S> & Reconciliation,
  phases: Phases<S>,
): Promise<Result> {
  try {
    const conclusion = await concluded(phases, pass);
    await writeStatus(conclusion, pass);
    if (conclusion.next.kind === 'fail') throw conclusion.next.error;
    return { requeueAfterMs: conclusion.next.afterMs };
  } finally {
    await pass.status.settle();
  }
}

/** The report of an error that ended a reconciliation, for the status. `reason`: for errors without one. */
export function problemOf(error: unknown, reason: string): Problem & { readonly stalled: boolean } {
  if (!(error instanceof ControllerError)) {
    return { reason: 'InternalError', message: 'an unexpected error: see the controller log', stalled: false };
  }
  return { reason: error.reason ?? reason, message: reasonText(error), stalled: error instanceof TerminalError };
}
