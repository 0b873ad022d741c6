import type { Dispatcher } from 'undici';
import { CancelledError, ConflictError, TransientError, type ApiStatus } from '#lib/errors.js';
import { isDenserThan, parseServed } from '#lib/json/nesting.js';
import { JoinedBytes } from '#lib/joined-bytes.js';
import { isMap } from '#lib/plain.js';
import { answersHeld, answerTooLong, type AnswerLimits } from './answer-limits.js';
import type { Allowance } from './kube.js';

/** The parts of a request that messages about its response need. */
export interface Attempt {
  /** E.g. `cannot apply ConfigMap a/b`. */
  readonly attempt: string;
  readonly signal?: AbortSignal | undefined;
  /** URL of the server. */
  readonly server: string;
  /** Where the credential comes from, for the message when the server does not accept it. */
  readonly source: string | undefined;
  /** Most bytes of the response; absent: as many as the server sends. */
  readonly maxBytes?: number | undefined;
  /** Most commas, brackets and digits of a response in JSON; absent: any number. */
  readonly maxMarks?: number | undefined;
  /** What it is about, and what it and other answers may have together. */
  readonly kind?: string;
  readonly allowance?: Allowance | undefined;
  /** Those of the server. */
  readonly limits?: AnswerLimits | undefined;
}

/** The parts of a response that classify an error. */
export interface ResponseHead {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

const UNAUTHORIZED = 401;
const SHOWN_OF_TEXT = 500;
/** Of a Status: the server quotes what it refuses, and may answer with anything. */
const MAX_MESSAGE = 16_384;
const MAX_NAME = 1_024;
/** A Status has few fields. */
const MAX_STATUS_MARKS = 100_000;

/**
 * The error of a request without a response: CancelledError if its signal was aborted, else TransientError
 * `Unreachable`.
 */
export function connectionError(error: unknown, { attempt, signal, server }: Attempt): Error {
  if (error instanceof CancelledError || error instanceof TransientError) return error;
  if (signal?.aborted === true) return new CancelledError(`${attempt}: cancelled`, { cause: error });
  const text = error instanceof Error ? error.message : String(error);
  return new TransientError(`${attempt}: ${server} cannot be reached: ${text}`, {
    cause: error,
    reason: 'Unreachable',
    publicMessage: `${attempt}: the API server cannot be reached`,
  });
}

async function* chunksOf(body: AsyncIterable<Buffer>, attempt: Attempt): AsyncGenerator<Buffer> {
  try {
    yield* body;
  } catch (error: unknown) {
    throw connectionError(error, attempt);
  }
}

async function bytesOf(body: Dispatcher.ResponseData['body'], asked: Attempt): Promise<Buffer> {
  const { kind = '', allowance, maxBytes = Infinity, limits = {} } = asked;
  const joined = new JoinedBytes();
  const share = answersHeld(asked, limits, (error) => {
    joined.clear();
    body.destroy(error);
  });
  try {
    for await (const chunk of chunksOf(body, asked)) {
      allowance?.take(kind, chunk.length);
      if (joined.length + chunk.length > maxBytes) throw answerTooLong(asked, `more than ${maxBytes} bytes`);
      const before = joined.capacity;
      joined.add(chunk);
      share.grow(joined.capacity - before);
    }
    return joined.view();
  } finally {
    share.end();
  }
}

async function textOf(body: Dispatcher.ResponseData['body'], asked: Attempt): Promise<string> {
  const text = (await bytesOf(body, asked)).toString('utf8');
  const { maxMarks = Infinity } = asked;
  // Parsing cannot be interrupted, so its cost is checked first.
  if (isDenserThan(text, maxMarks)) throw answerTooLong(asked, `more than ${maxMarks} commas, brackets and digits`);
  return text;
}

/** The text of a successful response; throws the `refusal` of any other. */
export async function readBody(response: Dispatcher.ResponseData, attempt: Attempt): Promise<string> {
  const text = await textOf(response.body, attempt);
  if (response.statusCode < 400) return text;
  throw refusal(response, text, attempt);
}

/** A text of a Status, cut; undefined if there is none: a server may answer with anything. */
function textIn(value: unknown, longest: number): string | undefined {
  return typeof value === 'string' ? value.slice(0, longest) : undefined;
}

function mapIn(value: unknown): Readonly<Record<string, unknown>> {
  return isMap(value) ? value : {};
}

function causesOf({ causes }: Readonly<Record<string, unknown>>): ApiStatus['causes'] {
  if (!Array.isArray(causes)) return [];
  return causes.map((cause: unknown) => {
    const { field, message } = mapIn(cause);
    return { field: textIn(field, MAX_NAME) ?? '', message: textIn(message, MAX_MESSAGE) ?? '' };
  });
}

function subjectOf(details: Readonly<Record<string, unknown>>): Pick<ApiStatus, 'subject'> {
  const [resource, name] = [textIn(details['kind'], MAX_NAME), textIn(details['name'], MAX_NAME)];
  return resource !== undefined && name !== undefined ? { subject: { resource, name } } : {};
}

/** What etcd, and its client in the API server, say of an object that is too long: without a reason, as trouble (500). */
const TOO_LONG = /etcdserver: request is too large|trying to send message larger than max/;

function reasonOf({ reason, message }: Readonly<Record<string, unknown>>): string {
  const given = textIn(reason, MAX_NAME) ?? '';
  return given === '' && TOO_LONG.test(textIn(message, MAX_MESSAGE) ?? '') ? 'RequestEntityTooLarge' : given;
}

/** The error for a status code of 400 or more: ConflictError for a stale write, else TransientError with the status. */
export function refusal(head: ResponseHead, text: string, { attempt, source }: Attempt): Error {
  const body = parseStatus(text);
  const details = mapIn(body['details']);
  const reason = reasonOf(body);
  const status: ApiStatus = { code: head.statusCode, reason, causes: causesOf(details), ...subjectOf(details) };
  const plain = text.trim().slice(0, SHOWN_OF_TEXT) || `HTTP ${head.statusCode}`;
  const said = textIn(body['message'], MAX_MESSAGE) ?? plain;
  const hint = credentialHint(status.code, source);
  const message = `${attempt}: ${said}${hint}`;
  if (status.code === 409 && reason === 'Conflict') return new ConflictError(message, { status });
  return new TransientError(message, {
    status,
    publicMessage: hint === '' ? undefined : `${attempt}: ${said}`,
    reason: reason === '' ? `HTTP${status.code}` : reason,
    retryAfterMs: retryAfter(head, details),
  });
}

function credentialHint(code: number, source: string | undefined): string {
  return code === UNAUTHORIZED && source !== undefined ? `: the credential of ${source} is not accepted; renew it` : '';
}

function parseStatus(text: string): Readonly<Record<string, unknown>> {
  if (isDenserThan(text, MAX_STATUS_MARKS)) return {};
  try {
    return mapIn(parseServed(text));
  } catch {
    return {}; // A proxy's HTML page: its text goes into the message as it is.
  }
}

function retryAfter(head: ResponseHead, details: Readonly<Record<string, unknown>>): number | undefined {
  const seconds = Number(head.headers['retry-after'] ?? details['retryAfterSeconds']);
  return Number.isFinite(seconds) ? seconds * 1_000 : undefined;
}
