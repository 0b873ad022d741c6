import { createHash } from 'node:crypto';
import aws4 from 'aws4';
import { TransientError } from '#lib/errors.js';
import { defined } from '#lib/plain.js';
import type { ProxySettings } from '#lib/net/proxy.js';
import {
  Connections,
  exchange,
  readAll,
  save,
  type Download,
  type HttpCredentials,
  type HttpRequest,
  type Response,
  type TlsFiles,
} from '../http.js';
import { unquoted, type ListedObject } from './model/listing.js';
import { listUrl, objectUrl, type BucketPlace } from './model/place.js';

const MAX_BYTES = 16 * 1024;

/**
 * `<Code>` of an error, e.g. `NoSuchKey`; empty where the answer has none. Its message is left out: a server may repeat
 * in it what it was sent.
 */
export async function errorCode(asked: Download, response: Response): Promise<string> {
  const body = await readAll({ ...asked, maxBytes: MAX_BYTES }, response).catch(() => Buffer.alloc(0));
  return /<Code>([A-Za-z]{1,64})<\/Code>/.exec(body.toString('utf8'))?.[1] ?? '';
}

/** The status of a refusal and its code, as a message has them. */
export function refusalText({ statusCode }: Response, code: string): string {
  return `the server answered ${statusCode}${code === '' ? '' : ` ${code}`}`;
}

const MAX_PAGE_BYTES = 4 * 1024 * 1024;
const MAX_IGNORE_BYTES = 1024 * 1024;
const EMPTY_SHA256 = createHash('sha256').digest('hex');

export interface BucketLogin {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of temporary keys. */
  readonly sessionToken?: string;
}

export interface ObjectStoreOptions {
  readonly place: BucketPlace;
  readonly bucketName: string;
  /** What the next request is signed with; undefined: it is not signed. */
  readonly login: () => Promise<BucketLogin | undefined>;
  /** The field that names the Secret of the login. */
  readonly loginField: string;
  readonly tls: TlsFiles | undefined;
  readonly proxies: ProxySettings;
  /** For all requests together, since `startedAt` by `performance.now()`. */
  readonly timeoutMs: number;
  readonly startedAt: number;
  readonly signal: AbortSignal;
}

const BUCKET_FAILED = 'BucketOperationFailed';
/** Of temporary keys that the server does not accept, or no longer. */
const TOKEN_CODES: ReadonlySet<string> = new Set(['ExpiredToken', 'InvalidToken', 'InvalidTokenId']);
const MISSING = 'does not exist: create it, or correct spec.bucketName';

/**
 * One bucket by the S3 API, for the time of one fetch; to be closed. Errors: TransientError `BucketOperationFailed` |
 * `AuthenticationFailed`; CancelledError.
 */
export class ObjectStore {
  readonly #options: ObjectStoreOptions;
  readonly #connections: Connections;

  constructor(options: ObjectStoreOptions) {
    this.#options = options;
    this.#connections = new Connections(this.#request(options.place.origin, {}));
  }

  /** A page of the objects whose keys begin with `prefix`, as the server prints it. */
  async page(prefix: string, token: string | undefined): Promise<string> {
    const asked = await this.#download(listUrl(this.#options.place, { prefix, token }), MAX_PAGE_BYTES);
    const page = await this.#ask(asked, (response) => readAll(asked, response));
    if (page === undefined) throw this.failure(MISSING);
    return page.toString('utf8');
  }

  /** The ignore file of the bucket, if it has one. */
  async ignoreFile(key: string): Promise<string | undefined> {
    const asked = await this.#download(objectUrl(this.#options.place, key), MAX_IGNORE_BYTES);
    return (await this.#ask(asked, (response) => readAll(asked, response)))?.toString('utf8');
  }

  /** Writes an object to `file`, and returns its ETag; undefined when it is gone. */
  async save({ key, bytes }: ListedObject, file: string): Promise<string | undefined> {
    const asked = await this.#download(objectUrl(this.#options.place, key), bytes);
    return this.#ask(asked, async (response) => {
      await save(asked, response, file);
      return unquoted(String(response.headers['etag'] ?? ''));
    });
  }

  failure(problem: string): TransientError {
    return new TransientError(`bucket '${this.#options.bucketName}' ${problem}`, { reason: BUCKET_FAILED });
  }

  close(): Promise<void> {
    return this.#connections.close();
  }

  #request(url: string, signature: HttpCredentials): HttpRequest {
    const { tls, proxies, signal, timeoutMs, startedAt } = this.#options;
    const credentials = { ...(tls ? { tls } : {}), ...signature };
    return { url, credentials, proxies, timeoutMs, startedAt, signal, reason: BUCKET_FAILED };
  }

  async #download(url: string, maxBytes: number): Promise<Download> {
    const request = this.#request(url, await this.#signature(url));
    return { ...request, maxBytes, connections: this.#connections };
  }

  async #signature(url: string): Promise<HttpCredentials> {
    const { login, place } = this.#options;
    const keys = await login();
    if (keys === undefined) return {};
    const { host, pathname, search } = new URL(url);
    const request = {
      ...{ method: 'GET', host, path: `${pathname}${search}`, service: 's3', region: place.region },
      headers: { 'X-Amz-Content-Sha256': EMPTY_SHA256 },
    };
    const { Authorization, 'X-Amz-Date': date } = aws4.sign(request, { ...keys }).headers ?? {};
    const signature = defined({
      'x-amz-date': String(date),
      'x-amz-content-sha256': EMPTY_SHA256,
      'x-amz-security-token': keys.sessionToken,
    });
    return { authorization: String(Authorization), signature };
  }

  /** What `read` makes of a 200 answer; undefined for 404. */
  #ask<T>(asked: Download, read: (response: Response) => Promise<T>): Promise<T | undefined> {
    return exchange(asked, async ({ response, url }) => {
      // What is elsewhere is no part of this bucket, and would be asked without a signature.
      const { origin, host } = new URL(url);
      if (origin !== new URL(asked.url).origin)
        throw this.failure(`leads to ${host}: check spec.endpoint and spec.region`);
      if (response.statusCode === 200) return read(response);
      const code = await errorCode(asked, response);
      if (response.statusCode === 404 && code !== 'NoSuchBucket') return undefined;
      throw this.#refused(response, code);
    });
  }

  #refused(response: Response, code: string): TransientError {
    const { statusCode } = response;
    if (code === 'NoSuchBucket') return this.failure(MISSING);
    const answer = `cannot be read: ${refusalText(response, code)}`;
    const isRefusal = statusCode === 401 || statusCode === 403 || TOKEN_CODES.has(code);
    // AWS, for a bucket of another region.
    if (!isRefusal && (statusCode === 301 || statusCode === 400)) return this.failure(`${answer}: check spec.region`);
    if (!isRefusal) return this.failure(answer);
    const message = `bucket '${this.#options.bucketName}' ${answer}: check ${this.#options.loginField} and spec.region`;
    return new TransientError(message, { reason: 'AuthenticationFailed' });
  }
}
