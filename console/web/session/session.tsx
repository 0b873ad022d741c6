import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Problem } from '../data/model/problem.js';

/** Who is signed in. */
export interface Session {
  /** Empty until the server has said it. */
  readonly user: string;
  /** Another one each time that he signs in again: what failed before is asked for again. */
  readonly epoch: number;
  /** Called when the server no longer knows who asks. */
  readonly end: (problem: Problem) => void;
}

const Context = createContext<Session>({ user: '', epoch: 0, end: () => undefined });

export const WithSession = Context.Provider;

export function useSession(): Session {
  return useContext(Context);
}
