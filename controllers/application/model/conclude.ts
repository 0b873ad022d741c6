import isEqual from 'lodash/isEqual.js';
import type { Application, ApplicationStatus } from '#api/v1alpha1/application.js';
import type { Saved, StatusInput } from './conditions.js';
import type { Plan } from './decide.js';
import { withoutRevision } from './revisions/unkept.js';
import { groupRows } from './rows.js';
import { nextMetadata, type MetadataChange } from './metadata.js';
import { statusEvents } from './row-events.js';
import { nextStatus } from './status.js';
import { writeEvents, type NewEvent } from './events.js';
import type { Outcome } from './verdicts.js';

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
  /** Why the revision that the plan needs could not be kept. */
  readonly unkept?: Error | undefined;
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
  const { application, outcomes, requests, saved, unkept } = acted;
  const { finding, purpose, rowsAfter } = unkept === undefined ? plan : withoutRevision(plan, unkept);
  const rows = rowsAfter(outcomes);
  const input: StatusInput = { ...finding, rows: rows === undefined ? undefined : groupRows(rows), requests, saved };
  const metadata = purpose === 'deletion' ? undefined : nextMetadata(application, input);
  const status = nextStatus(application, input, nowMs);
  if (isEqual(application.status, status)) return { application, metadata, status: undefined, events: [] };
  return { application, metadata, status, events: statusEvents(application.status, input, status) };
}
