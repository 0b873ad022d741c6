import { useEffect, useRef, useState } from 'preact/hooks';
import type { PlanView } from '#queries/answers/plans.js';
import type { Plan } from './consent.js';
import { planKey } from './model/plan-words.js';
import type { Problem } from '../data/model/problem.js';
import { useSession } from '../session/session.js';

/** What is known of one. */
type Known<T extends PlanView> = Omit<Plan<T>, 'again'>;

/** `login`: whoever asked is not signed in any longer. */
export type PlanAnswer<T extends PlanView> = Known<T> & { readonly login?: Problem };

export interface PlanAsked<T extends PlanView> {
  readonly plan: Plan<T>;
  /** True: it was another one when it was about to be carried out. */
  readonly isChanged: boolean;
  /** Asks again what would be done: false if it is not what is shown, which is shown from then on. */
  readonly isStill: () => Promise<boolean>;
}

/** A plan, asked for whenever one of `of` is another one, and once the same user is back. */
export function usePlanAnswer<T extends PlanView>(
  answer: (signal: AbortSignal) => Promise<PlanAnswer<T>>,
  of: readonly unknown[],
): PlanAsked<T> {
  const { end, epoch } = useSession();
  const [known, show] = useState<Known<T>>({});
  const [changed, setChanged] = useState<Known<T>>();
  const [round, setRound] = useState(0);
  const stop = useRef(new AbortController());
  /** Undefined: something else is asked for by then, or the session is over. */
  const ask = async (): Promise<Known<T> | undefined> => {
    const { signal } = stop.current;
    const { login, ...now } = await answer(signal);
    if (signal.aborted) return undefined;
    if (login === undefined) return now;
    end(login);
    return undefined;
  };
  const isStill = async (): Promise<boolean> => {
    const now = await ask();
    if (now === undefined) return false;
    if (planKey(now.found) === planKey(known.found)) return true;
    // Where nobody can tell any more, it need not have changed.
    setChanged(now.found === undefined ? undefined : now);
    show(now);
    return false;
  };
  useEffect(() => {
    stop.current = new AbortController();
    show({});
    void ask().then((now) => now && show(now));
    return () => stop.current.abort();
  }, [...of, round, epoch]);
  const plan = { ...known, again: () => setRound(round + 1) };
  return { plan, isChanged: changed !== undefined && known === changed, isStill };
}
