import { Pool, ProxyAgent, type Dispatcher } from 'undici';
import { backoffDelay } from './pure/backoff.js';
import { CancelledError, ConflictError, TransientError, type ApiStatus } from './pure/errors.js';
import { parseJson } from './pure/lossless-json.js';
import { inlineWait } from './pure/retry.js';
import type { RequestCounter } from './metrics.js';
import { beforeSending } from './send-guard.js';

const DEFAULT_TIMEOUT_MS = 30_000;
const MAX_RETRIES = 3;
const RETRY = { baseMs: 200, capMs: 5_000 };
const POOL = { connections: 64, pipelining: 1, keepAliveTimeout: 30_000 };
const CONNECT_TIMEOUT_MS = 10_000;

/** Everything that a connection needs; certificates as PEM. */
export interface TransportOptions {
  /** URL of the API server. */
  readonly server: string;
  readonly tls?: {
    ca?: string | Buffer;
    cert?: string | Buffer;
    key?: string | Buffer;
    servername?: string;
    rejectUnauthorized?: boolean;
  };
  /** URL of an http(s) proxy; it may hold a user and a password. */
  readonly proxyUrl?: string;
  /** Where the credential comes from, for the message when the server does not accept it. */
  readonly source?: string;
  /** Value of the Authorization header at this moment; called once per request, so that tokens rotate without a restart. */
  readonly authorization?: () => Promise<string | undefined>;
  readonly count?: RequestCounter;
}

export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** For messages: what is attempted, e.g. `cannot apply ConfigMap a/b`. */
  readonly attempt: string;
  /** For metrics. */
  readonly verb: string;
  readonly kind: string;
  readonly body?: string;
  readonly contentType?: string;
  readonly accept?: string;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  /** See RequestOptions. */
  readonly beforeSend?: (() => void) | undefined;
}

interface StatusBody {
  kind?: string;
  message?: string;
  reason?: string;
  details?: { retryAfterSeconds?: number; causes?: { field?: string; message?: string }[] };
}

function connectionsTo(origin: string, { tls, proxyUrl }: TransportOptions): Dispatcher {
  const connect = { timeout: CONNECT_TIMEOUT_MS, ...tls };
  if (proxyUrl === undefined) return new Pool(origin, { ...POOL, connect });
  return new ProxyAgent({ ...POOL, uri: proxyUrl, proxyTls: { timeout: CONNECT_TIMEOUT_MS }, requestTls: connect });
}

/** One API server and one credential over one connection pool. */
export class Transport {
  readonly server: string;
  readonly #connections: Dispatcher;
  readonly #options: TransportOptions;
  readonly #origin: string;
  readonly #basePath: string;

  constructor(options: TransportOptions) {
    const url = new URL(options.server);
    this.server = options.server;
    this.#options = options;
    this.#basePath = url.pathname.replace(/\/$/, '');
    this.#origin = url.origin;
    this.#connections = connectionsTo(url.origin, options);
  }

  /** Text of a successful answer. Sends again what may be sent again (pure/retry.ts), a few times. */
  async send(call: Call): Promise<string> {
    for (let tries = 0; ; tries += 1) {
      try {
        const response = await this.#open(call);
        return await readBody(response, call, this.#options.source);
      } catch (error: unknown) {
        const waitMs = inlineWait(error, call.method, backoffDelay(RETRY, tries, Math.random()));
        if (waitMs === undefined || tries >= MAX_RETRIES) throw error;
        await pause(waitMs, call);
      }
    }
  }

  /** The open body of a watch, not retried. `timeoutMs` bounds the silence: a dead peer says nothing, for ever. */
  async stream(call: Call & { timeoutMs: number }): Promise<AsyncIterable<Buffer>> {
    const response = await this.#open(call, DEFAULT_TIMEOUT_MS);
    if (response.statusCode >= 400) await readBody(response, call, this.#options.source);
    return response.body;
  }

  async close(): Promise<void> {
    await this.#connections.destroy();
  }

  async #open(call: Call, headersTimeout?: number): Promise<Dispatcher.ResponseData> {
    if (call.signal?.aborted === true) throw new CancelledError(`${call.attempt}: cancelled`);
    try {
      const response = await this.#route(call).request(await this.#requestOf(call, headersTimeout));
      this.#count(call, response.statusCode);
      return response;
    } catch (error: unknown) {
      this.#count(call, 0);
      throw connectionError(error, call, this.server);
    }
  }

  #route({ beforeSend }: Call): Dispatcher {
    return beforeSend === undefined ? this.#connections : this.#connections.compose(beforeSending(beforeSend));
  }

