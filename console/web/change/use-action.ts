import { useEffect, useRef, useState } from 'preact/hooks';
import { changeProblemOf, type Problem } from '../data/model/problem.js';
import { request, type Answer, type RequestOptions } from '../data/request.js';
import { useSession } from '../session/session.js';

/** True once what uses it is no longer shown: what was asked for may be answered later. */
export function useGone(): { readonly current: boolean } {
  const isGone = useRef(false);
  useEffect(() => () => void (isGone.current = true), []);
  return isGone;
}

/** Asks whether it is still what was agreed to, once for a double click; the first is true while it asks. */
export function useStill(isStill: (() => Promise<boolean>) | undefined): readonly [boolean, () => Promise<boolean>] {
  const isBusy = useRef(false);
  const [isAsking, set] = useState(false);
  const still = async (): Promise<boolean> => {
    if (isStill === undefined) return true;
    if (isBusy.current) return false;
    set((isBusy.current = true));
    const is = await isStill();
    set((isBusy.current = false));
    return is;
  };
  return [isAsking, still];
}

/** Where to ask for the same of what is there now; undefined: it would not be the same. */
type Afresh = () => Promise<string | undefined>;

export interface Action<T> {
  /**
   * Undefined: it failed, and `problem` says why, or another one is under way. `afresh`: it is asked for again while
   * what it was meant for has changed.
   */
  readonly run: (path: string, options: RequestOptions, afresh?: Afresh) => Promise<T | undefined>;
  readonly isBusy: boolean;
  readonly problem: Problem | undefined;
}

/** A controller may write its status many times a second. */
const MOST_TRIES = 5;

function isConflict<T>(answer: Answer<T> | undefined): boolean {
  return answer !== undefined && 'failure' in answer && answer.failure.code === 409;
}

/**
 * Asks the server for one change at a time, so that a double click asks once. `failedLater`: told why it failed when
 * nothing shows it any more.
 */
export function useAction<T>(failedLater?: (problem: Problem) => void): Action<T> {
  const { end } = useSession();
  const busy = useRef(false);
  const isGone = useGone();
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | undefined>();
  const asked = async (path: string, options: RequestOptions, afresh?: Afresh) => {
    let answer = await request<T>(path, options);
    for (let tries = 1; tries < MOST_TRIES && isConflict(answer); tries += 1) {
      const next = await afresh?.();
      // Nobody wants it any more who closed what asks for it.
      if (next === undefined || isGone.current) break;
      answer = await request<T>(next, options);
    }
    return answer;
  };
  const run = async (path: string, options: RequestOptions, afresh?: Afresh): Promise<T | undefined> => {
    if (busy.current) return undefined;
    busy.current = true;
    setBusy(true);
    setProblem(undefined);
    const answer = await asked(path, options, afresh);
    busy.current = false;
    // The change was asked for: whoever waits for it hears of it, even if nothing shows it any more.
    if (!isGone.current) setBusy(false);
    if (answer === undefined || 'value' in answer) return answer?.value;
    const failed = changeProblemOf(answer.failure);
    if (failed.kind === 'login') end(failed);
    else if (isGone.current) failedLater?.(failed);
    else setProblem(failed);
    return undefined;
  };
  return { run, isBusy, problem };
}
