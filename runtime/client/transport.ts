import type { LookupFunction } from 'node:net';
import type { Dispatcher } from 'undici';
import type { UserInfo } from '#api/core.js';
import { Breaker } from '#lib/retry/breaker.js';
import { apiStatusOf, CancelledError, TransientError } from '#lib/errors.js';
import { type Headers, impersonationHeaders } from '#lib/kube/impersonation.js';
import { defined } from '#lib/plain.js';
import { backoffDelay, inlineWait, RetryBudget } from '#lib/retry/retry.js';
import type { AnswerLimits } from './answer-limits.js';
import { Connections, type TlsOptions } from './connections.js';
import type { Allowance } from './kube.js';
import type { RequestCounter } from '../process/metrics.js';
import { type Attempt, connectionError, readBody } from './responses.js';
import { sleep } from '../until.js';

/**
 * Runs `check` when a request is about to be written to its connection: after credentials, and after it has waited for
 * a free connection. What `check` throws is the error of the request, of which no byte is sent then.
 */
function beforeSending(check: () => void): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) => dispatch(options, guarded(handler, check));
}

function guarded(handler: Dispatcher.DispatchHandler, check: () => void): Dispatcher.DispatchHandler {
  return {
    onRequestStart: (controller, context) => {
      check();
      handler.onRequestStart?.(controller, context);
    },
    onRequestUpgrade: (...upgrade) => handler.onRequestUpgrade?.(...upgrade),
    onResponseStart: (...start) => handler.onResponseStart?.(...start),
    onResponseData: (controller, chunk) => handler.onResponseData?.(controller, chunk),
    onResponseEnd: (controller, trailers) => handler.onResponseEnd?.(controller, trailers),
    onResponseError: (controller, error) => handler.onResponseError?.(controller, error),
  };
}

const DEFAULT_TIMEOUT_MS = 30_000;
/** At the same time, to one server with one credential. */
const MOST_REQUESTS = 64;
const MAX_RETRIES = 3;
const RETRY = { baseMs: 200, capMs: 5_000 };
const BREAKER = { failures: 5, windowMs: 120_000, open: { baseMs: 1_000, capMs: 15_000 } };
const UNAUTHORIZED = 401;

/** What proves to the server who we are. */
export interface Credential {
  /** Authorization and impersonation. */
  readonly headers: Readonly<Record<string, string>>;
  readonly tls: TlsOptions;
}

/**
 * The credential of this moment: asked for once per request, so that tokens and certificates rotate without a restart.
 * With `refused`, which the server does not accept, another one if there is one; the same object if there is none.
 */
export type CredentialSource = (refused?: Credential) => Promise<Credential>;

/** Everything that a connection needs. */
export interface TransportOptions {
  /** URL of the API server. */
  readonly server: string;
  readonly credential: CredentialSource;
  /** URL of an http(s) proxy; it may hold a user and a password. */
  readonly proxyUrl?: string;
  /** Of the names of the server and the proxy; that of the system by default. */
  readonly lookup?: LookupFunction;
  /** Where the credential comes from, for the message when the server does not accept it. */
  readonly source?: string;
  /** Absent: the server may answer with anything. */
  readonly limits?: AnswerLimits;
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
  readonly accept?: string | undefined;
  /** See ReadOptions. */
  readonly once?: boolean | undefined;
  /** User in whose name this is done (impersonation). */
  readonly actAs?: UserInfo | undefined;
  readonly allowance?: Allowance | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  /** See RequestOptions. */
  readonly maxBytes?: number | undefined;
  /** See Attempt. */
  readonly maxMarks?: number | undefined;
  /** See RequestOptions. */
  readonly beforeSend?: (() => void) | undefined;
}

/** Over which connections a call goes. */
interface Route {
  readonly connections: Connections;
  /** Milliseconds until the answer must begin; absent: as long as all of it may take. */
  readonly headersTimeoutMs?: number;
}

/**
 * One API server and one credential over a connection pool, and another one for watches, behind one circuit breaker.
 */
export class Transport {
  readonly server: string;
  readonly limits: AnswerLimits | undefined;
  readonly source: string | undefined;
  readonly #requests: Connections;
  /**
   * A watch keeps its connection for minutes: on the pool of the requests, sixty of them would stop everything else.
   */
  readonly #watches: Connections;
  readonly #options: TransportOptions;
  readonly #origin: string;
  readonly #basePath: string;
  readonly #breaker = new Breaker(BREAKER);
  readonly #budget = new RetryBudget();

  constructor(options: TransportOptions) {
    const { server, proxyUrl, lookup, limits, source } = options;
    const { origin, pathname } = new URL(server);
    this.server = server;
    this.limits = limits;
    this.source = source;
    this.#options = options;
    this.#basePath = pathname.replace(/\/$/, '');
    this.#origin = origin;
    this.#requests = new Connections({ origin, proxyUrl, lookup, most: MOST_REQUESTS });
    this.#watches = new Connections({ origin, proxyUrl, lookup, most: null });
  }

