/** What the API server said when it refused a request (a Kubernetes `Status`). */
export interface ApiStatus {
  /** HTTP status code. */
  readonly code: number;
  /** Kubernetes reason, e.g. `NotFound`, `Invalid`, `AlreadyExists`; empty when the body was no Status. */
  readonly reason: string;
  /** Field paths and messages of `details.causes`. */
  readonly causes: readonly { readonly field: string; readonly message: string }[];
  /** The object that the answer is about, by resource; the server may name another one than the request. */
  readonly subject?: { readonly resource: string; readonly name: string };
}

/** Why a rule rejects an object of a user. */
export interface Violation<Reason extends string = string> {
  /** Reason of the condition. */
  readonly reason: Reason;
  /** The problem, its place, and the way out. */
  readonly message: string;
}

/** No retry waits longer, whatever a server asks for: it may be anybody's. */
export const LONGEST_RETRY_MS = 900_000;

interface ErrorOptionsWithReason extends ErrorOptions {
  /** PascalCase condition reason. */
  reason?: string | undefined;
}

/**
 * The root of the taxonomy. The class decides the retry (worker.ts), the reason decides the condition,
 * and no code reads the message.
 */
export abstract class ControllerError extends Error {
  /** Absent: what reports the error names the reason. */
  readonly reason: string | undefined;

  constructor(message: string, options: ErrorOptionsWithReason) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.reason = options.reason;
  }
}

/** A violation: retrying is useless until something watched changes. Stalled=True, key forgotten. */
export class TerminalError extends ControllerError {
  declare readonly reason: string;

  constructor(reason: string, message: string, options: ErrorOptions = {}) {
    super(message, { ...options, reason });
  }
}

/** Something else must happen first. Reconciling=True, retried after a fixed interval. */
export class WaitingError extends ControllerError {
  readonly retryAfterMs: number;

  constructor(reason: string, message: string, options: ErrorOptions & { retryAfterMs: number }) {
    super(message, { ...options, reason });
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** A pass ended, because something else is wanted by now: the next one follows at once. */
export class SupersededError extends WaitingError {
  constructor(reason: string, message: string) {
    super(reason, message, { retryAfterMs: 0 });
  }
}

interface TransientOptions extends ErrorOptionsWithReason {
  retryAfterMs?: number | undefined;
  status?: ApiStatus | undefined;
  publicMessage?: string | undefined;
}

/** May resolve itself: network, 5xx, 429, rejected writes. Retried with capped backoff, without end. */
export class TransientError extends ControllerError {
  /** Milliseconds the server asked us to wait (Retry-After), at most LONGEST_RETRY_MS. */
  readonly retryAfterMs: number | undefined;
  /** Present when an API server answered. */
  readonly status: ApiStatus | undefined;
  /** The message without addresses and files, for users who must not learn them; absent: it has none. */
  readonly publicMessage: string | undefined;

  constructor(message: string, options: TransientOptions = {}) {
    super(message, options);
    this.retryAfterMs =
      options.retryAfterMs === undefined ? undefined : Math.min(options.retryAfterMs, LONGEST_RETRY_MS);
    this.status = options.status;
    this.publicMessage = options.publicMessage;
  }
}

/** 409 Conflict: the cached object was stale. Conditions stay; retried at once, rate limited. */
export class ConflictError extends ControllerError {
  readonly status: ApiStatus | undefined;

  constructor(message: string, options: ErrorOptions & { status?: ApiStatus | undefined } = {}) {
    super(message, { ...options, reason: 'Conflict' });
    this.status = options.status;
  }
}

/** Some steps worked, others did not; `errors` has one entry per failed step. The worst of them decides the retry. */
export class PartialError extends ControllerError {
  readonly errors: readonly unknown[];

  constructor(message: string, errors: readonly unknown[], reason = 'PartialFailure') {
    super(message, { reason, cause: errors[0] });
    this.errors = errors;
  }
}

/** Shutdown or lost lease: nothing is recorded. */
export class CancelledError extends ControllerError {
  constructor(message = 'cancelled', options: ErrorOptions = {}) {
    super(message, { ...options, reason: 'Cancelled' });
  }
}

/** The API server's answer behind an error, looking through causes; undefined when there was none. */
export function apiStatusOf(error: unknown): ApiStatus | undefined {
  for (let current = error; current instanceof Error; current = current.cause) {
    if (current instanceof TransientError || current instanceof ConflictError) {
      if (current.status !== undefined) return current.status;
    }
  }
  return undefined;
}

/** What users may be told of an error, looking through causes; undefined: what its message says. */
export function publicMessageOf(error: unknown): string | undefined {
  for (let current = error; current instanceof Error; current = current.cause) {
    if (current instanceof TransientError && current.publicMessage !== undefined) return current.publicMessage;
  }
  return undefined;
}

/** True when the server said that the object does not exist (404). */
export function isNotFound(error: unknown): boolean {
  return apiStatusOf(error)?.code === 404;
}

/**
 * True when an API server answered that it has trouble, or too much to do: that says nothing of what was asked, and a
 * moment later it may answer. Source: `isRetryableError` of Helm's waiter.
 */
export function isServerTrouble(error: unknown): boolean {
  const code = apiStatusOf(error)?.code ?? 0;
  return code === 429 || (code >= 500 && code !== 501);
}
