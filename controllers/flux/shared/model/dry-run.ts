import omit from 'lodash/omit.js';
import pick from 'lodash/pick.js';
import type { DryRun } from '#api/dry-run.js';
import { DRY_RUN_ANNOTATION } from '#api/v1alpha1/labels.js';
import { changeSet, summaryText, type Computation } from '#controllers/dry-run/change-set.js';
import { getCondition } from '#controllers/runtime/pure/conditions.js';
import { WaitingError } from '#controllers/runtime/pure/errors.js';
import { afterError, atInterval, isReported, type Conclusion, type Failure } from './conclusion.js';
import { withCondition, withoutConditions, type PassMoment, type Problem, type ProgressStatus } from './progress.js';
import { readRequests } from './requests.js';
import type { Applying, NewEvent } from './types.js';

const TYPE = 'DryRun';
/** Digits of the digest that tell change sets apart for people. */
const SHORT_DIGEST = 10;

interface DryRunStatus extends ProgressStatus {
  dryRun?: DryRun;
}

/** The status without what an earlier dry run said; unchanged if there was none. */
export function withoutDryRun<S extends DryRunStatus>(status: S): S {
  if (status.dryRun === undefined && getCondition(status.conditions, TYPE) === undefined) return status;
  // A field that every status may lack.
  return withoutConditions(omit(status, 'dryRun') as S, TYPE);
}

/** Ready is of what is applied: a dry run leaves it unchanged, and only says what nothing else has said yet. */
function withReady<S extends DryRunStatus>(status: S, moment: PassMoment, message: string): S {
  const known = getCondition(status.conditions, 'Ready');
  if (known !== undefined && known.reason !== TYPE) return status;
  return withCondition(status, moment, { type: 'Ready', status: 'Unknown', reason: TYPE, message });
}

type Said = Problem & { readonly status: 'True' | 'False'; readonly type: NewEvent['type'] };

function report<S extends DryRunStatus>(
  object: Applying,
  status: S,
  { moment, said }: { readonly moment: PassMoment; readonly said: Said },
): Omit<Conclusion<S>, 'next'> {
  const { reason, message } = said;
  const known = getCondition(object.status?.conditions, TYPE);
  const isNews = known?.reason !== reason || known.message !== message;
  const next = withCondition(withReady(status, moment, message), moment, {
    ...{ type: TYPE, status: said.status, reason, message },
  });
  return {
    // What was requested is answered; what is to be forced or reset is left to the pass that writes.
    status: { ...next, ...pick(readRequests(object).handled, 'lastHandledReconcileAt') },
    events: isNews ? [{ type: said.type, reason, message }] : [],
  };
}

function firstFailure({ objects = [] }: DryRun): string | undefined {
  const [first] = objects;
  if (first?.action !== 'failed') return undefined;
  const subject = [first.kind, first.namespace, first.name].filter((part) => part !== undefined).join('/');
  return `${subject}: ${first.message ?? ''}`;
}

/** Publishes a change set; the same one again is no news. Never throws. */
export function concludeDryRun<S extends DryRunStatus>(
  object: Applying,
  status: S,
  { moment, ...computed }: Omit<Computation, 'now' | 'observedGeneration'> & { readonly moment: PassMoment },
): Conclusion<S> {
  const { generation: observedGeneration, now } = moment;
  const dryRun = changeSet({ ...computed, observedGeneration, now }, status.dryRun);
  const what = [dryRun.action, summaryText(dryRun), firstFailure(dryRun)]
    .filter((part) => part !== undefined)
    .join(': ');
  const short = dryRun.digest.replace('sha256:', '').slice(0, SHORT_DIGEST);
  const message = `${what}; nothing is written while the annotation ${DRY_RUN_ANNOTATION} is set (change set ${short})`;
  const said: Said =
    dryRun.summary.failed === 0
      ? { status: 'True', reason: 'DryRunSucceeded', message, type: 'Normal' }
      : { status: 'False', reason: 'DryRunFailed', message, type: 'Warning' };
  return { ...report(object, { ...status, dryRun }, { moment, said }), next: atInterval(object) };
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
  const said: Said = { status: 'False', ...pick(problem, 'reason', 'message'), type };
  // A field that every status may lack.
  return { ...report(object, omit(status, 'dryRun') as S, { moment, said }), next };
}

/** What an error that ends a dry run comes to. Never throws. */
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