  async #requestOf(call: Call, headersTimeout?: number): Promise<Dispatcher.RequestOptions> {
    const bodyTimeout = call.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    return {
      origin: this.#origin,
      method: call.method,
      path: this.#basePath + call.path,
      headers: headersOf(call, await this.#options.authorization?.()),
      body: call.body ?? null,
      signal: call.signal ?? null,
      headersTimeout: headersTimeout ?? bodyTimeout,
      bodyTimeout,
    };
  }

  #count(call: Call, code: number): void {
    this.#options.count?.(call.verb, call.kind, code);
  }
}

function headersOf(call: Call, authorization: string | undefined): Record<string, string> {
  return {
    accept: call.accept ?? 'application/json',
    'user-agent': 'fairlead',
    ...(call.contentType === undefined ? {} : { 'content-type': call.contentType }),
    ...(authorization === undefined ? {} : { authorization }),
  };
}

function connectionError(error: unknown, call: Call, server: string): Error {
  if (error instanceof CancelledError) return error;
  if (call.signal?.aborted === true) return new CancelledError(`${call.attempt}: cancelled`, { cause: error });
  const text = error instanceof Error ? error.message : String(error);
  return new TransientError(`${call.attempt}: ${server} cannot be reached: ${text}`, {
    cause: error,
    reason: 'Unreachable',
  });
}

async function readBody(response: Dispatcher.ResponseData, call: Call, source: string | undefined): Promise<string> {
  let text: string;
  try {
    text = await response.body.text();
  } catch (error: unknown) {
    throw connectionError(error, call, 'the server');
  }
  if (response.statusCode < 400) return text;
  throw refusal(response, text, { attempt: call.attempt, source });
}

function credentialHint(code: number, source: string | undefined): string {
  return code === 401 && source !== undefined ? `: the credential of ${source} is not accepted; renew it` : '';
}

function refusal(
  response: Dispatcher.ResponseData,
  text: string,
  { attempt, source }: { readonly attempt: string; readonly source: string | undefined },
): Error {
  const body = parseStatus(text);
  const status: ApiStatus = {
    code: response.statusCode,
    reason: body.reason ?? '',
    causes: (body.details?.causes ?? []).map(({ field, message }) => ({ field: field ?? '', message: message ?? '' })),
  };
  const said = body.message ?? (text.trim().slice(0, 500) || `HTTP ${response.statusCode}`);
  const message = `${attempt}: ${said}${credentialHint(status.code, source)}`;
  if (status.code === 409 && status.reason === 'Conflict') return new ConflictError(message, { status });
  return new TransientError(message, {
    status,
    reason: status.reason === '' ? `HTTP${status.code}` : status.reason,
    retryAfterMs: retryAfter(response, body),
  });
}

function parseStatus(text: string): StatusBody {
  try {
    const body = parseJson(text);
    return typeof body === 'object' && body !== null ? body : {};
  } catch {
    return {}; // A proxy's HTML page: its text goes into the message as it is.
  }
}

function retryAfter(response: Dispatcher.ResponseData, body: StatusBody): number | undefined {
  const seconds = Number(response.headers['retry-after'] ?? body.details?.retryAfterSeconds);
  return Number.isFinite(seconds) ? seconds * 1_000 : undefined;
}

async function pause(waitMs: number, call: Call): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(done, waitMs);
    if (call.signal?.aborted === true) stop();
    function done(): void {
      call.signal?.removeEventListener('abort', stop);
      resolve();
    }
    function stop(): void {
      clearTimeout(timer);
      reject(new CancelledError(`${call.attempt}: cancelled`));
    }
    call.signal?.addEventListener('abort', stop, { once: true });
  });
}
