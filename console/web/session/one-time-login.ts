import { useEffect, useState } from 'preact/hooks';
import { oneTimeCode } from './model/one-time-code.js';
import { inOneText, onceProblemOf } from '../data/model/problem.js';
import { request } from '../data/request.js';

declare global {
  interface Document {
    /** Some browsers open a page before its user asks for it. */
    readonly prerendering?: boolean;
  }
}

/** The code of the link that was opened, which is in the URL, and in what the browser goes back to, no longer. */
export function takeOneTimeCode(): string | undefined {
  const code = oneTimeCode(location);
  if (code !== undefined) history.replaceState(null, '', '/');
  return code;
}

/** A code that is used before somebody sees the page would be lost to him. */
function untilSeen(): Promise<void> {
  if (document.prerendering !== true) return Promise.resolve();
  return new Promise((resolve) => {
    document.addEventListener('prerenderingchange', () => resolve(), { once: true });
  });
}

/** Why nobody is signed in by it; empty if somebody is. */
async function refusalOf(code: string): Promise<string> {
  await untilSeen();
  const answer = await request('/session/one-time', { method: 'POST', body: { code } });
  if (answer === undefined || 'value' in answer) return '';
  // Who opens his link again may go on.
  const known = await request('/session');
  return known !== undefined && 'value' in known ? '' : inOneText(onceProblemOf(answer.failure));
}

interface Login {
  readonly isBusy: boolean;
  readonly refused: string;
}

const OVER: Login = { isBusy: false, refused: '' };

/** Signs in by a code, once. `refused` says why it did not, until that is forgotten. */
export function useOneTimeLogin(code: string | undefined) {
  const [login, set] = useState<Login>({ ...OVER, isBusy: code !== undefined });
  useEffect(() => {
    if (code !== undefined) void refusalOf(code).then((refused) => set({ ...OVER, refused }));
  }, [code]);
  return { ...login, forget: () => set(OVER) };
}
