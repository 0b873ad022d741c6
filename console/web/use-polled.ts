import { useEffect, useState } from 'preact/hooks';
import { problemOf, type Problem, type ProblemKind } from './model/problem.js';
import { request } from './request.js';
import { useSession } from './session.js';

/** What the server says now, or what it said last and why there is nothing newer. */
export interface Polled<T> {
  readonly value?: T;
  readonly problem?: Problem;
  /** Epoch milliseconds of the value. */
  readonly at: number;
}

const EVERY_MS = 5_000;
const MOST_MS = 30_000;
/** What was shown may not, or cannot, be shown any longer. */
const FINAL: readonly ProblemKind[] = ['login', 'forbidden', 'missing'];

interface Poll<T> {
  readonly path: string;
  readonly signal: AbortSignal;
  readonly end: (problem: Problem) => void;
  readonly set: (next: (before: Polled<T>) => Polled<T>) => void;
}

function delayAfter(failures: number): number {
  return Math.min(MOST_MS, EVERY_MS * 2 ** Math.max(0, failures - 1));
}

/** Until the time is over, and the page can be seen again. */
function untilNext(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    let isDue = false;
    const next = (): void => {
      if (signal.aborted || (isDue && !document.hidden)) {
        document.removeEventListener('visibilitychange', next);
        resolve();
      }
    };
    setTimeout(() => {
      isDue = true;
      next();
    }, ms);
    document.addEventListener('visibilitychange', next);
  });
}

async function poll<T>({ path, signal, end, set }: Poll<T>): Promise<void> {
  const isOver = (): boolean => signal.aborted;
  let known = '';
  let failures = 0;
  while (!isOver()) {
    const answer = await request<T>(path, { signal, known });
    if (isOver()) return;
    failures = answer !== undefined && 'failure' in answer ? failures + 1 : 0;
    if (answer === undefined) {
      set(({ value }) => ({ ...(value === undefined ? {} : { value }), at: Date.now() }));
    } else if ('value' in answer) {
      known = answer.tag;
      set(() => ({ value: answer.value, at: Date.now() }));
    } else {
      const problem = problemOf(answer.failure);
      if (FINAL.includes(problem.kind)) known = '';
      set((before) => (FINAL.includes(problem.kind) ? { problem, at: 0 } : { ...before, problem }));
      if (problem.kind === 'login') {
        end(problem);
        return;
      }
    }
    await untilNext(delayAfter(failures), signal);
  }
}

/** Asks again and again while the page can be seen. */
export function usePolled<T>(path: string): Polled<T> {
  const { end } = useSession();
  const [polled, set] = useState<Polled<T>>({ at: 0 });
  useEffect(() => {
    const stop = new AbortController();
    set({ at: 0 });
    void poll<T>({ path, signal: stop.signal, end, set });
    return () => stop.abort();
  }, [path]);
  return polled;
}
