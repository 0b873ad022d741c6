import { lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { promisify } from 'node:util';
import { TransientError } from '#lib/errors.js';
import { describeRefused, guardedLookup, type Refusals, refusalsFor, type Resolve } from '#lib/net/link-local.js';
import { defined } from '#lib/plain.js';
import { proxyFor } from '#lib/net/proxy.js';
import type { Deps } from '../deps.js';
import { exchange } from '../http.js';
import { gitUrlProblem, sharesCredentials } from '../model/urls.js';
import { gitFailed, GitError } from './git-error.js';
import { createGit, type Git, type GitOptions } from './git.js';

/** The URL that git asks a server for first, written as git writes it. */
export function discoveryUrl(url: string): string {
  return `${url}${url.endsWith('/') ? '' : '/'}info/refs${url.includes('?') ? '&' : '?'}service=git-upload-pack`;
}

/**
 * The repository that the one at `url` was moved to, when `answered` is where the redirects of its first request end. As
 * in git, only the beginning of that may differ.
 */
export function redirectedUrl(url: string, answered: string): { readonly url: string } | { readonly problem: string } {
  const tail = discoveryUrl(url).slice(url.length);
  const moved = answered.slice(0, -tail.length);
  if (answered.endsWith(tail) && gitUrlProblem(moved) === undefined) return { url: moved };
  return { problem: 'the server redirects to what is not the URL of a git repository: correct spec.url' };
}

export interface ServerOptions extends GitOptions {
  /** The only host that may be link-local: the one in the spec. Loopback addresses are only reached if it is one. */
  readonly namedHost: string;
}

/** With `http.curloptResolve`. */
const PINNING = /^git version (?:2\.(?:3[7-9]|[4-9]\d|\d{3})|[3-9])\./;

function refusal(host: string, address = host): TransientError {
  const what = describeRefused(address);
  return gitFailed(`the repository leads to ${host}, ${what}, which is never fetched from there`);
}

function port({ port: given, protocol }: URL): string {
  if (given !== '') return given;
  return protocol === 'https:' ? '443' : '80';
}

/** A repository on its server, as one pass speaks to it. */
export class Server {
  readonly #deps: Pick<Deps, 'run' | 'gitPath'>;
  readonly #options: ServerOptions;
  readonly #refusals: Refusals;
  readonly #lookup: LookupFunction;
  #url: string;
  #git: Git | undefined;
  #isRedirected = false;

  constructor(deps: Pick<Deps, 'run' | 'gitPath'>, options: ServerOptions, resolve: Resolve = lookup) {
    this.#deps = deps;
    this.#options = options;
    this.#refusals = refusalsFor(options.namedHost);
    this.#lookup = guardedLookup(resolve, refusal, this.#refusals.address);
    this.#url = options.url;
  }

  /**
   * Runs a command that speaks to the server. Git itself follows no redirect, because it would follow one to any
   * address. Errors: those of `command`; TransientError `GitOperationFailed` | `AuthenticationFailed`.
   */
  async speak<T>(command: (git: Git, url: string) => Promise<T>): Promise<T> {
    // What git sends unasked must not be readable on the way to where TLS begins.
    if (this.#options.access.isSentUnasked === true && this.#url.startsWith('http:')) await this.#followRedirects();
    try {
      return await command(await this.#gitHere(), this.#url);
    } catch (error: unknown) {
      const isRedirect = error instanceof GitError && error.failure === 'Redirected';
      if (!isRedirect || this.#isRedirected) throw error;
    }
    await this.#followRedirects();
    return command(await this.#gitHere(), this.#url);
  }

  async #gitHere(): Promise<Git> {
    if (this.#git !== undefined) return this.#git;
    const { access } = this.#options;
    const pins = await this.#pins();
    const config = (url: string): Record<string, string> => ({ ...access.config(url), ...pins });
    this.#git = createGit(this.#deps, { ...this.#options, url: this.#url, access: { ...access, config } });
    return this.#git;
  }

  /** Where the server leads to, hop by hop on our own transport; only once. */
  async #followRedirects(): Promise<void> {
    if (this.#isRedirected) return;
    const { url } = this.#options;
    const found = redirectedUrl(url, await this.#discover());
    if ('problem' in found) throw gitFailed(found.problem);
    [this.#url, this.#git, this.#isRedirected] = [found.url, undefined, true];
  }

  /** Where the first request of git ends. As with git, a login is only for a server that asks for one. */
  async #discover(): Promise<string> {
    const { url, access, proxies, timeoutMs, startedAt, signal, namedHost } = this.#options;
    const asked = discoveryUrl(url);
    const common = { proxies, timeoutMs, startedAt, signal, namedHost, reason: 'GitOperationFailed' };
    const { tls, ...login } = access.http ?? {};
    const request = { url: asked, credentials: defined({ tls }), ...common };
    const answer = await exchange(request, ({ url: answered, response: { statusCode } }) =>
      Promise.resolve({ answered, statusCode }),
    );
    const isAsked = answer.statusCode === 401 && sharesCredentials(asked, answer.answered);
    if (!isAsked) return answer.answered;
    const again = { ...request, url: answer.answered, credentials: { ...login, ...request.credentials } };
    return exchange(again, (next) => Promise.resolve(next.url));
  }

  /** The addresses that git must use for a host that the spec does not name: it would look them up once more. */
  async #pins(): Promise<Record<string, string>> {
    const url = new URL(this.#url);
    const { hostname } = url;
    if (hostname === this.#options.namedHost) return {};
    if (this.#refusals.host(hostname)) throw refusal(hostname);
    const isAddress = isIP(hostname) !== 0 || hostname.startsWith('[');
    // Behind a proxy, it is the proxy that looks up names.
    if (isAddress || proxyFor(this.#url, this.#options.proxies) !== undefined) return {};
    await this.#requirePinning(hostname);
    const addresses = await this.#addressesOf(hostname);
    return { 'http.curloptResolve': `${hostname}:${port(url)}:${addresses.join(',')}` };
  }

  /** An older git ignores the addresses that it is told to use, and looks them up itself. */
  async #requirePinning(hostname: string): Promise<void> {
    const version = (await createGit(this.#deps, this.#options).output('--version')).trim();
    if (PINNING.test(version)) return;
    throw gitFailed(
      `the repository leads to ${hostname}, for which the controller needs git 2.37 or newer, not ${version}`,
    );
  }

  async #addressesOf(hostname: string): Promise<string[]> {
    try {
      // All of them are asked for, so a list is answered.
      const found = await promisify(this.#lookup)(hostname, { all: true });
      return [found].flat().map((each) => (typeof each === 'string' ? each : each.address));
    } catch (error: unknown) {
      if (error instanceof TransientError) throw error;
      throw gitFailed(`cannot look up the host ${hostname}`, error);
    }
  }
}
