import { LOGIN_PAGE } from '../../../shared/pages.js';
import { changeProblemOf, type Failure } from '../../data/model/problem.js';

/** Tells somebody who wanted to leave that he is still signed in: an answer that did not come ended no session. */
export function notSignedOut(failure: Failure): string {
  const { title, text } = changeProblemOf(failure);
  const why = failure.code === undefined ? title : text;
  return `You may still be signed in: ${why.replace(/\.$/, '')}. Sign out again.`;
}

/** Of a `Location`. */
export interface OpenedUrl {
  readonly pathname: string;
  /** With its `#`. */
  readonly hash: string;
}

/** The code of a link that signs in once; undefined for any other URL. */
export function oneTimeCode({ pathname, hash }: OpenedUrl): string | undefined {
  return pathname === LOGIN_PAGE ? hash.slice(1) : undefined;
}

/** Tells somebody that his session is over. `other`: who is signed in instead; empty if nobody is. */
export function sessionOverWords(user: string, other: string): string {
  const kept = `What you did as ${user} is kept for that user.`;
  if (other === '') return `You were signed out: sign in again to continue. ${kept}`;
  return `${other} has signed in in another tab. Sign in as ${user} to continue here. ${kept}`;
}
