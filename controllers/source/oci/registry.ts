import { createHash } from 'node:crypto';
import { TransientError } from '#lib/errors.js';
import { isMap, type PlainMap } from '#lib/plain.js';
import { listed } from '#lib/text/text.js';
import type { ProxySettings } from '#lib/net/proxy.js';
import type { RegistryRepository } from '#lib/net/registry-name.js';
import {
  download,
  exchange,
  readAll,
  save,
  statusFailure,
  succeeded,
  type Download,
  type HttpCredentials,
  type Response,
  type TlsFiles,
} from '../http.js';
import { parseChallenge, tokenUrl, type RegistryLogin, type Challenge } from './model/login.js';
import { MANIFEST_TYPES, type Layer } from './model/manifest.js';
import { isDigest } from './model/reference.js';
import { printableUrl, sharesCredentials } from '../model/urls.js';

/** A target and its parameters. */
const LINK = /<([^<>]*)>([^<]*)/g;
const NEXT = /;\s*rel\s*=\s*"?next"?\s*(?:[;,]|$)/i;

/** Where the next page is, by a Link header (RFC 8288); undefined after the last one. */
export function nextLink(header: string): string | undefined {
  for (const [, target, parameters = ''] of header.matchAll(LINK)) {
    if (NEXT.test(parameters)) return target;
  }
  return undefined;
}

const MAX_MANIFEST_BYTES = 4 * 1024 * 1024;
const MAX_TOKEN_BYTES = 1024 * 1024;
const MAX_PAGE_BYTES = 4 * 1024 * 1024;
const MAX_TAGS = 100_000;
const MAX_PAGES = 1_000;
const MAX_TAG_LENGTH = 128;
const INDEX = 'application/vnd.oci.image.index.v1+json';
const NOT_FOUND: ReadonlySet<number> = new Set([404]);
/** What registries without the API of referrers answer to it. */
const WITHOUT_REFERRERS: ReadonlySet<number> = new Set([400, 404, 405, 406]);
/** Tags per page: what registries give at most. */
const PAGE = 1_000;
const PLAIN_TAG = /^[\w.-]+$/;
/** Tags in a message. */
const SHOWN = 10;

export interface RegistryOptions {
  readonly repository: RegistryRepository;
  /** Plain HTTP instead of TLS. */
  readonly insecure: boolean;
  readonly login: RegistryLogin | undefined;
  readonly tls: TlsFiles | undefined;
  readonly proxies: ProxySettings;
  /** The only host that may be link-local; default: that of the registry. */
  readonly namedHost?: string;
  /** For all requests together. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Reason of errors. */
  readonly reason: string;
}

function sha256(body: Buffer): string {
  return `sha256:${createHash('sha256').update(body).digest('hex')}`;
}

/** Tags of a page; undefined when it is none. Some registries write null for an empty list. */
function tagsIn(text: string): string[] | undefined {
  const list = mapIn(text)['tags'];
  if (list === null) return [];
  if (!Array.isArray(list)) return undefined;
  return list.filter((each): each is string => typeof each === 'string' && each.length <= MAX_TAG_LENGTH);
}

/**
 * One repository of a registry, by the OCI distribution protocol, for the time of one fetch. What it downloads has the
 * digest that was asked for. Errors: TransientError with `reason`, or `AuthenticationFailed`; CancelledError.
 */
export class Registry {
  readonly #options: RegistryOptions;
  readonly #base: string;
  readonly #startedAt = performance.now();
  /** What the registry has accepted, or asked for, so far. */
  #authorization: string | undefined;

  constructor(options: RegistryOptions) {
    this.#options = options;
    this.#base = `${options.insecure ? 'http' : 'https'}://${options.repository.host}`;
  }

  /** The digest that a tag stands for: asked by HEAD, which no registry counts as a pull. */
  async resolve(tag: string): Promise<string> {
    const asked = { ...this.#manifestRequest(tag), method: 'HEAD' } as const;
    const digest = await this.#answer<string | TransientError>(asked, (response) => {
      if (NOT_FOUND.has(response.statusCode)) return Promise.resolve(statusFailure(asked, response));
      return Promise.resolve(String(succeeded(asked, response).headers['docker-content-digest']));
    });
    if (digest instanceof TransientError) {
      const { message, reason, retryAfterMs } = digest;
      throw new TransientError(`${message}${await this.#offerFor(tag)}`, { reason, retryAfterMs });
    }
    return isDigest(digest) ? digest : sha256(await this.#readManifest(tag));
  }

