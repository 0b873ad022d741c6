import { useEffect, useRef, useState } from 'preact/hooks';
import type { PlanView } from '#controllers/read-model/planned-view.js';
import type { Plan } from './consent.js';
import type { Problem } from './model/problem.js';
import { useSession } from './session.js';

/** What is known of one. */
export type Known<T extends PlanView> = Omit<Plan<T>, 'again'>;

/** `login`: whoever asked is not signed in any longer. */
export type PlanAnswer<T extends PlanView> = Known<T> & { readonly login?: Problem };

export interface PlanAsked<T extends PlanView> {
  readonly plan: Plan<T>;
  /** What of it is shown: the object that was given to `show`, or another one. */
  readonly known: Known<T>;
  readonly show: (known: Known<T>) => void;
  /** Asks now, and shows nothing. Undefined: something else is asked for by then, or the session is over. */
  readonly ask: () => Promise<Known<T> | undefined>;
}

/** A plan, asked for whenever one of `of` is another one, and once the same user is back. */
export function usePlanAnswer<T extends PlanView>(
  answer: (signal: AbortSignal) => Promise<PlanAnswer<T>>,
  of: readonly unknown[],
): PlanAsked<T> {
  const { end, epoch } = useSession();
  const [known, show] = useState<Known<T>>({});
  const [round, setRound] = useState(0);
  const stop = useRef(new AbortController());
  const ask = async (): Promise<Known<T> | undefined> => {
    const { signal } = stop.current;
    const { login, ...now } = await answer(signal);
    if (signal.aborted) return undefined;
    if (login === undefined) return now;
    end(login);
    return undefined;
  };
  useEffect(() => {
    stop.current = new AbortController();
    show({});
    void ask().then((now) => now && show(now));
    return () => stop.current.abort();
  }, [...of, round, epoch]);
  return { known, plan: { ...known, again: () => setRound(round + 1) }, show, ask };
}
