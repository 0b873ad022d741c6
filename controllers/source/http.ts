import { createHash } from 'node:crypto';
import { lookup as resolveByDns } from 'node:dns';
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Agent, ProxyAgent, request, type Dispatcher } from 'undici';
import { diskError } from '#engine/artifact/disk-error.js';
import { CancelledError, ControllerError, TransientError } from '#lib/errors.js';
import { JoinedBytes } from '#lib/joined-bytes.js';
import { defined } from '#lib/plain.js';
import { proxyFor, type ProxySettings } from '#lib/net/proxy.js';
import { linkSignals } from '#runtime/process/signals.js';
import { describeRefused, guardedLookup, refusalsFor, type Resolve } from '#lib/net/link-local.js';
import { timeoutField } from './model/source.js';
import { printableUrl, sharesCredentials } from './model/urls.js';

export interface TlsFiles {
  /** Every CA that is trusted, PEM; those of Node by default. */
  readonly ca?: string[];
  /** PEM. */
  readonly cert?: string;
  readonly key?: string;
}

/** The credentials for a server. */
export interface HttpCredentials {
  /** Value of the Authorization header. */
  readonly authorization?: string;
  /** Headers that belong to it, in lower case. */
  readonly signature?: Readonly<Record<string, string>>;
  readonly tls?: TlsFiles;
}

export interface HttpRequest {
  readonly url: string;
  /** Default: GET. */
  readonly method?: 'GET' | 'HEAD' | 'POST';
  /** Fields of a form to send. Redirects are not followed then: a form may hold a password. */
  readonly form?: string;
  /** Media types, for the Accept header. */
  readonly accept?: string;
  /** ETag of an answer that is known: while it is the same, 304 without a body is enough. */
  readonly unless?: string | undefined;
  readonly credentials: HttpCredentials;
  readonly proxies: ProxySettings;
  readonly timeoutMs: number;
  /** Since when `timeoutMs` counts, by `performance.now()`; default: since the request. */
  readonly startedAt?: number;
  readonly signal: AbortSignal;
  /**
   * The only host that may be link-local or a metadata server: the one that a spec names. Redirects lead to no other
   * one. Default: that of `url`.
   */
  readonly namedHost?: string;
  /** The host that a user wrote: see `refusalsFor`. Default: `namedHost`, or that of `url` if it is empty. */
  readonly statedHost?: string;
  /** Reason of the error when it fails. */
  readonly reason: string;
  /** To use and leave open, where many requests follow each other; by default each has its own. */
  readonly connections?: Connections;
}

export interface Download extends HttpRequest {
  /** A larger response is an error. */
  readonly maxBytes: number;
}

export type Response = Dispatcher.ResponseData;

const unzip = promisify(gunzip);
const MAX_REDIRECTS = 10;
const NO_CREDENTIALS: HttpCredentials = {};
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

function failure({ url, reason, proxies }: HttpRequest, problem: string, cause?: unknown): TransientError {
  const proxy = proxyFor(url, proxies);
  const way = proxy === undefined ? '' : ` through the proxy ${printableUrl(proxy)}`;
  return new TransientError(`cannot fetch ${printableUrl(url)}${way}: ${problem}`, { reason, cause });
}

const NO_TLS =
  'the server does not speak TLS: use an http:// URL, or for a registry spec.insecure (insecureSkipTLS in source.inline)';

function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error);
  if ('code' in error && typeof error.code === 'string') return error.code;
  return 'name' in error ? String(error.name) : 'unknown error';
}

/** Why a connection failed, with the way out where the code of OpenSSL hides it. Never throws. */
export function connectionProblem(error: unknown): string {
  const code = codeOf(error);
  return code === 'ERR_SSL_WRONG_VERSION_NUMBER' ? `${NO_TLS} (${code})` : code;
}

/** Milliseconds that a server asks to be left alone. */
export function retryAfterOf({ headers }: Response): number | undefined {
  const seconds = Number(headers['retry-after']);
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : undefined;
}

