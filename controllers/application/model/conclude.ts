import isEqual from 'lodash/isEqual.js';
import type { Application, ApplicationStatus } from '#api/v1alpha1/application.js';
import type { Saved, StatusInput } from './conditions.js';
import type { Plan } from './decide.js';
import { nextMetadata, type MetadataChange } from './metadata.js';
import { statusEvents } from './row-events.js';
import { nextStatus } from './status.js';
import { writeEvents, type NewEvent } from './events.js';
import type { Outcome } from './types.js';

/** What came of a plan. */
export interface Acted {
  /** As it is then. */
  readonly application: Application;
  readonly outcomes: readonly Outcome[];
  /** What was passed on of the requests. */
  readonly requests: Readonly<Record<string, string>>;
  /** How saving as a template went, if that was asked for. */
  readonly saved: Saved | undefined;
  /** One failure never stops anything else. */
  readonly errors: readonly unknown[];
}

/** What a pass writes in the end; undefined is what stays as it is. */
export interface Conclusion {
  readonly application: Application;
  readonly metadata: MetadataChange | undefined;
  readonly status: ApplicationStatus | undefined;
  /** What the new status is worth telling. */
  readonly events: readonly NewEvent[];
}

/** Events of what was written; of a deletion everything was told beforehand. */
export function eventsOfWrites({ purpose }: Plan, outcomes: readonly Outcome[]): NewEvent[] {
  return purpose === 'deletion' ? [] : writeEvents(outcomes);
}

/**
 * True when children were made and nothing went wrong: each comes back as a change, and the pass that this brings tells
 * how they fare. The children of Applications that wait for their first pass come before that.
 */
export function willReconcileAgain(
  { requests }: Plan,
  { outcomes, errors }: Pick<Acted, 'outcomes' | 'errors'>,
): boolean {
  const isQuiet = errors.length === 0 && Object.keys(requests).length === 0;
  return isQuiet && outcomes.some(({ step }) => step.op === 'create');
}

/** What a pass says once its plan was acted upon. `nowMs` is epoch milliseconds. Never throws. */
export function conclude({ finding, purpose, rowsAfter }: Plan, acted: Acted, nowMs: number): Conclusion {
  const { application, outcomes, requests, saved } = acted;
  const input: StatusInput = { ...finding, rows: rowsAfter(outcomes), requests, saved };
  const metadata = purpose === 'deletion' ? undefined : nextMetadata(application, input);
  const status = nextStatus(application, input, nowMs);
  if (isEqual(application.status, status)) return { application, metadata, status: undefined, events: [] };
  return { application, metadata, status, events: statusEvents(application.status, input, status) };
}
