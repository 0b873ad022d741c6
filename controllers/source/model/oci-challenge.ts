/** How a registry wants to be asked, from its WWW-Authenticate header. */
export type Challenge =
  | { readonly scheme: 'basic' }
  | { readonly scheme: 'bearer'; readonly realm: string; readonly service: string | undefined };

/** A scheme, or one parameter of it: a token, and a value that may be quoted. */
const PART = /[\s,]*([!#$%&'*+.^_`|~\w-]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s",]+)))?/y;
/** What is longer is no challenge of good faith. */
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
