import type { Dispatcher } from 'undici';
import { CancelledError, ConflictError, TransientError, type ApiStatus } from './pure/errors.js';
import { parseJson } from './pure/lossless-json.js';

/** The parts of a request that messages about its response need. */
export interface Attempt {
  /** E.g. `cannot apply ConfigMap a/b`. */
  readonly attempt: string;
  readonly signal?: AbortSignal | undefined;
  /** URL of the server. */
  readonly server: string;
  /** Where the credential comes from, for the message when the server does not accept it. */
  readonly source: string | undefined;
}

/** The parts of a response that classify an error. */
export interface ResponseHead {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

interface StatusBody {
  message?: string;
  reason?: string;
  details?: {
    kind?: string;
    name?: string;
    retryAfterSeconds?: number;
    causes?: { field?: string; message?: string }[];
  };
}

const UNAUTHORIZED = 401;
const SHOWN_OF_TEXT = 500;

/**
 * The error of a request without a response: CancelledError if its signal was aborted, else TransientError
 * `Unreachable`.
 */
export function connectionError(error: unknown, { attempt, signal, server }: Attempt): Error {
  if (error instanceof CancelledError) return error;
  if (signal?.aborted === true) return new CancelledError(`${attempt}: cancelled`, { cause: error });
  const text = error instanceof Error ? error.message : String(error);
  return new TransientError(`${attempt}: ${server} cannot be reached: ${text}`, {
    cause: error,
    reason: 'Unreachable',
  });
}

/** The text of a successful response; throws the `refusal` of any other. */
export async function readBody(response: Dispatcher.ResponseData, attempt: Attempt): Promise<string> {
  let text: string;
  try {
    text = await response.body.text();
  } catch (error: unknown) {
    throw connectionError(error, attempt);
  }
  if (response.statusCode < 400) return text;
  throw refusal(response, text, attempt);
}

/** A server may answer with anything: only texts are taken. */
function subjectOf({ details }: StatusBody): Pick<ApiStatus, 'subject'> {
  const { kind, name }: { readonly kind?: unknown; readonly name?: unknown } = details ?? {};
  return typeof kind === 'string' && typeof name === 'string' ? { subject: { resource: kind, name } } : {};
}

/** The error for a status code of 400 or more: ConflictError for a stale write, else TransientError with the status. */
export function refusal(head: ResponseHead, text: string, { attempt, source }: Attempt): Error {
  const body = parseStatus(text);
  const status: ApiStatus = {
    code: head.statusCode,
    reason: body.reason ?? '',
    causes: (body.details?.causes ?? []).map(({ field, message }) => ({ field: field ?? '', message: message ?? '' })),
    ...subjectOf(body),
  };
  const said = body.message ?? (text.trim().slice(0, SHOWN_OF_TEXT) || `HTTP ${head.statusCode}`);
  const message = `${attempt}: ${said}${credentialHint(status.code, source)}`;
  if (status.code === 409 && status.reason === 'Conflict') return new ConflictError(message, { status });
  return new TransientError(message, {
    status,
    reason: status.reason === '' ? `HTTP${status.code}` : status.reason,
    retryAfterMs: retryAfter(head, body),
  });
}

function credentialHint(code: number, source: string | undefined): string {
  return code === UNAUTHORIZED && source !== undefined ? `: the credential of ${source} is not accepted; renew it` : '';
}

function parseStatus(text: string): StatusBody {
  try {
    const body = parseJson(text);
    return typeof body === 'object' && body !== null ? body : {};
  } catch {
    return {}; // A proxy's HTML page: its text goes into the message as it is.
  }
}

function retryAfter(head: ResponseHead, body: StatusBody): number | undefined {
  const seconds = Number(head.headers['retry-after'] ?? body.details?.retryAfterSeconds);
  return Number.isFinite(seconds) ? seconds * 1_000 : undefined;
}
