import isEqual from 'lodash/isEqual.js';
import omit from 'lodash/omit.js';
import type { Application, ApplicationStatus } from '#api/v1alpha1/application.js';
import { WORST_FIRST } from '#api/v1alpha1/states.js';
import { printTemplatesInUse } from '#api/v1alpha1/template.js';
import { withoutDryRun } from '#engine/dry-run/report.js';
import { timestamp } from '#lib/kube/conditions.js';
import { defined } from '#lib/plain.js';
import { backendFor } from './backends/index.js';
import type { Outcome } from './child/verdicts.js';
import type { Plan } from './decide.js';
import { statedEngine } from './spec/flux-spec.js';
import { nextConditions, type Saved, shownWarnings, type StatusInput } from './status/conditions.js';
import {
  consoleStatus,
  handledBy,
  MAX_CONSOLE_DESTINATIONS,
  type MetadataChange,
  nextMetadata,
} from './status/console.js';
import { type NewEvent, statusEvents, writeEvents } from './status/events.js';
import { PendingMemory, pendingStatus } from './status/pending.js';
import { groupRows, type Row, type Rows, type ShownRow } from './status/rows.js';

/** Keeps the object small enough for `kubectl edit`; the worst come first. */
const MAX_ROWS = 200;
/** Bytes of all rows, whatever their names and messages: with conditions and summary the status keeps below 100 KB. */
const MAX_ROW_BYTES = 85_000;
const MAX_REVISIONS = 10;

function summaryOf({ wanted, ready }: Rows) {
  const counts = WORST_FIRST.map(
    (state) => [state.toLowerCase(), wanted.filter((row) => row.state === state).length] as const,
  );
  return { desired: wanted.length, ready: `${ready}/${wanted.length}`, states: Object.fromEntries(counts) };
}

/** The worst rows, as many as may be listed. */
function shownRows(rows: readonly Row[], memory: PendingMemory): ShownRow[] {
  const shown: ShownRow[] = [];
  let bytes = 0;
  for (const each of rows.slice(0, MAX_ROWS)) {
    const row = { ...shownRow(each), ...defined({ since: memory.stateSince(each), wait: memory.waitOf(each) }) };
    bytes += Buffer.byteLength(JSON.stringify(row)) + 1;
    if (bytes > MAX_ROW_BYTES) break;
    shown.push(row);
  }
  return shown;
}

/** Unlike a child that is suspended, one in a dry run of its own takes along what it deployed. */
function isInDryRun({ state, child }: Row): boolean {
  return state === 'Suspended' && child?.spec.suspend !== true;
}

function shownRow(row: Row): ShownRow {
  const { name, cluster, namespace, release, child, state, revision, message, stage, replaced } = row;
  return {
    name,
    cluster,
    ...defined({ namespace, release }),
    ...(child === undefined ? {} : { child: { kind: child.kind, name: child.metadata.name } }),
    state,
    ...defined({ revision }),
    message,
    ...(isInDryRun(row) ? { dryRun: true } : {}),
    ...defined({ stage, replaced }),
  };
}

function revisionText([lowest, ...others]: readonly string[]): string | undefined {
  return lowest === undefined || others.length === 0 ? lowest : `${lowest} (+${others.length})`;
}

function rowFields(rows: Rows, application: Application, memory: PendingMemory) {
  const { consoleField } = backendFor(application);
  const { revisions } = rows;
  const revision = revisionText(revisions);
  // The server dates every object; only one that never was on a server has no time.
  const since = application.metadata.creationTimestamp ?? timestamp(0);
  const map = consoleStatus(rows, { since, before: application.status?.fluxApp?.[consoleField] });
  const destinations = shownRows(rows.all, memory);
  return {
    summary: summaryOf(rows),
    destinations,
    ...(destinations.length < rows.all.length ? { truncated: true } : {}),
    ...(revision === undefined ? {} : { revision, revisions: revisions.slice(0, MAX_REVISIONS) }),
    ...(map === undefined
      ? { fluxApp: { omitted: `more than ${MAX_CONSOLE_DESTINATIONS} destinations: see destinations` } }
      : { fluxApp: { [consoleField]: map } }),
  };
}

function remembered(before: ApplicationStatus | undefined, requests: StatusInput['requests'] = {}) {
  const { lastHandledReconcileAt, lastHandledForceAt, lastHandledResetAt } = before ?? {};
  return defined({ lastHandledReconcileAt, lastHandledForceAt, lastHandledResetAt, ...handledBy(requests) });
}

