import { parseTimestamp } from '#lib/kube/conditions.js';
import { digestOf } from '#lib/hash.js';
import { privateKeyIn } from '#lib/net/private-key.js';

/** What a Secret says of a GitHub App. */
export interface GitHubApp {
  readonly id: string;
  /** Where it is installed: the id of the installation, or its owner. */
  readonly installation: { readonly id: string } | { readonly owner: string };
  /** PEM. */
  readonly privateKey: string;
  /** Of the API, without a slash at its end. */
  readonly baseUrl: string;
}

interface Problem {
  readonly problem: string;
}

/** A token of an installation. */
export interface InstallationToken {
  readonly token: string;
  readonly expiresAtMs: number;
}

const GITHUB = 'https://api.github.com';
/** For clocks that differ, and how long it is good, as in Flux. */
const BACKDATED_SECONDS = 30;
const LIFETIME_SECONDS = 120;
/** A fetch that begins with a token must end with it. */
const SPARE_MS = 10 * 60_000;
const MIN_KEY_BITS = 2048;
const NUMBER = /^[1-9]\d{0,18}$/;
/** As GitHub has them. */
const OWNER = /^[A-Za-z\d](?:[A-Za-z\d_-]{0,98})$/;
const TOKEN = /^[\x21-\x7e]{1,1000}$/;

function baseUrlOf(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url?.protocol === 'https:' && `${url.username}${url.password}${url.search}${url.hash}` === '';
  return isPlain ? url.href.replace(/\/+$/, '') : undefined;
}

function installationOf(id: string | undefined, owner: string | undefined): GitHubApp['installation'] | Problem {
  if ((id === undefined) === (owner === undefined))
    return { problem: 'it needs one of the keys githubAppInstallationID and githubAppInstallationOwner' };
  if (id !== undefined)
    return NUMBER.test(id) ? { id } : { problem: 'its key githubAppInstallationID is not a number' };
  if (owner !== undefined && OWNER.test(owner)) return { owner };
  return { problem: 'its key githubAppInstallationOwner is not the name of a user or an organization' };
}

function privateKeyOf(text: string | undefined): string | Problem {
  if (text === undefined) return { problem: 'its key githubAppPrivateKey is missing' };
  const { pem, rsaBits = 0 } = privateKeyIn(text) ?? {};
  if (pem !== undefined && rsaBits >= MIN_KEY_BITS) return pem;
  return { problem: 'its key githubAppPrivateKey is not a private RSA key of 2048 to 8192 bits in PEM' };
}

/** The app that a Secret describes. A problem names the key. */
export function githubAppIn(data: ReadonlyMap<string, string>): GitHubApp | Problem {
  // An editor ends a file with a newline.
  const line = (key: string): string | undefined => data.get(key)?.trim();
  const id = line('githubAppID') ?? '';
  if (!NUMBER.test(id)) return { problem: 'its key githubAppID is missing or not a number' };
  const installation = installationOf(line('githubAppInstallationID'), line('githubAppInstallationOwner'));
  if ('problem' in installation) return installation;
  const privateKey = privateKeyOf(data.get('githubAppPrivateKey'));
  if (typeof privateKey !== 'string') return privateKey;
  const baseUrl = baseUrlOf(line('githubAppBaseURL') ?? GITHUB);
  if (baseUrl === undefined) return { problem: 'its key githubAppBaseURL is not an https URL' };
  return { id, installation, privateKey, baseUrl };
}

/** By what a token is known again. */
export function tokenKey(app: GitHubApp): string {
  return digestOf(app);
}

/** What an app signs (RS256) to show who it is. */
export function signedPart({ id }: GitHubApp, nowMs: number): string {
  const issuedAt = Math.floor(nowMs / 1_000) - BACKDATED_SECONDS;
  const claims = { iat: issuedAt, exp: issuedAt + LIFETIME_SECONDS, iss: id };
  const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode(claims)}`;
}

/** Where an owner's installation is looked up: as an organization, then as a user. */
export function installationUrls(baseUrl: string, owner: string): string[] {
  return [`${baseUrl}/orgs/${owner}/installation`, `${baseUrl}/users/${owner}/installation`];
}

export function tokenUrl(baseUrl: string, installationId: string): string {
  return `${baseUrl}/app/installations/${installationId}/access_tokens`;
}

/** The id in what is known of an installation; undefined when there is none. */
export function installationIdIn(value: unknown): string | undefined {
  const id = typeof value === 'object' && value !== null && 'id' in value ? String(value.id) : '';
  return NUMBER.test(id) ? id : undefined;
}

/** The token in an answer; undefined when there is none. */
export function tokenIn(value: unknown): InstallationToken | undefined {
  if (typeof value !== 'object' || value === null || !('token' in value) || !('expires_at' in value)) return undefined;
  const { token, expires_at: expires } = value;
  const expiresAtMs = typeof expires === 'string' ? parseTimestamp(expires) : undefined;
  if (typeof token !== 'string' || !TOKEN.test(token) || expiresAtMs === undefined) return undefined;
  return { token, expiresAtMs };
}

/** True while a token lasts for a fetch that begins now. */
export function isFresh({ expiresAtMs }: InstallationToken, nowMs: number): boolean {
  return expiresAtMs - nowMs > SPARE_MS;
}
