import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Problem } from './model/problem.js';

/** Who is signed in. */
export interface Session {
  /** Empty until the server has said it. */
  readonly user: string;
  /** Called when the server no longer knows who asks. */
  readonly end: (problem: Problem) => void;
}

const Context = createContext<Session>({ user: '', end: () => undefined });

export const WithSession = Context.Provider;

export function useSession(): Session {
  return useContext(Context);
}