/** How a response without success is reported. */
export function statusFailure(download: HttpRequest, response: Response): TransientError {
  const { statusCode } = response;
  const denied = statusCode === 401 || statusCode === 403;
  const hint = denied ? ': check spec.secretRef' : '';
  return new TransientError(`cannot fetch ${printableUrl(download.url)}: the server answered ${statusCode}${hint}`, {
    reason: denied ? 'AuthenticationFailed' : download.reason,
    retryAfterMs: retryAfterOf(response),
  });
}

/** The response of a success. Throws what statusFailure makes of any other. */
export function succeeded(asked: HttpRequest, response: Response): Response {
  if (response.statusCode !== 200) throw statusFailure(asked, response);
  return response;
}

/** The body as a stream; more than `maxBytes` is an error. */
async function* limited(download: Download, response: Response): AsyncGenerator<Buffer> {
  let bytes = 0;
  // undici's body yields Buffers unless an encoding is set.
  for await (const chunk of response.body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > download.maxBytes) throw failure(download, `the response is larger than ${download.maxBytes} bytes`);
    yield chunk;
  }
}

/** The whole body of a response. */
export async function readAll(download: Download, response: Response): Promise<Buffer> {
  const joined = new JoinedBytes();
  for await (const chunk of limited(download, response)) joined.add(chunk);
  const body = joined.view();
  // Not requested, but some object stores send the header that the file was uploaded with.
  return response.headers['content-encoding'] === 'gzip' ? unzip(body, { maxOutputLength: download.maxBytes }) : body;
}

/** Writes the body of a response to `file`. Returns its digest. */
export async function save(download: Download, response: Response, file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(
    limited(download, response),
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        hash.update(chunk);
        yield chunk;
      }
    },
    createWriteStream(file),
  );
  return `sha256:${hash.digest('hex')}`;
}

/** Direct connections and those through proxies, with the same certificates. */
export class Connections {
  readonly #download: HttpRequest;
  readonly #resolve: Resolve;
  /** By the proxy. */
  readonly #dispatchers = new Map<string | undefined, Dispatcher>();

  constructor(download: HttpRequest, resolve: Resolve = resolveByDns) {
    this.#download = download;
    this.#resolve = resolve;
  }

