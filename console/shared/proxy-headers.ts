import type { UserInfo } from '#api/core.js';

/** By lower-case name, each with all values in the order in which they came: `headersDistinct` of Node. */
export type ReceivedHeaders = Readonly<Record<string, readonly string[] | undefined>>;

/** Who a proxy says that a request is of, or why that cannot be believed. */
export type Claim = { readonly user: UserInfo } | { readonly problem: string };

const USER = 'x-remote-user';
const GROUP = 'x-remote-group';
const EXTRA = 'x-remote-extra-';

const ANONYMOUS = 'system:anonymous';
/** It may do everything, whatever the roles say: no proxy needs to say so, and a mistake in one would open the cluster. */
const ADMINISTRATORS = 'system:masters';

/** Other spaces than those that HTTP allows around a value: without them, it would be the name of somebody else. */
const OUTER_SPACE = /^\s|\s$/;

/** The bytes of a header are UTF-8; Node reads each as one character. */
function decoded(value: string): string {
  return Buffer.from(value, 'latin1').toString('utf8');
}

function keyOf(name: string): string {
  try {
    return decodeURIComponent(name).toLowerCase();
  } catch {
    return name; // As Kubernetes: what is not encoded stands for itself.
  }
}

function extraOf(headers: ReceivedHeaders): Record<string, string[]> {
  const found = new Map<string, string[]>();
  for (const [name, values = []] of Object.entries(headers)) {
    if (!name.startsWith(EXTRA) || name.length === EXTRA.length) continue;
    const key = keyOf(name.slice(EXTRA.length));
    found.set(key, [...(found.get(key) ?? []), ...values.map(decoded)]);
  }
  return Object.fromEntries(found);
}

/** One value of a header that may come once; undefined if it is absent. Throws a RangeError on a second one. */
function single(headers: ReceivedHeaders, name: string): string | undefined {
  const values = headers[name] ?? [];
  if (values.length > 1) throw new RangeError(`${name} was sent ${values.length} times`);
  return values[0] === undefined ? undefined : decoded(values[0]);
}

/** Without `X-Remote-Uid`: proxies that do not know it, as ks-apiserver, pass on what the user himself sent. */
function userOf(headers: ReceivedHeaders, username: string): UserInfo {
  const groups = (headers[GROUP] ?? []).map(decoded).filter((group) => group !== '' && !OUTER_SPACE.test(group));
  return { username, groups, extra: extraOf(headers) };
}

/**
 * What a trusted proxy claims, in Kubernetes' request headers; undefined: nothing. Only ask it of a request that came
 * from such a proxy. Source: https://kubernetes.io/docs/reference/access-authn-authz/authentication/#authenticating-proxy
 */
export function claimOf(headers: ReceivedHeaders): Claim | undefined {
  try {
    const username = single(headers, USER);
    if (username === undefined) return undefined;
    if (username === '' || username === ANONYMOUS) return { problem: 'the proxy names no user' };
    if (OUTER_SPACE.test(username)) return { problem: 'the name of the user begins or ends with a space' };
    const user = userOf(headers, username);
    const isAdministrator = user.groups?.includes(ADMINISTRATORS) === true;
    return isAdministrator ? { problem: `a proxy may not claim the group ${ADMINISTRATORS}` } : { user };
  } catch (error: unknown) {
    if (error instanceof RangeError) return { problem: error.message };
    throw error;
  }
}
