import { FORCE_AT_ANNOTATION, REQUESTED_AT_ANNOTATION, RESET_AT_ANNOTATION } from '#api/flux/annotations.js';
import { defined } from '#lib/plain.js';
import type { Applying } from './types.js';

export interface Requests {
  /** Install or upgrade once, in any state. */
  readonly force: boolean;
  /** Reset the failure counters once. */
  readonly reset: boolean;
  /** What the status records of the requests, even if they had no effect. */
  readonly handled: {
    readonly lastHandledReconcileAt?: string;
    readonly lastHandledForceAt?: string;
    readonly lastHandledResetAt?: string;
  };
}

/** `forceAt` and `resetAt` count when they equal `requestedAt` and are new. */
export function readRequests({ metadata, status }: Applying): Requests {
  const annotations = metadata.annotations ?? {};
  const requestedAt = annotations[REQUESTED_AT_ANNOTATION];
  const [forceAt, resetAt] = [annotations[FORCE_AT_ANNOTATION], annotations[RESET_AT_ANNOTATION]];
  const isNew = (value: string | undefined, handled: string | undefined): boolean =>
    value !== undefined && value === requestedAt && value !== handled;
  return {
    force: isNew(forceAt, status?.lastHandledForceAt),
    reset: isNew(resetAt, status?.lastHandledResetAt),
    handled: {
      ...defined({ lastHandledReconcileAt: requestedAt, lastHandledForceAt: forceAt, lastHandledResetAt: resetAt }),
    },
  };
}
