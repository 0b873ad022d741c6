/** Each header with all of its values. */
type Received = Readonly<Record<string, readonly string[] | undefined>>;

/** With it, a request is one that a page of ours made: other pages cannot send it without being asked about first. */
export const PAGE_HEADER = 'x-fairlead-page';

/** Whom the page takes its user for: another one may have signed in since, in another tab of the browser. */
export const USER_HEADER = 'x-fairlead-user';

/** As the header has a user: headers hold no other letters. */
export function userHeaderOf(username: string): string {
  return encodeURIComponent(username.replace(/\p{Surrogate}/gu, '\ufffd'));
}

/** Why nothing is answered to a page that takes its user for somebody else; undefined if it does not. */
export function otherUserProblem(headers: Received, username: string): string | undefined {
  const said = headers[USER_HEADER];
  if (said === undefined || (said.length === 1 && said[0] === userHeaderOf(username))) return undefined;
  return `this page belongs to another user; ${JSON.stringify(username)} is signed in now`;
}

/** True if a request says in `Accept-Encoding` that it can read gzip. */
export function takesGzip(accepted: string | readonly string[] = ''): boolean {
  return /(^|,)\s*gzip\s*(,|$)/.test([accepted].flat().join(','));
}

/** Pages of another site, and of another host of the same one, which may be an Application of a tenant. */
const FOREIGN: readonly string[] = ['cross-site', 'same-site'];

/** Where the API is, as browsers see it. */
export interface Addresses {
  /** Hosts, with a port unless it is that of the scheme, from the request. */
  readonly hosts: readonly string[];
  /** URLs that an administrator named. */
  readonly publicUrls: readonly string[];
}

/** The host of a URL, without the port of its scheme; undefined if it is none. */
function hostOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).host : undefined;
}

/**
 * Why a change is not made that the page of another site asked for; undefined: none did. Browsers send `Origin` with
 * every such request, and `Sec-Fetch-Site` to trustworthy addresses only. A form can send JSON under no name of its own.
 */
export function foreignPageProblem(headers: Received, { hosts, publicUrls }: Addresses): string | undefined {
  const sites = headers['sec-fetch-site'] ?? [];
  if (sites.some((site) => FOREIGN.includes(site))) return 'the request is of another site';
  const [origin, ...others] = headers['origin'] ?? [];
  if (origin === undefined) return undefined;
  const host = others.length === 0 ? hostOf(origin) : undefined;
  const scheme = origin.split(':', 1)[0] ?? '';
  const known = [...hosts.map((each) => hostOf(`${scheme}://${each}`)), ...publicUrls.map(hostOf)];
  if (host !== undefined && host !== '' && known.includes(host)) return undefined;
  return `the request is of a page of ${JSON.stringify(origin)}: if that is the address of this server for browsers, add it to --public-url`;
}

/** True for the body of an HTML form, or of a request that a page may send anywhere: whatever is named, and is no JSON. */
export function isForm(headers: Received): boolean {
  const types = headers['content-type'] ?? [];
  return types.some((type) => type.split(';', 1)[0]?.trim().toLowerCase() !== 'application/json');
}
