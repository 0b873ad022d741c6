import omit from 'lodash/omit.js';
import pick from 'lodash/pick.js';
import { WaitingError } from '#lib/errors.js';
import { changeSet, type Computation } from '../../dry-run/change-set.js';
import { isNews, reported, reportOf, type DryRunStatus, type Report } from '../../dry-run/report.js';
import { afterError, atInterval, isReadyFor, isReported, type Conclusion, type Failure } from './conclusion.js';
import type { PassMoment, Problem } from './progress.js';
import { readRequests } from './requests.js';
import type { Applying, NewEvent } from './types.js';

function report<S extends DryRunStatus>(
  object: Applying,
  status: S,
  { moment, said, type }: { readonly moment: PassMoment; readonly said: Report; readonly type: NewEvent['type'] },
): Omit<Conclusion<S>, 'next'> {
  const { reason, message } = said;
  const next = { ...status, conditions: reported(status.conditions ?? [], said, moment) };
  return {
    // What was requested is answered; what is to be forced or reset is left to the pass that writes.
    status: { ...next, ...pick(readRequests(object).handled, 'lastHandledReconcileAt') },
    events: isNews(object.status?.conditions, said) ? [{ type, reason, message }] : [],
  };
}

/** True unless this spec is what is applied: the values so far may come from a Secret that it no longer refers to. */
export function hidesOld({ metadata, status }: Applying): boolean {
  return !isReadyFor(status, metadata.generation);
}

/** Publishes a change set; the same one again is no news. Never throws. */
export function concludeDryRun<S extends DryRunStatus>(
  object: Applying,
  status: S,
  { moment, ...computed }: Omit<Computation, 'now' | 'observedGeneration'> & { readonly moment: PassMoment },
): Conclusion<S> {
  const { generation: observedGeneration, now } = moment;
  const dryRun = changeSet({ ...computed, observedGeneration, now }, status.dryRun);
  const said = reportOf(dryRun);
  const type = said.status === 'True' ? 'Normal' : 'Warning';
  return { ...report(object, { ...status, dryRun }, { moment, said, type }), next: atInterval(object) };
}

/** Reports why there is no change set; an old one is not shown any longer. Never throws. */
export function concludeFailedDryRun<S extends DryRunStatus>(
  object: Applying,
  status: S,
  failed: {
    readonly moment: PassMoment;
    readonly problem: Problem;
    readonly type: NewEvent['type'];
    readonly next: Conclusion<S>['next'];
  },
): Conclusion<S> {
  const { moment, problem, type, next } = failed;
  const said = { status: 'False', ...pick(problem, 'reason', 'message') } as const;
  // A field that every status may lack.
  return { ...report(object, omit(status, 'dryRun') as S, { moment, said, type }), next };
}

/** The result of a dry run that an error ends. Never throws. */
export function concludeDryRunError<S extends DryRunStatus>(
  object: Applying,
  failure: Failure,
  { status, moment }: { readonly status: S; readonly moment: PassMoment },
): Conclusion<S> {
  const { error, problem } = failure;
  const next = afterError(object, error);
  if (!isReported(object, failure)) return { status, events: [], next };
  const type = error instanceof WaitingError ? 'Normal' : 'Warning';
  return concludeFailedDryRun(object, status, { moment, problem, type, next });
}
