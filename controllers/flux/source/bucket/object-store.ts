import { createHash } from 'node:crypto';
import aws4 from 'aws4';
import { TransientError } from '#controllers/runtime/pure/errors.js';
import type { ProxySettings } from '#controllers/runtime/pure/proxy.js';
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
import type { ListedObject } from '../model/bucket-index.js';
import { unquoted } from '../model/bucket-page.js';
import { listUrl, objectUrl, type BucketPlace } from '../model/bucket-place.js';

const MAX_PAGE_BYTES = 4 * 1024 * 1024;
const MAX_IGNORE_BYTES = 1024 * 1024;
const MAX_ERROR_BYTES = 16 * 1024;
const EMPTY_SHA256 = createHash('sha256').digest('hex');

export interface BucketLogin {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export interface ObjectStoreOptions {
  readonly place: BucketPlace;
  readonly bucketName: string;
  /** Requests without one are not signed. */
  readonly login: BucketLogin | undefined;
  readonly tls: TlsFiles | undefined;
  readonly proxies: ProxySettings;
  /** For all requests together. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

const BUCKET_FAILED = 'BucketOperationFailed';
const MISSING = 'does not exist: create it, or correct spec.bucketName';

/** `<Code>` of an error, e.g. `NoSuchKey`; empty where the answer has none. */
async function errorCode(asked: Download, response: Response): Promise<string> {
  const body = await readAll({ ...asked, maxBytes: MAX_ERROR_BYTES }, response).catch(() => Buffer.alloc(0));
  return /<Code>([A-Za-z]{1,64})<\/Code>/.exec(body.toString('utf8'))?.[1] ?? '';
}

/**
 * One bucket by the S3 API, for the time of one fetch; to be closed. Errors: TransientError `BucketOperationFailed` |
 * `AuthenticationFailed`; CancelledError.
 */
export class ObjectStore {
  readonly #options: ObjectStoreOptions;
  readonly #connections: Connections;
  readonly #startedAt = performance.now();

  constructor(options: ObjectStoreOptions) {
    this.#options = options;
    this.#connections = new Connections(this.#request(options.place.origin));
  }

  /** A page of the objects whose keys begin with `prefix`, as the server prints it. */
  async page(prefix: string, token: string | undefined): Promise<string> {
    const asked = this.#download(listUrl(this.#options.place, { prefix, token }), MAX_PAGE_BYTES);
    const page = await this.#ask(asked, (response) => readAll(asked, response));
    if (page === undefined) throw this.failure(MISSING);
    return page.toString('utf8');
  }

  /** The ignore file of the bucket, if it has one. */
  async ignoreFile(key: string): Promise<string | undefined> {
    const asked = this.#download(objectUrl(this.#options.place, key), MAX_IGNORE_BYTES);
    return (await this.#ask(asked, (response) => readAll(asked, response)))?.toString('utf8');
  }

  /** Writes an object to `file`, and returns its ETag; undefined when it is gone. */
  async save({ key, bytes }: ListedObject, file: string): Promise<string | undefined> {
    const asked = this.#download(objectUrl(this.#options.place, key), bytes);
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

  #request(url: string): HttpRequest {
    const { tls, proxies, signal, timeoutMs } = this.#options;
    const credentials = { ...(tls ? { tls } : {}), ...this.#signature(url) };
    return { url, credentials, proxies, timeoutMs, startedAt: this.#startedAt, signal, reason: BUCKET_FAILED };
  }

  #download(url: string, maxBytes: number): Download {
    return { ...this.#request(url), maxBytes, connections: this.#connections };
  }

  #signature(url: string): HttpCredentials {
    const { login, place } = this.#options;
    if (login === undefined) return {};
    const { host, pathname, search } = new URL(url);
    const request = {
      ...{ method: 'GET', host, path: `${pathname}${search}`, service: 's3', region: place.region },
      headers: { 'X-Amz-Content-Sha256': EMPTY_SHA256 },
    };
    const { Authorization, 'X-Amz-Date': date } = aws4.sign(request, { ...login }).headers ?? {};
    const signature = { 'x-amz-date': String(date), 'x-amz-content-sha256': EMPTY_SHA256 };
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

  #refused({ statusCode }: Response, code: string): TransientError {
    if (code === 'NoSuchBucket') return this.failure(MISSING);
    const answer = `cannot be read: the server answered ${statusCode}${code === '' ? '' : ` ${code}`}`;
    // AWS, for a bucket of another region.
    if (statusCode === 301 || statusCode === 400) return this.failure(`${answer}: check spec.region`);
    if (statusCode !== 401 && statusCode !== 403) return this.failure(answer);
    const message = `bucket '${this.#options.bucketName}' ${answer}: check spec.secretRef and spec.region`;
    return new TransientError(message, { reason: 'AuthenticationFailed' });
  }
}
