import type { HelmRelease } from './types.js';

/** Annotations by which a user asks for something once. */
const REQUESTED_AT = 'reconcile.fluxcd.io/requestedAt';
const FORCE_AT = 'reconcile.fluxcd.io/forceAt';
const RESET_AT = 'reconcile.fluxcd.io/resetAt';

export interface Requests {
  /** Install or upgrade once, whatever the state. */
  readonly force: boolean;
  /** Forget failures once. */
  readonly reset: boolean;
  /** What status records of them; recorded even when not acted upon. */
  readonly handled: {
    readonly lastHandledReconcileAt?: string;
    readonly lastHandledForceAt?: string;
    readonly lastHandledResetAt?: string;
  };
}

/** `forceAt` and `resetAt` count when they equal `requestedAt` and are new. */
export function readRequests({ metadata, status }: HelmRelease): Requests {
  const annotations = metadata.annotations ?? {};
  const requestedAt = annotations[REQUESTED_AT];
  const [forceAt, resetAt] = [annotations[FORCE_AT], annotations[RESET_AT]];
  const isNew = (value: string | undefined, handled: string | undefined): boolean =>
    value !== undefined && value === requestedAt && value !== handled;
  return {
    force: isNew(forceAt, status?.lastHandledForceAt),
    reset: isNew(resetAt, status?.lastHandledResetAt),
    handled: {
      ...(requestedAt === undefined ? {} : { lastHandledReconcileAt: requestedAt }),
      ...(forceAt === undefined ? {} : { lastHandledForceAt: forceAt }),
      ...(resetAt === undefined ? {} : { lastHandledResetAt: resetAt }),
    },
  };
}
