import type { EventRecorder } from '../../runtime/events.js';
import type { KeptStatus } from './kept-status.js';
import type { ProgressStatus } from './model/progress.js';
import type { NewEvent } from './model/types.js';

/** What a phase wants known of an object. */
export interface Report<Status> {
  readonly status: Status;
  readonly events?: readonly NewEvent[];
}

/** The part of a reconciliation that reports. */
export interface Reporting<Status extends ProgressStatus> {
  readonly status: KeptStatus<Status>;
  readonly events: EventRecorder;
}

/** Records events, and keeps the status for the next write. */
export function report<S extends ProgressStatus>({ status, events = [] }: Report<S>, pass: Reporting<S>): void {
  pass.status.current = status;
  for (const { type, reason, message } of events) pass.events.record(pass.status.object, type, reason, message);
}

/** Reports, and writes the status if it differs from what is written. */
export async function writeStatus<S extends ProgressStatus>(reported: Report<S>, pass: Reporting<S>): Promise<void> {
  report(reported, pass);
  await pass.status.write();
}
