import { changeProblemOf, type Failure } from './problem.js';

/** What somebody reads who wanted to leave and is still signed in: an answer that did not come ended no session. */
export function notSignedOut(failure: Failure): string {
  const { title, text } = changeProblemOf(failure);
  const why = failure.code === undefined ? title : text;
  return `You may still be signed in: ${why.replace(/\.$/, '')}. Sign out again.`;
}
