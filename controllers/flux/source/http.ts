import { gunzipSync } from 'node:zlib';
import { Agent, ProxyAgent, request, type Dispatcher } from 'undici';
import { CancelledError, TransientError } from '../../runtime/pure/errors.js';
import { proxyFor, type ProxySettings } from '../../runtime/pure/proxy.js';
import { timeoutField } from './model/timeout.js';
import { printableUrl, sharesCredentials } from './model/urls.js';

export interface TlsFiles {
  /** Every CA that is trusted, PEM; those of Node by default. */
  readonly ca?: string[];
  /** PEM. */
  readonly cert?: string;
  readonly key?: string;
}

/** What proves to a server who asks. */
export interface HttpCredentials {
  /** Value of the Authorization header. */
  readonly authorization?: string;
  readonly tls?: TlsFiles;
}

export interface Download {
  readonly url: string;
  readonly credentials: HttpCredentials;
  readonly proxies: ProxySettings;
  /** A larger answer is an error. */
  readonly maxBytes: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Reason of the error when it fails. */
  readonly reason: string;
}

type Response = Dispatcher.ResponseData;

const MAX_REDIRECTS = 10;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error);
  if ('code' in error && typeof error.code === 'string') return error.code;
  return 'name' in error ? String(error.name) : 'unknown error';
}

function failure({ url, reason, proxies }: Download, problem: string, cause?: unknown): TransientError {
  const proxy = proxyFor(url, proxies);
  const way = proxy === undefined ? '' : ` through the proxy ${printableUrl(proxy)}`;
  return new TransientError(`cannot fetch ${printableUrl(url)}${way}: ${problem}`, { reason, cause });
}

function statusFailure(download: Download, response: Response): TransientError {
  const { statusCode } = response;
  const denied = statusCode === 401 || statusCode === 403;
  const seconds = Number(response.headers['retry-after']);
  const hint = denied ? ': check spec.secretRef' : '';
  return new TransientError(`cannot fetch ${printableUrl(download.url)}: the server answered ${statusCode}${hint}`, {
    reason: denied ? 'AuthenticationFailed' : download.reason,
    retryAfterMs: Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : undefined,
  });
}

async function readLimited(download: Download, response: Response): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // undici's body yields Buffers unless an encoding is set.
  for await (const chunk of response.body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > download.maxBytes) throw failure(download, `the response is larger than ${download.maxBytes} bytes`);
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks);
  // Never asked for, but some object stores send what was uploaded with this header.
  return response.headers['content-encoding'] === 'gzip'
    ? gunzipSync(body, { maxOutputLength: download.maxBytes })
    : body;
}

/** Direct connections and those through proxies, with the same certificates. */
class Connections {
  readonly #download: Download;
  readonly #dispatchers = new Map<string | undefined, Dispatcher>();

  constructor(download: Download) {
    this.#download = download;
  }

  /** What a request to `url` is sent with. */
  to(url: string): Dispatcher {
    const { credentials, proxies, timeoutMs: timeout } = this.#download;
    const proxy = proxyFor(url, proxies);
    const known = this.#dispatchers.get(proxy);
    if (known !== undefined) return known;
    const tls = { timeout, ...credentials.tls };
    const dispatcher =
      proxy === undefined
        ? new Agent({ connect: tls })
        : // A tunnel is for TLS: a proxy may refuse to make one to port 80.
          new ProxyAgent({ uri: proxy.replace(/^socks5h:/, 'socks5:'), requestTls: tls, proxyTunnel: false });
    this.#dispatchers.set(proxy, dispatcher);
    return dispatcher;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#dispatchers.values()].map((dispatcher) => dispatcher.destroy()));
  }
}

/** A login is for the host that was asked: a redirect elsewhere goes without it. Certificates are for all of the way. */
async function follow(download: Download, connections: Connections, signal: AbortSignal): Promise<Buffer> {
  let { url } = download;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
    const authorization = sharesCredentials(download.url, url) ? download.credentials.authorization : undefined;
    const headers = { 'user-agent': 'fairlead', ...(authorization ? { authorization } : {}) };
    const response = await request(url, { headers, signal, dispatcher: connections.to(url) });
    const location = response.headers['location'];
    if (!REDIRECTS.has(response.statusCode) || typeof location !== 'string') {
      if (response.statusCode === 200) return readLimited(download, response);
      await response.body.dump();
      throw statusFailure(download, response);
    }
    await response.body.dump();
    if (!URL.canParse(location, url)) throw failure(download, 'the server redirects to an invalid URL');
    url = new URL(location, url).href;
    if (!/^https?:/.test(url)) throw failure(download, 'the server redirects to a URL that is not http or https');
  }
  throw failure(download, `more than ${MAX_REDIRECTS} redirects`);
}

/**
 * The body of a 200 answer. Errors: TransientError with `download.reason`, or `AuthenticationFailed` for 401 and 403;
 * CancelledError.
 */
export async function download(options: Download): Promise<Buffer> {
  const timeout = AbortSignal.timeout(options.timeoutMs);
  const connections = new Connections(options);
  try {
    return await follow(options, connections, AbortSignal.any([options.signal, timeout]));
  } catch (error: unknown) {
    if (options.signal.aborted)
      throw new CancelledError(`fetching ${printableUrl(options.url)} was cancelled`, { cause: error });
    if (error instanceof TransientError) throw error;
    if (timeout.aborted)
      throw failure(
        options,
        `no complete response within ${options.timeoutMs} ms (${timeoutField(options.timeoutMs)})`,
        error,
      );
    throw failure(options, codeOf(error), error);
  } finally {
    await connections.close();
  }
}
