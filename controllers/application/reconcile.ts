import isEmpty from 'lodash/isEmpty.js';
import type { Application } from '../../api/v1alpha1/application.js';
import { templatesInUse } from '../../api/v1alpha1/template.js';
import type { Result } from '../runtime/controller.js';
import { PartialError } from '../runtime/pure/errors.js';
import { keyOf, parseKey } from '../runtime/pure/keys.js';
import { letGoAbandoned } from './abandon.js';
import { applySteps } from './apply.js';
import type { Pass } from './context.js';
import { finalize, holdForOrphans } from './finalize.js';
import { holdWithoutOwner } from './hold.js';
import { judge } from './judge.js';
import { wantedReleases } from './mappings.js';
import { hasBackend } from './model/backends/index.js';
import type { Sound } from './model/claims.js';
import type { Verdict } from './model/conditions.js';
import { abandonRemark, clusterOf } from './model/deletion.js';
import { entriesOf } from './model/entries.js';
import { clusterLabel } from './model/cluster.js';
import { engineOf } from './model/engine.js';
import { releaseIndexValue } from './model/identity.js';
import { onlook } from './model/onlook.js';
import { remarksOf } from './model/remarks.js';
import { newRequests } from './model/requests.js';
import { rowsOf } from './model/rows.js';
import { steadyRows } from './model/steady.js';
import type { Resolved } from './model/template-use.js';
import { announcements, writeEvents } from './model/transitions.js';
import type { Child, Entry, Outcome, Step, Violation } from './model/types.js';
import { planWork } from './model/work.js';
import { observe, type Observed } from './observe.js';
import { passOnRequests } from './requests.js';
import { record, tell } from './record.js';
import { saveTemplates } from './save.js';
import { olderClaims } from './rivals.js';

function failuresOf(outcomes: readonly Outcome[]): unknown[] {
  return outcomes.flatMap(({ error }) => (error === undefined ? [] : [error]));
}

function throwFailures(application: Application, errors: readonly unknown[]): void {
  if (errors.length === 0) return;
  throw new PartialError(`${errors.length} writes for Application ${keyOf(application.metadata)} failed`, errors);
}

/**
 * True when children were made and nothing went wrong: each comes back as a change, and the pass that this brings tells
 * how they fare. The children of Applications that wait for their first pass come before that.
 */
function comesAgain(outcomes: readonly Outcome[]): boolean {
  return outcomes.every(({ error }) => error === undefined) && outcomes.some(({ step }) => step.op === 'create');
}

/** The release that a child holds from a step on. */
function comingTo({ metadata }: Application, step: Step): string[] {
  const isWritten = step.op === 'create' || step.op === 'update';
  return isWritten ? [releaseIndexValue(metadata.namespace ?? '', step.entry.release)] : [];
}

/** True when the pass writes or deletes the child anyway. */
function isWritten(step: Step, child: Child): boolean {
  return (step.op === 'update' || step.op === 'delete') && step.live === child;
}

function remarkOf(resolved: Resolved, { application, owned, unseen }: Observed, entries: readonly Entry[]) {
  const clusters = [...entries.map(({ kubeConfig }) => clusterLabel(kubeConfig)), ...owned.map(clusterOf)];
  return remarksOf(application, resolved.remark, unseen, abandonRemark(application, clusters));
}

/**
 * observe -> entries -> plan -> apply -> status, for an Application that is valid as a whole. Our finalizer comes with
 * what the status pass writes: until then the owner references of the children have the server do what it would do.
 */
async function rollOut(observedApplication: Application, sound: Sound, pass: Pass): Promise<void> {
  const { resolved, entries } = sound;
  const application = await holdForOrphans(observedApplication, pass);
  const { inUse: templates, sources } = resolved;
  const effective = { ...resolved.application, metadata: application.metadata };
  const releases = wantedReleases(effective);
  const claims = await olderClaims(effective, releases, pass);
  const observed = observe(effective, pass, { releases, claims, sources });
  const { steps, rejected } = planWork({ ...observed, ...sound });
  tell(application, announcements(steps), pass);
  const coming = steps.flatMap((step) => comingTo(application, step));
  const outcomes = await pass.reservations.during(application, coming, () => applySteps(steps, pass));
  tell(application, writeEvents(outcomes), pass);
  const untouched = observed.owned.filter((child) => !steps.some((step) => isWritten(step, child)));
  const owning = await holdWithoutOwner(application, untouched, pass);
  const stuck = [...owning, ...(await letGoAbandoned(application, observed.owned, pass))];
  if (stuck.length === 0 && comesAgain(outcomes) && isEmpty(newRequests(application))) return;
  const { requests, errors } = await passOnRequests(application, { outcomes, sources }, pass);
  const rows = steadyRows(rowsOf({ ...observed, outcomes, rejected }), application.status);
  const violations = rejected.map(({ violation }) => violation);
  const saved = await saveTemplates(application, pass);
  const lack = observed.sourceLack;
  const remark = remarkOf(resolved, observed, entries);
  const verdict: Verdict = { lack, rejected: violations, rows, requests, saved, templates, remark };
  await record(application, verdict, pass);
  throwFailures(application, [...failuresOf(outcomes), ...stuck, ...errors]);
}

/**
 * For an Application that is wrong as a whole: tells why and how its children fare, and touches no spec of them. One
 * that was never of this engine has none, and gets nothing but its conditions.
 */
async function lookOn(application: Application, violation: Violation, pass: Pass): Promise<void> {
  const templates = templatesInUse(application.status);
  if (!hasBackend(engineOf(application))) {
    return record(application, { violation, rejected: [], rows: undefined, templates }, pass);
  }
  const observed = observe(application, pass, { releases: [], claims: new Map(), sources: [] });
  const outcomes = onlook(entriesOf(application), observed.owned);
  const rows = steadyRows(rowsOf({ ...observed, outcomes, rejected: [] }), application.status);
  const stuck = [
    ...(await holdWithoutOwner(application, observed.owned, pass)),
    ...(await letGoAbandoned(application, observed.owned, pass)),
  ];
  await record(application, { violation, rejected: [], rows, templates }, pass);
  throwFailures(application, stuck);
}

/** One pass over one Application. Level-based: it remembers nothing of the last one. */
export async function reconcile(key: string, pass: Pass): Promise<Result> {
  const application = pass.applications.get(parseKey(key));
  if (application === undefined) return {};
  if (application.metadata.deletionTimestamp !== undefined) return finalize(application, pass);
  const judgement = await judge(application, pass);
  // A template that nobody has looked at yet: its status brings the next pass.
  if (judgement === 'pending') return {};
  if ('violation' in judgement) await lookOn(application, judgement.violation, pass);
  else await rollOut(application, judgement, pass);
  return {};
}
