import { useEffect, useMemo, useState, useContext } from 'preact/hooks';
import { createContext } from 'preact';
import { type Answer, request, sayUser } from '../data/request.js';
import { type Failure, problemOf, type Problem } from '../data/model/problem.js';
import { Waiting } from '../data/waiting.js';

/** The user who is signed in. */
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

interface Known {
  readonly user: string;
}

const FORGOTTEN: Problem = { kind: 'login', title: '', text: '' };

interface SignedIn {
  /** Undefined: somebody may be signed in. */
  readonly ended?: Problem;
  /** Empty until the server has said it. */
  readonly user: string;
  readonly epoch: number;
  /** Another one for each user: nobody gets to see what another one did. */
  readonly visit: number;
}

const ASK_AGAIN_MS = 5_000;

/** Some pages ask for nothing until they know who is there; that the server cannot say it, a page tells itself. */
async function knownUser(signal: AbortSignal): Promise<Answer<Known> | undefined> {
  const waiting = new Waiting();
  while (!signal.aborted) {
    const answer = await request<Known>('/session', { signal });
    if (answer !== undefined && ('value' in answer || answer.failure.code === 401)) return answer;
    await waiting.until({ ms: ASK_AGAIN_MS, calledMs: 0 }, signal);
  }
  return undefined;
}

/** The user who is signed in now instead of this one, as by another tab; empty if nobody is. */
export function useOther(user: string, isOver: boolean): string {
  const [other, set] = useState('');
  useEffect(() => {
    set('');
    if (!isOver || user === '') return undefined;
    const stop = new AbortController();
    void request<Known>('/session', { signal: stop.signal, isOfAnybody: true }).then((answer) => {
      if (stop.signal.aborted || answer === undefined || 'failure' in answer) return;
      if (answer.value.user !== user) set(answer.value.user);
    });
    return () => stop.abort();
  }, [user, isOver]);
  return other;
}

export function useSignedIn() {
  const [{ ended, user, epoch, visit }, set] = useState<SignedIn>({ user: '', epoch: 0, visit: 0 });
  useEffect(() => {
    if (ended !== undefined || user !== '') return undefined;
    const stop = new AbortController();
    void knownUser(stop.signal).then((answer) => {
      if (answer === undefined || stop.signal.aborted) return;
      if ('value' in answer) {
        sayUser(answer.value.user);
        set((now) => ({ ...now, user: answer.value.user }));
      } else set((now) => ({ ...now, ended: problemOf(answer.failure) }));
    });
    return () => stop.abort();
  }, [ended, user]);
  const session = useMemo(() => {
    // A request from before the user signed in again may be answered late.
    const end = (problem: Problem): void => set((now) => (now.epoch === epoch ? { ...now, ended: problem } : now));
    return { user, epoch, end };
  }, [user, epoch]);
  const signOut = async (): Promise<Failure | undefined> => {
    const answer = await request('/session', { method: 'DELETE' });
    // Until the server says so, the cookie is there, and stands for him.
    if (answer !== undefined && 'failure' in answer) {
      const problem = problemOf(answer.failure);
      if (problem.kind !== 'login') return answer.failure;
      session.end(problem);
      return undefined;
    }
    sayUser('');
    set((now) => ({ ...now, ended: FORGOTTEN, user: '' }));
    return undefined;
  };
  const begin = (name: string): void => {
    sayUser(name);
    set((now) => ({ user: name, epoch: now.epoch + 1, visit: now.user === name ? now.visit : now.visit + 1 }));
  };
  return { ended, session, visit, begin, signOut };
}
