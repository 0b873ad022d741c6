import type { Application } from '../../api/v1alpha1/application.js';
import type { Result } from '../runtime/controller.js';
import { PartialError } from '../runtime/pure/errors.js';
import { keyOf, parseKey } from '../runtime/pure/keys.js';
import { applySteps } from './apply.js';
import type { Pass } from './context.js';
import { ensureFinalizer, finalize } from './finalize.js';
import { wantedReleases } from './mappings.js';
import type { Verdict } from './model/conditions.js';
import { entriesOf } from './model/entries.js';
import { firstLabels } from './model/marks.js';
import { rowsOf } from './model/rows.js';
import { announcements, writeEvents } from './model/transitions.js';
import type { Outcome } from './model/types.js';
import { findViolation } from './model/validate.js';
import { planWork } from './model/work.js';
import { observe } from './observe.js';
import { passOnRequests } from './requests.js';
import { tell, writeMarks, writeStatus } from './record.js';

function throwFailures(application: Application, outcomes: readonly Outcome[]): void {
  const errors = outcomes.flatMap(({ error }) => (error === undefined ? [] : [error]));
  if (errors.length === 0) return;
  throw new PartialError(`${errors.length} children of Application ${keyOf(application.metadata)} failed`, errors);
}

/** observe -> entries -> plan -> apply -> status, for an Application that is valid as a whole. */
async function rollOut(observedApplication: Application, pass: Pass): Promise<void> {
  const entries = entriesOf(observedApplication);
  const application = await ensureFinalizer(
    observedApplication,
    firstLabels(observedApplication, entries.length),
    pass,
  );
  const observed = observe(application, pass, wantedReleases(application));
  const { steps, rejected } = planWork({ ...observed, entries });
  tell(application, announcements(steps), pass);
  const outcomes = await applySteps(steps, pass);
  tell(application, writeEvents(outcomes), pass);
  const requests = await passOnRequests(application, outcomes, pass);
  const rows = rowsOf({ ...observed, outcomes, rejected });
  const violations = rejected.map(({ violation }) => violation);
  const verdict: Verdict = { lack: observed.sourceLack, rejected: violations, rows, requests };
  const written = await writeStatus(application, verdict, pass);
  await writeMarks(written, verdict, pass);
  throwFailures(application, outcomes);
}

/** One pass over one Application. Level-based: it remembers nothing of the last one. */
export async function reconcile(key: string, pass: Pass): Promise<Result> {
  const application = pass.applications.get(parseKey(key));
  if (application === undefined) return {};
  if (application.metadata.deletionTimestamp !== undefined) return finalize(application, pass);
  const violation = findViolation(application, pass.rules);
  if (violation === undefined) await rollOut(application, pass);
  else await writeStatus(application, { violation, rejected: [], rows: [] }, pass);
  return {};
}