  /** The tags that there are instead: those of the same version first, which differ in build metadata alone. */
  async #offerFor(tag: string): Promise<string> {
    try {
      const tags = (await this.tags()).filter((each) => PLAIN_TAG.test(each));
      const ofVersion = tags.filter((each) => each.startsWith(`${tag}_`));
      if (ofVersion.length > 0) return `: there is ${listed(ofVersion, SHOWN)}: name it with what is behind the _`;
      return tags.length === 0 ? '' : `: the tags are ${listed(tags, SHOWN)}`;
    } catch (error: unknown) {
      // Without the right to list tags, or without the repository.
      if (error instanceof TransientError) return '';
      throw error;
    }
  }

  /** The text of the manifest with a digest. */
  async manifest(digest: string): Promise<string> {
    const body = await this.#readManifest(digest);
    this.#expectDigest(`manifests/${digest}`, sha256(body), digest);
    return body.toString('utf8');
  }

  /** The text of the manifest that a tag stands for; undefined without such a tag. */
  manifestOf(tag: string): Promise<string | undefined> {
    return this.#find(this.#manifestRequest(tag), NOT_FOUND);
  }

  /** The index of what refers to a manifest, or what the registry says instead; undefined when it keeps none. */
  referrers(digest: string): Promise<string | undefined> {
    const asked = { ...this.#download(this.#url(`referrers/${digest}`), MAX_MANIFEST_BYTES), accept: INDEX };
    return this.#find(asked, WITHOUT_REFERRERS);
  }

  /** The bytes of a small blob. */
  async blob(layer: Layer, maxBytes: number): Promise<Buffer> {
    const asked = this.#download(this.#url(`blobs/${layer.digest}`), maxBytes);
    const body = await this.#ask(asked, (response) => readAll(asked, response));
    this.#expectDigest(`blobs/${layer.digest}`, sha256(body), layer.digest);
    return body;
  }

  /** All tags, in the order of the registry. */
  async tags(): Promise<string[]> {
    const tags: string[] = [];
    let next: string | undefined = this.#url(`tags/list?n=${PAGE}`);
    for (let page = 0; next !== undefined; page += 1) {
      const url: string = next;
      const asked = this.#download(url, MAX_PAGE_BYTES);
      const { body, link } = await this.#ask(asked, async (response) => ({
        body: await readAll(asked, response),
        link: [response.headers['link'] ?? []].flat().join(', '),
      }));
      for (const tag of this.#tagsIn(url, body)) tags.push(tag);
      if (tags.length > MAX_TAGS || page > MAX_PAGES) throw this.#failure(url, 'has too many tags: name one instead');
      next = this.#nextPage(url, link);
    }
    return tags;
  }

  /** Writes a layer to `file`. */
  async save(layer: Layer, file: string, maxBytes: number): Promise<void> {
    const url = this.#url(`blobs/${layer.digest}`);
    if (layer.size > maxBytes) throw this.#failure(url, `has ${layer.size} bytes; at most ${maxBytes} are fetched`);
    const asked = this.#download(url, maxBytes);
    const found = await this.#ask(asked, (response) => save(asked, response, file));
    this.#expectDigest(`blobs/${layer.digest}`, found, layer.digest);
  }

  #manifestRequest(reference: string): Download {
    return { ...this.#download(this.#url(`manifests/${reference}`), MAX_MANIFEST_BYTES), accept: MANIFEST_TYPES };
  }

  #readManifest(reference: string): Promise<Buffer> {
    const asked = this.#manifestRequest(reference);
    return this.#ask(asked, (response) => readAll(asked, response));
  }

  /** The text of an answer; undefined when its status is one of `absent`. */
  #find(asked: Download, absent: ReadonlySet<number>): Promise<string | undefined> {
    return this.#answer(asked, async (response) => {
      if (absent.has(response.statusCode)) return undefined;
      return (await readAll(asked, succeeded(asked, response))).toString('utf8');
    });
  }

  #expectDigest(path: string, found: string, expected: string): void {
    if (found !== expected) throw this.#failure(this.#url(path), 'has other content than its digest says');
  }

  #url(path: string): string {
    return `${this.#base}/v2/${this.#options.repository.name}/${path}`;
  }

  #failure(url: string, problem: string): TransientError {
    return new TransientError(`${printableUrl(url)} ${problem}`, { reason: this.#options.reason });
  }

  #download(url: string, maxBytes: number, authorization = this.#authorization): Download {
    const { tls, proxies, signal, reason, timeoutMs } = this.#options;
    const credentials: HttpCredentials = { ...(tls ? { tls } : {}), ...(authorization ? { authorization } : {}) };
    const limits = { maxBytes, timeoutMs, startedAt: this.#startedAt, signal };
    // Tokens and next pages are at URLs that the registry names.
    const { hostname: statedHost } = new URL(this.#base);
    const { namedHost = statedHost } = this.#options;
    return { url, credentials, proxies, ...limits, namedHost, statedHost, reason };
  }

  /** What `read` makes of a 200 answer. */
  #ask<T>(asked: Download, read: (response: Response) => Promise<T>): Promise<T> {
    return this.#answer(asked, (response) => read(succeeded(asked, response)));
  }

  /** What `read` makes of an answer; a registry that asks for authorization gets it, once for each request. */
  async #answer<T>(asked: Download, read: (response: Response) => Promise<T>): Promise<T> {
    const challenge = await exchange(asked, async ({ response, url }) => {
      const header = response.headers['www-authenticate'];
      // What a redirect leads to must not ask for the login of the registry.
      const mayAsk = response.statusCode === 401 && sharesCredentials(asked.url, url);
      if (!mayAsk || header === undefined) return { done: await read(response) };
      return { asks: parseChallenge([header].flat().join(', ')) };
    });
    if ('done' in challenge) return challenge.done;
    this.#authorization = await this.#authorize(asked, challenge.asks);
    const { credentials } = this.#download(asked.url, asked.maxBytes);
    return exchange({ ...asked, credentials }, ({ response }) => read(response));
  }

  async #authorize({ url }: Download, challenge: Challenge | undefined): Promise<string> {
    const { login } = this.#options;
    const basic = login && `Basic ${Buffer.from(`${login.username}:${login.password}`).toString('base64')}`;
    if (challenge?.scheme === 'bearer') return `Bearer ${await this.#token(challenge, basic)}`;
    if (challenge !== undefined && basic !== undefined) return basic;
    const problem = challenge === undefined ? 'asks for an unknown kind of login' : 'asks for a login';
    throw new TransientError(`${printableUrl(url)} ${problem}: check spec.secretRef`, {
      reason: 'AuthenticationFailed',
    });
  }

  async #token(challenge: Extract<Challenge, { scheme: 'bearer' }>, basic: string | undefined): Promise<string> {
    const place = { repository: this.#options.repository.name, registry: this.#base };
    const url = tokenUrl(challenge, place);
    if (url === undefined) throw this.#failure(this.#base, 'names no safe URL for its tokens (WWW-Authenticate)');
    // Without a login, for what everybody may pull.
    const body = await download({ ...this.#download(url, MAX_TOKEN_BYTES, basic ?? ''), url });
    const token = tokenIn(body.toString('utf8'));
    if (token === undefined) throw this.#failure(new URL(url).origin, 'answers without a token');
    return token;
  }

  #tagsIn(url: string, body: Buffer): string[] {
    const tags = tagsIn(body.toString('utf8'));
    if (tags === undefined) throw this.#failure(url, 'is not a list of tags');
    return tags;
  }

  /** The next page by a Link header: never one of another host, for it would get the authorization. */
  #nextPage(url: string, link: string): string | undefined {
    const target = nextLink(link);
    if (target === undefined || !URL.canParse(target, url)) return undefined;
    const next = new URL(target, url);
    if (next.origin !== new URL(this.#base).origin) throw this.#failure(url, 'continues on another host');
    return next.href;
  }
}

/** What a server answers as JSON, if that is a map. */
function mapIn(text: string): PlainMap {
  try {
    const value: unknown = JSON.parse(text);
    return isMap(value) ? value : {};
  } catch {
    return {};
  }
}

/** Registries name it in one of two ways. A token is part of a header: nothing but what may be in one. */
function tokenIn(text: string): string | undefined {
  const { token, access_token: other } = mapIn(text);
  const found = [token, other].find((each): each is string => typeof each === 'string' && each !== '');
  return found !== undefined && /^[\x21-\x7e]+$/.test(found) ? found : undefined;
}
