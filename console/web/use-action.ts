import { useEffect, useRef, useState } from 'preact/hooks';
import { changeProblemOf, type Problem } from './model/problem.js';
import { request, type RequestOptions } from './request.js';
import { useSession } from './session.js';

export interface Action<T> {
  /** Undefined: it failed, and `problem` says why, or another one is under way. */
  readonly run: (path: string, options: RequestOptions) => Promise<T | undefined>;
  readonly isBusy: boolean;
  readonly problem: Problem | undefined;
}

/** Asks the server for one change at a time, so that a double click asks once. */
export function useAction<T>(): Action<T> {
  const { end } = useSession();
  const busy = useRef(false);
  const isGone = useRef(false);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | undefined>();
  useEffect(() => () => void (isGone.current = true), []);
  const run = async (path: string, options: RequestOptions): Promise<T | undefined> => {
    if (busy.current) return undefined;
    busy.current = true;
    setBusy(true);
    setProblem(undefined);
    const answer = await request<T>(path, options);
    busy.current = false;
    // The change was asked for: whoever waits for it hears of it, even if nothing shows it any more.
    if (!isGone.current) setBusy(false);
    if (answer === undefined || 'value' in answer) return answer?.value;
    const failed = changeProblemOf(answer.failure);
    if (failed.kind === 'login') end(failed);
    else if (!isGone.current) setProblem(failed);
    return undefined;
  };
  return { run, isBusy, problem };
}