  /** Text of a successful answer. Sends again what may be sent again (lib/retry/retry.ts), a few times. */
  async send(call: Call): Promise<string> {
    this.#budget.deposit();
    for (let tries = 0; ; tries += 1) {
      const isProbe = this.#admit(call);
      try {
        return await readBody(await this.#open(call, { connections: this.#requests }), this.#attempt(call));
      } catch (error: unknown) {
        const waitMs = waitForNextTry(error, call, tries);
        if (isProbe || waitMs === undefined || !this.#budget.withdraw()) throw error;
        await sleep(waitMs, call.signal, `${call.attempt}: cancelled`);
      }
    }
  }

  /** The open body of a watch, not retried. `timeoutMs` limits silence: a dead peer never sends anything. */
  async stream(call: Call & { timeoutMs: number }): Promise<AsyncIterable<Buffer>> {
    this.#admit(call);
    const response = await this.#open(call, { connections: this.#watches, headersTimeoutMs: DEFAULT_TIMEOUT_MS });
    if (response.statusCode >= 400) await readBody(response, this.#attempt(call));
    return response.body;
  }

  async close(): Promise<void> {
    await Promise.all([this.#requests.close(), this.#watches.close()]);
  }

  /** True for a probe. Throws while the circuit is open: a dead server must not cost every caller a timeout. */
  #admit(call: Call): boolean {
    if (call.signal?.aborted === true) throw new CancelledError(`${call.attempt}: cancelled`);
    const admission = this.#breaker.admit(performance.now());
    if (admission.go !== 'no') return admission.go === 'probe';
    const seconds = Math.ceil(admission.refusedForMs / 1_000);
    const said = `did not respond several times; next attempt in ${seconds} s`;
    throw new TransientError(`${call.attempt}: ${this.server} ${said}`, {
      reason: 'Unreachable',
      retryAfterMs: admission.refusedForMs,
      publicMessage: `${call.attempt}: the API server ${said}`,
    });
  }

  /** A credential that is not accepted is renewed and shown once more: a 401 means that nothing was carried out. */
  async #open(call: Call, route: Route): Promise<Dispatcher.ResponseData> {
    const credential = await this.#credential(call);
    const response = await this.#dispatch(call, credential, route);
    if (response.statusCode !== UNAUTHORIZED) return response;
    const renewed = await this.#credential(call, credential);
    if (renewed === credential) return response;
    await response.body.dump();
    return this.#dispatch(call, renewed, route);
  }

  async #credential(call: Call, refused?: Credential): Promise<Credential> {
    try {
      return await this.#options.credential(refused);
    } catch (error: unknown) {
      this.#breaker.abandoned();
      const text = error instanceof Error ? error.message : String(error);
      throw new TransientError(`${call.attempt}: no credential for ${this.server}: ${text}`, {
        cause: error,
        reason: 'Unauthorized',
        publicMessage: `${call.attempt}: there is no credential for the API server`,
      });
    }
  }

  async #dispatch(call: Call, credential: Credential, route: Route): Promise<Dispatcher.ResponseData> {
    const startedAt = performance.now();
    const pool = route.connections.poolFor(credential.tls);
    const guarded = call.beforeSend === undefined ? pool : pool.compose(beforeSending(call.beforeSend));
    try {
      const response = await guarded.request(this.#requestOf(call, credential, route));
      this.#options.count?.(call.verb, call.kind, response.statusCode);
      this.#breaker.succeeded();
      return response;
    } catch (error: unknown) {
      this.#options.count?.(call.verb, call.kind, 0);
      if (call.signal?.aborted === true || error instanceof CancelledError) this.#breaker.abandoned();
      else this.#breaker.failed(startedAt, { now: performance.now(), random: Math.random() });
      throw connectionError(error, this.#attempt(call));
    }
  }

  #requestOf(call: Call, credential: Credential, { headersTimeoutMs }: Route): Dispatcher.RequestOptions {
    const bodyTimeout = call.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    return {
      origin: this.#origin,
      method: call.method,
      path: this.#basePath + call.path,
      headers: { ...headersOf(call), ...identityOf(call, credential) },
      body: call.body ?? null,
      signal: call.signal ?? null,
      headersTimeout: headersTimeoutMs ?? bodyTimeout,
      bodyTimeout,
    };
  }

  #attempt({ attempt, kind, signal, allowance, ...call }: Call): Attempt {
    const { server, source, limits } = this;
    const { maxBytes = limits?.page.bytes, maxMarks = limits?.page.marks } = call;
    return { attempt, kind, signal, maxBytes, maxMarks, allowance, server, source, limits };
  }
}

/** Milliseconds after which a call is sent again; undefined: no more. */
function waitForNextTry(error: unknown, { method, once }: Call, tries: number): number | undefined {
  const isOver = tries >= MAX_RETRIES || (once === true && (apiStatusOf(error)?.code ?? 0) >= 500);
  return isOver ? undefined : inlineWait(error, method, backoffDelay(RETRY, tries, Math.random()));
}

/** Who asks: one impersonation takes the place of the other, as in every client of Kubernetes. */
function identityOf({ actAs }: Call, { headers }: Credential): Headers {
  if (actAs === undefined) return headers;
  const own = Object.entries(headers).filter(([name]) => !name.toLowerCase().startsWith('impersonate-'));
  return { ...Object.fromEntries(own), ...impersonationHeaders(actAs) };
}

function headersOf(call: Call): Record<string, string> {
  return {
    accept: call.accept ?? 'application/json',
    'user-agent': 'fairlead',
    ...defined({ 'content-type': call.contentType }),
  };
}
