import { PAGE_HEADER } from './request-headers.js';
import type { ReceivedHeaders } from './proxy-headers.js';

/** Its contents are a token: no script reads it, and no other site sends it. */
const COOKIE = 'fairlead-session';
/** Of the host itself, and over TLS only. */
const SECURE_COOKIE = `__Host-${COOKIE}`;
/** Browsers drop larger cookies without a word. */
const MOST_BYTES = 4_000;
const ATTRIBUTES = 'Path=/; HttpOnly; SameSite=Strict';

function nameOf(isSecure: boolean): string {
  return isSecure ? SECURE_COOKIE : COOKIE;
}

function decoded(value: string): string | undefined {
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined;
  }
}

/**
 * The token of a session. Undefined without one, and for a request that no page of ours made: a cookie alone proves
 * nothing. Two cookies of the name are none: another program of the host may have set one.
 */
export function sessionToken(headers: ReceivedHeaders, isSecure: boolean): string | undefined {
  if (headers[PAGE_HEADER]?.length !== 1) return undefined;
  const cookies = (headers['cookie'] ?? []).flatMap((value) => value.split(';')).map((pair) => pair.trim());
  const prefix = `${nameOf(isSecure)}=`;
  const [found, second] = cookies.filter((pair) => pair.startsWith(prefix));
  return found === undefined || second !== undefined ? undefined : decoded(found.slice(prefix.length));
}

/** The header that opens a session until the browser is closed; undefined if the token is too long for a cookie. */
export function openedBy(token: string, isSecure: boolean): string | undefined {
  const value = encodeURIComponent(token);
  if (value.length > MOST_BYTES) return undefined;
  return `${nameOf(isSecure)}=${value}; ${ATTRIBUTES}${isSecure ? '; Secure' : ''}`;
}

/** The header that ends it. */
export function endedBy(isSecure: boolean): string {
  return `${nameOf(isSecure)}=; ${ATTRIBUTES}${isSecure ? '; Secure' : ''}; Max-Age=0`;
}
