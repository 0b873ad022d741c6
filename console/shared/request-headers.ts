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