  /** What a request to `url` is sent with. Throws TransientError for a host that it must not lead to. */
  to(url: string): Dispatcher {
    const { credentials, proxies, timeoutMs: timeout } = this.#download;
    const { hostname: first } = new URL(this.#download.url);
    const { namedHost = first, statedHost = namedHost || first } = this.#download;
    const refusals = refusalsFor(namedHost, statedHost);
    const proxy = proxyFor(url, proxies);
    const { hostname } = new URL(url);
    if (refusals.host(hostname)) throw this.#refusal(hostname, hostname);
    const known = this.#dispatchers.get(proxy);
    if (known !== undefined) return known;
    const lookup = guardedLookup(this.#resolve, (...refused) => this.#refusal(...refused), refusals.address);
    const tls = { timeout, lookup, ...credentials.tls };
    const dispatcher =
      proxy === undefined
        ? new Agent({ connect: tls })
        : // A tunnel is for TLS: a proxy may refuse to make one to port 80.
          new ProxyAgent({ uri: proxy.replace(/^socks5h:/, 'socks5:'), requestTls: tls, proxyTunnel: false });
    this.#dispatchers.set(proxy, dispatcher);
    return dispatcher;
  }

  #refusal(host: string, address: string): TransientError {
    const what = describeRefused(address);
    return failure(this.#download, `it leads to ${host}, ${what}, which is never fetched from there`);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#dispatchers.values()].map((dispatcher) => dispatcher.destroy()));
  }
}

/** An answer, and the URL that gave it: the last one of all redirects. */
export interface Answer {
  readonly response: Response;
  readonly url: string;
}

function headersOf(
  { accept, unless, form }: HttpRequest,
  { authorization, signature }: HttpCredentials,
): Record<string, string> {
  return defined({
    ...signature,
    'user-agent': 'fairlead',
    'content-type': form === undefined ? undefined : 'application/x-www-form-urlencoded',
    accept,
    authorization: authorization === '' ? undefined : authorization,
    'if-none-match': unless,
  });
}

/** A login is for the host that was asked: a redirect elsewhere goes without it. Certificates are for all of the way. */
async function follow(asked: HttpRequest, connections: Connections, signal: AbortSignal): Promise<Answer> {
  let { url } = asked;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
    const credentials = sharesCredentials(asked.url, url) ? asked.credentials : NO_CREDENTIALS;
    const response = await request(url, {
      method: asked.method ?? 'GET',
      headers: headersOf(asked, credentials),
      body: asked.form ?? null,
      signal,
      dispatcher: connections.to(url),
    });
    const location = response.headers['location'];
    const isEnd = asked.form !== undefined || !REDIRECTS.has(response.statusCode);
    if (isEnd || typeof location !== 'string') return { response, url };
    await response.body.dump();
    if (!URL.canParse(location, url)) throw failure(asked, 'the server redirects to an invalid URL');
    url = new URL(location, url).href;
    if (!/^https?:/.test(url)) throw failure(asked, 'the server redirects to a URL that is not http or https');
  }
  throw failure(asked, `more than ${MAX_REDIRECTS} redirects`);
}

/**
 * What `read` makes of the answer, whatever its status; redirects are followed, but for a form. What `read` leaves of the body is
 * dropped. Errors: those of `read` that are a ControllerError, or the disk's; TransientError with `asked.reason`; CancelledError.
 */
export async function exchange<T>(asked: HttpRequest, read: (answer: Answer) => Promise<T>): Promise<T> {
  const passedMs = asked.startedAt === undefined ? 0 : performance.now() - asked.startedAt;
  const linked = linkSignals([asked.signal], Math.max(0, asked.timeoutMs - passedMs));
  const connections = asked.connections ?? new Connections(asked);
  try {
    return await read(await follow(asked, connections, linked.signal));
  } catch (error: unknown) {
    if (asked.signal.aborted)
      throw new CancelledError(`fetching ${printableUrl(asked.url)} was cancelled`, { cause: error });
    if (error instanceof ControllerError || diskError(error) !== undefined) throw error;
    if (linked.signal.aborted)
      throw failure(
        asked,
        `no complete response within ${asked.timeoutMs} ms (${timeoutField(asked.timeoutMs)})`,
        error,
      );
    throw failure(asked, connectionProblem(error), error);
  } finally {
    linked.unlink();
    if (asked.connections === undefined) await connections.close();
  }
}

/** Its strong ETag. An answer that does not say where it ends has none: it may have been cut off. */
function etagOf({ headers }: Response): string | undefined {
  const { etag, 'content-length': length, 'transfer-encoding': coding } = headers;
  const saysItsEnd = length !== undefined || /\bchunked$/i.test(String(coding));
  return saysItsEnd && typeof etag === 'string' && /^"[!#-~]*"$/.test(etag) ? etag : undefined;
}

/** A body, and how to ask whether it is still the same. */
export interface Downloaded {
  readonly body: Buffer;
  readonly etag?: string;
}

/**
 * The body of a 200 answer; undefined for a 304 to a request with `unless`. Errors: TransientError with
 * `download.reason`, or `AuthenticationFailed` for 401 and 403; CancelledError.
 */
export async function downloadIfNew(options: Download): Promise<Downloaded | undefined> {
  return exchange(options, async ({ response }) => {
    if (response.statusCode === 304 && options.unless !== undefined) return undefined;
    return defined({ body: await readAll(options, succeeded(options, response)), etag: etagOf(response) });
  });
}

/**
 * The body of a 200 answer. Errors: TransientError with `download.reason`, or `AuthenticationFailed` for 401 and 403;
 * CancelledError.
 */
export async function download(options: Download): Promise<Buffer> {
  return exchange(options, ({ response }) => readAll(options, succeeded(options, response)));
}
