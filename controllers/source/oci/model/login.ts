import { isMap, type PlainMap } from '#lib/plain.js';
import type { RegistryRepository } from '#lib/net/registry-name.js';

/** How a registry wants to be asked, from its WWW-Authenticate header. */
export type Challenge =
  | { readonly scheme: 'basic' }
  | { readonly scheme: 'bearer'; readonly realm: string; readonly service: string | undefined };

/** A scheme, or one parameter of it: a token, and a value that may be quoted. */
const PART = /[\s,]*([!#$%&'*+.^_`|~\w-]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s",]+)))?/y;
/** A longer header is no challenge in good faith. */
const MAX_HEADER = 8_192;

interface Read {
  readonly scheme: string;
  readonly parameters: Map<string, string>;
}

function readChallenges(header: string): Read[] {
  const challenges: Read[] = [];
  PART.lastIndex = 0;
  for (let found = PART.exec(header); found !== null; found = PART.exec(header)) {
    const [, name = '', quoted, plain] = found;
    const value = quoted === undefined ? plain : quoted.replaceAll(/\\(.)/g, '$1');
    if (value === undefined) challenges.push({ scheme: name.toLowerCase(), parameters: new Map() });
    else challenges.at(-1)?.parameters.set(name.toLowerCase(), value);
  }
  return challenges;
}

/** The challenge of a 401 answer: a bearer token before a login. Undefined when it asks for neither. */
export function parseChallenge(header: string): Challenge | undefined {
  if (header.length > MAX_HEADER) return undefined;
  const challenges = readChallenges(header);
  const bearer = challenges.find(({ scheme }) => scheme === 'bearer')?.parameters;
  const realm = bearer?.get('realm');
  if (realm !== undefined) return { scheme: 'bearer', realm, service: bearer?.get('service') };
  return challenges.some(({ scheme }) => scheme === 'basic') ? { scheme: 'basic' } : undefined;
}

/**
 * Where a token to pull from `repository` is to be had, given the base URL of its registry. Undefined when the realm is
 * no http(s) URL, or would carry a login in clear text though the registry itself uses TLS.
 */
export function tokenUrl(
  { realm, service }: Extract<Challenge, { scheme: 'bearer' }>,
  { repository, registry }: { readonly repository: string; readonly registry: string },
): string | undefined {
  if (!URL.canParse(realm)) return undefined;
  const url = new URL(realm);
  const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && registry.startsWith('http:'));
  if (!isSafe || url.username !== '' || url.password !== '') return undefined;
  if (service !== undefined) url.searchParams.set('service', service);
  url.searchParams.set('scope', `repository:${repository}:pull`);
  return url.href;
}

/** A login for a registry. */
export interface RegistryLogin {
  readonly username: string;
  readonly password: string;
}

/** The login for a repository, if there is one, or what is wrong with the text. Problems never quote it. */
type LoginLookup = { readonly login: RegistryLogin | undefined } | { readonly problem: string };

/** The entries by registry; undefined when the text has none. */
function authsIn(text: string): PlainMap | undefined {
  try {
    const config: unknown = JSON.parse(text);
    const auths = isMap(config) ? config['auths'] : undefined;
    return isMap(auths) ? auths : undefined;
  } catch {
    return undefined;
  }
}

/** `https://HOST/v1/`, as Docker writes it for its own registry, means HOST; `docker.io` is that registry. */
function placeOf(key: string): string {
  const [host = '', ...path] = key
    .replace(/^https?:\/\//, '')
    .replace(/\/(v[12]\/?)?$/, '')
    .split('/');
  const lower = host.toLowerCase();
  return [lower === 'docker.io' ? 'index.docker.io' : lower, ...path].join('/');
}

function decoded(auth: string): RegistryLogin | undefined {
  const text = Buffer.from(auth, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon < 0 ? undefined : { username: text.slice(0, colon), password: text.slice(colon + 1) };
}

function loginOf(entry: PlainMap): RegistryLogin | undefined {
  const { auth, username, password } = entry;
  if (typeof auth === 'string' && auth !== '') return decoded(auth);
  return typeof username === 'string' && typeof password === 'string' ? { username, password } : undefined;
}

/**
 * The login for a repository in a `.dockerconfigjson`: the entry with the longest path that leads to it. Unlike
 * in kubelet, entries are not patterns.
 */
export function findLogin(text: string, { host, name }: RegistryRepository): LoginLookup {
  const auths = authsIn(text);
  if (auths === undefined) return { problem: 'its .dockerconfigjson is not JSON with an object `auths`' };
  const full = `${host.toLowerCase()}/${name}/`;
  const places = Object.keys(auths).filter((key) => full.startsWith(`${placeOf(key)}/`));
  const [best] = places.sort((a, b) => placeOf(b).length - placeOf(a).length);
  if (best === undefined) return { login: undefined };
  const entry = isMap(auths[best]) ? auths[best] : {};
  const login = loginOf(entry);
  if (login !== undefined) return { login };
  const token = ['identitytoken', 'registrytoken'].find((field) => entry[field] !== undefined);
  const problem = token === undefined ? 'has neither auth nor username and password' : `has only ${token}`;
  return { problem: `the entry of its .dockerconfigjson for ${host} ${problem}: log in with user name and password` };
}
