import { sign } from 'node:crypto';
import { promisify } from 'node:util';
import { TransientError } from '#lib/errors.js';
import type { ProxySettings } from '#lib/net/proxy.js';
import type { Deps } from '../deps.js';
import { exchange, readAll, statusFailure, type Download, type TlsFiles } from '../http.js';
import {
  installationIdIn,
  installationUrls,
  isFresh,
  signedPart,
  tokenIn,
  tokenKey,
  tokenUrl,
  type GitHubApp,
  type InstallationToken,
} from './model/github-app.js';

/** How the API of GitHub is reached. */
export interface GitHubAccess {
  readonly tls: TlsFiles;
  readonly proxies: ProxySettings;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** False: a token that is known will not do. */
  readonly mayReuse: boolean;
}

type Tokens = Pick<Deps, 'githubTokens' | 'now'>;

const MAX_BYTES = 1024 * 1024;
const REASON = 'AuthenticationFailed';

function failed(problem: string, cause?: unknown): TransientError {
  return new TransientError(`GitHub App: ${problem}`, { reason: REASON, cause });
}

/** Signed in another thread. */
async function appToken(app: GitHubApp, nowMs: number): Promise<string> {
  const signed = signedPart(app, nowMs);
  try {
    const signature = await promisify(sign)('RSA-SHA256', Buffer.from(signed), app.privateKey);
    return `${signed}.${signature.toString('base64url')}`;
  } catch (cause: unknown) {
    throw failed('cannot sign with githubAppPrivateKey: give it a key of the app', cause);
  }
}

function request(url: string, jwt: string, access: GitHubAccess): Download {
  const { tls, proxies, timeoutMs, signal } = access;
  const credentials = { tls, authorization: `Bearer ${jwt}` };
  const common = { accept: 'application/vnd.github+json', maxBytes: MAX_BYTES, reason: REASON, namedHost: '' };
  return { url, credentials, proxies, timeoutMs, signal, ...common };
}

/** The JSON of an answer of `expected` status; undefined for a 404. */
async function ask(asked: Download, expected: number): Promise<unknown> {
  return exchange(asked, async ({ response }) => {
    if (response.statusCode === 404) return undefined;
    if (response.statusCode !== expected) throw statusFailure(asked, response);
    try {
      return JSON.parse((await readAll(asked, response)).toString('utf8')) as unknown;
    } catch (error: unknown) {
      if (error instanceof SyntaxError) return undefined;
      throw error;
    }
  });
}

async function installationId({ installation, baseUrl }: GitHubApp, jwt: string, access: GitHubAccess) {
  if ('id' in installation) return installation.id;
  for (const url of installationUrls(baseUrl, installation.owner)) {
    const id = installationIdIn(await ask(request(url, jwt, access), 200));
    if (id !== undefined) return id;
  }
  throw failed(`it is not installed for '${installation.owner}': correct githubAppInstallationOwner`);
}

/**
 * A token for an installation of an app, kept until shortly before its end. The host of the API may not be link-local.
 * Throws TransientError `AuthenticationFailed`.
 */
export async function installationToken(
  { githubTokens, now }: Tokens,
  app: GitHubApp,
  access: GitHubAccess,
): Promise<InstallationToken> {
  const key = tokenKey(app);
  const known = access.mayReuse ? githubTokens.get(key) : undefined;
  if (known !== undefined && isFresh(known, now())) return known;
  const jwt = await appToken(app, now());
  const url = tokenUrl(app.baseUrl, await installationId(app, jwt, access));
  const token = tokenIn(await ask({ ...request(url, jwt, access), method: 'POST' }, 201));
  if (token === undefined) throw failed(`no token came from ${url}: check githubAppID and githubAppInstallationID`);
  githubTokens.set(key, token);
  return token;
}
