import { lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { promisify } from 'node:util';
import { TransientError } from '#controllers/runtime/pure/errors.js';
import { proxyFor } from '#controllers/runtime/pure/proxy.js';
import type { Deps } from '../deps.js';
import { exchange } from '../http.js';
import { guardedLookup, isMetadataHost, type Resolve } from '#controllers/runtime/pure/link-local.js';
import { discoveryUrl, redirectedUrl } from '../model/git-redirect.js';
import { createGit, type Git, type GitOptions } from './git.js';
import { GitError } from './git-error.js';

export interface ServerOptions extends GitOptions {
  /** The only host that may be link-local: the one in the spec. */
  readonly namedHost: string;
}

function failed(problem: string, cause?: unknown): TransientError {
  return new TransientError(problem, { reason: 'GitOperationFailed', cause });
}

function refusal(host: string): TransientError {
  return failed(`the repository leads to ${host}, a link-local address, which is never fetched from there`);
}

function port({ port: given, protocol }: URL): string {
  if (given !== '') return given;
  return protocol === 'https:' ? '443' : '80';
}

/** A repository on its server, as one pass speaks to it. */
export class Server {
  readonly #deps: Pick<Deps, 'run' | 'gitPath'>;
  readonly #options: ServerOptions;
  readonly #lookup: LookupFunction;
  #url: string;
  #git: Git | undefined;
  #isRedirected = false;

  constructor(deps: Pick<Deps, 'run' | 'gitPath'>, options: ServerOptions, resolve: Resolve = lookup) {
    this.#deps = deps;
    this.#options = options;
    this.#lookup = guardedLookup(resolve, refusal);
    this.#url = options.url;
  }

  /**
   * Runs a command that speaks to the server. Git itself follows no redirect, because it would follow one to any
   * address. Errors: those of `command`; TransientError `GitOperationFailed` | `AuthenticationFailed`.
   */
  async speak<T>(command: (git: Git, url: string) => Promise<T>): Promise<T> {
    try {
      return await command(await this.#gitHere(), this.#url);
    } catch (error: unknown) {
      const isRedirect = error instanceof GitError && error.failure === 'Redirected';
      if (!isRedirect || this.#isRedirected) throw error;
    }
    this.#url = await this.#redirect();
    this.#git = undefined;
    this.#isRedirected = true;
    return command(await this.#gitHere(), this.#url);
  }

  async #gitHere(): Promise<Git> {
    if (this.#git !== undefined) return this.#git;
    const { access } = this.#options;
    const config = { ...access.config, ...(await this.#pins()) };
    this.#git = createGit(this.#deps, { ...this.#options, url: this.#url, access: { ...access, config } });
    return this.#git;
  }

  /** Where the server leads to, hop by hop on our own transport. */
  async #redirect(): Promise<string> {
    const { url, access, proxies, timeoutMs, startedAt, signal, namedHost } = this.#options;
    const asked = discoveryUrl(url);
    const common = { proxies, timeoutMs, startedAt, signal, namedHost, reason: 'GitOperationFailed' };
    const request = { url: asked, credentials: access.http ?? {}, ...common };
    const found = redirectedUrl(url, await exchange(request, (answer) => Promise.resolve(answer.url)));
    if ('problem' in found) throw failed(found.problem);
    return found.url;
  }

  /** The addresses that git must use for a host that the spec does not name: it would look them up once more. */
  async #pins(): Promise<Record<string, string>> {
    const url = new URL(this.#url);
    const { hostname } = url;
    if (hostname === this.#options.namedHost) return {};
    if (isMetadataHost(hostname)) throw refusal(hostname);
    const isAddress = isIP(hostname) !== 0 || hostname.startsWith('[');
    // Behind a proxy, it is the proxy that looks up names.
    if (isAddress || proxyFor(this.#url, this.#options.proxies) !== undefined) return {};
    const addresses = await this.#addressesOf(hostname);
    return { 'http.curloptResolve': `${hostname}:${port(url)}:${addresses.join(',')}` };
  }

  async #addressesOf(hostname: string): Promise<string[]> {
    try {
      // All of them are asked for, so a list is answered.
      const found = await promisify(this.#lookup)(hostname, { all: true });
      return [found].flat().map((each) => (typeof each === 'string' ? each : each.address));
    } catch (error: unknown) {
      if (error instanceof TransientError) throw error;
      throw failed(`cannot look up the host ${hostname}`, error);
    }
  }
}
