import { apiStatusOf, CancelledError, ControllerError, publicMessageOf, type ApiStatus } from '#lib/errors.js';
import { MIB, MOST_STORED_BYTES, SIZE_HELP } from '#queries/views/object-size.js';
import { Refusal } from './refusal.js';

/** What the caller is told of an error. */
export interface ErrorAnswer {
  readonly code: number;
  /** For programs, in a Status. */
  readonly message: string;
  /** For the console. */
  readonly text: string;
  /** What the API server said of single fields. */
  readonly causes?: ApiStatus['causes'];
  /** True: it does not say all of the cause, which belongs into the log. */
  readonly isUnexpected: boolean;
}

const UNAUTHORIZED = 401;
const TOO_LARGE = 413;
const UNAVAILABLE = 503;
const UNEXPECTED = 'an unexpected error: see the log of the console server';

const ESCAPES = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
]);

/** The body of an error: the console shows it as it is, whatever a user wrote into a name. */
function errorText(message: string): string {
  return `${message.replace(/[&<>]/g, (each) => ESCAPES.get(each) ?? each)}\n`;
}

/** Of the web framework: a body that is too large or no JSON, a media type that nobody reads, too many requests. */
function codeOfFramework(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('statusCode' in error)) return undefined;
  const { statusCode } = error;
  return typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500 ? statusCode : undefined;
}

/** Of what the web framework did not take; a body that could be an object has a way out. */
function frameworkWords(code: number, message: string, bodyLimit: number): string {
  if (code !== TOO_LARGE) return message;
  if (bodyLimit < MOST_STORED_BYTES) return `the body has more than ${bodyLimit} bytes`;
  return `the body has more than ${bodyLimit / MIB} MiB: ${SIZE_HELP}`;
}

/** As the API server decided, except that it does not know us: the caller cannot log in again to change that. */
function decided({ code, reason }: ApiStatus, message: string): readonly [code: number, message: string] {
  if (reason === 'RequestEntityTooLarge') return [TOO_LARGE, `${message}: ${SIZE_HELP}`];
  return [code === UNAUTHORIZED ? UNAVAILABLE : code, message];
}

/**
 * What the API server decided is answered as it is. A server that is not there is 503, and where it is nobody gets to
 * know. `bodyLimit` is that of the route, in bytes.
 */
export function answerTo(error: unknown, bodyLimit = 0): ErrorAnswer {
  const discreet = publicMessageOf(error);
  const message = discreet ?? (error instanceof Error ? error.message : '');
  const isUnexpected = discreet !== undefined;
  const told = (code: number, said = message): ErrorAnswer => ({
    ...{ code, message: said, text: errorText(said), isUnexpected },
  });
  if (error instanceof Refusal) return told(error.code);
  const status = apiStatusOf(error);
  if (status !== undefined) {
    return { ...told(...decided(status, message)), ...(status.causes.length === 0 ? {} : { causes: status.causes }) };
  }
  if (error instanceof CancelledError || error instanceof ControllerError) return told(UNAVAILABLE);
  const code = codeOfFramework(error);
  if (code !== undefined) return told(code, frameworkWords(code, message, bodyLimit));
  return { code: 500, message: UNEXPECTED, text: errorText(UNEXPECTED), isUnexpected: true };
}

const REASONS = new Map([
  [400, 'BadRequest'],
  [401, 'Unauthorized'],
  [403, 'Forbidden'],
  [404, 'NotFound'],
  [409, 'Conflict'],
  [413, 'RequestEntityTooLarge'],
  [415, 'UnsupportedMediaType'],
  [422, 'Invalid'],
  [429, 'TooManyRequests'],
  [503, 'ServiceUnavailable'],
]);

/** The error as a Status of Kubernetes. */
export function statusOf({ code, message, causes }: Pick<ErrorAnswer, 'code' | 'message' | 'causes'>): object {
  const reason = REASONS.get(code) ?? 'InternalError';
  const details = causes === undefined ? {} : { details: { causes } };
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', reason, message, ...details, code };
}