function templateFields(templates: StatusInput['templates'] = []) {
  return templates.length === 0 ? {} : { template: printTemplatesInUse(templates), templates: [...templates] };
}

function warningFields(warnings: StatusInput['warnings'] = []) {
  return warnings.length === 0 ? {} : { warnings: shownWarnings(warnings) };
}

/** Fields that are not known of an Application that is invalid as a whole stay. */
function clusterFields(before: ApplicationStatus | undefined, input: StatusInput, memory: PendingMemory) {
  const { violation, rows } = input;
  const isUnknown = violation !== undefined || rows === undefined;
  const { clusters, removals, history, rollout, sources } = isUnknown ? (before ?? {}) : input;
  const pending = isUnknown ? before?.pending : pendingStatus(rows.all, memory);
  return { clusters, removals, history, rollout, pending, sources };
}

/**
 * The whole status after a pass. What was known of the destinations stays when they were not looked at. `nowMs` is
 * epoch milliseconds and only used for what changes.
 */
export function nextStatus(application: Application, input: StatusInput, nowMs: number): ApplicationStatus {
  const before = application.status && withoutDryRun(application.status);
  const generation = application.metadata.generation ?? 0;
  const now = timestamp(nowMs);
  const conditions = nextConditions(before?.conditions ?? [], input, { generation, now });
  const kind = before?.kind ?? statedEngine(application);
  const { rollout, removals } = input;
  const memory = new PendingMemory({ rollout, removals, before, now });
  const destinations =
    input.rows === undefined ? before && omit(before, 'warnings') : rowFields(input.rows, application, memory);
  return {
    ...destinations,
    observedGeneration: generation,
    conditions,
    ...warningFields(input.warnings),
    ...remembered(before, input.requests),
    ...defined({ kind }),
    ...templateFields(input.templates),
    ...defined(clusterFields(before, input, memory)),
  };
}

/** The result of a plan. */
export interface Acted {
  /** After the plan. */
  readonly application: Application;
  readonly outcomes: readonly Outcome[];
  /** The requests that were forwarded. */
  readonly requests: Readonly<Record<string, string>>;
  /** The result of saving as a template, if requested. */
  readonly saved: Saved | undefined;
  /** All failures: none stops another action. */
  readonly errors: readonly unknown[];
  /** The rest is left to the next reconciliation; see `willReconcileAgain`. */
  readonly incomplete: boolean;
  /** Children stay that were to be removed: something changed while the others were written. */
  readonly isLate: boolean;
}

/** What is written at the end; undefined: unchanged. */
export interface Conclusion {
  readonly application: Application;
  readonly metadata: MetadataChange | undefined;
  readonly status: ApplicationStatus | undefined;
  /** Events about changes of the status. */
  readonly events: readonly NewEvent[];
}

/** Events about writes; those of a deletion were recorded before its steps. */
export function eventsOfWrites({ purpose }: Plan, outcomes: readonly Outcome[]): NewEvent[] {
  return purpose === 'deletion' ? [] : writeEvents(outcomes);
}

/**
 * True if children were created without errors: their watch events trigger another reconciliation, which writes the
 * status. That gives priority to Applications that have no children yet.
 */
export function willReconcileAgain(
  { requests }: Plan,
  { outcomes, errors }: Pick<Acted, 'outcomes' | 'errors'>,
): boolean {
  const isQuiet = errors.length === 0 && Object.keys(requests).length === 0;
  return isQuiet && outcomes.some(({ step }) => step.op === 'create');
}

/** Derives metadata, status and events from a plan and its outcomes. `nowMs` is epoch milliseconds. Never throws. */
export function conclude(plan: Plan, acted: Acted, nowMs: number): Conclusion {
  const { application, outcomes, requests, saved } = acted;
  const { finding, purpose, rowsAfter } = plan;
  const rows = rowsAfter(outcomes);
  const input: StatusInput = { ...finding, rows: rows === undefined ? undefined : groupRows(rows), requests, saved };
  const metadata = purpose === 'deletion' ? undefined : nextMetadata(application, input);
  const status = nextStatus(application, input, nowMs);
  if (isEqual(application.status, status)) return { application, metadata, status: undefined, events: [] };
  return { application, metadata, status, events: statusEvents(application.status, input, status) };
}
