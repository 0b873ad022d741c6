import { useEffect, useRef, useState } from 'preact/hooks';
import type { PlanView } from '#controllers/read-model/planned-view.js';
import type { Plan } from '../consent.js';
import { urlOf, type Change } from '../model/change.js';
import { planKey } from '../model/plan-words.js';
import { problemOf } from '../model/problem.js';
import { request } from '../request.js';
import { useSession } from '../session.js';

type Known = Omit<Plan, 'again'>;
type Asked = Known & { readonly login?: ReturnType<typeof problemOf> };

/** The server ends a preview after 20 seconds, and says so. */
const PREVIEW_MS = 25_000;
const NO_ANSWER = 'The server does not answer.';

async function planOf(change: Change, signal: AbortSignal): Promise<Asked> {
  const { path, body } = change;
  const options = { method: 'POST', signal, exact: true, limitMs: PREVIEW_MS, ...(body === undefined ? {} : { body }) };
  const answer = await request<PlanView>(urlOf({ ...change, path: `${path}/preview` }, false), options);
  if (answer === undefined) return { unknown: NO_ANSWER };
  if ('value' in answer) return { found: answer.value };
  const problem = problemOf(answer.failure);
  if (problem.kind === 'login') return { login: problem };
  return { unknown: problem.kind === 'disconnected' ? NO_ANSWER : problem.text };
}

export interface PlannedChange {
  readonly plan: Plan;
  /** True: it was another one when the change was about to be asked for. */
  readonly isChanged: boolean;
  /** Asks again what would be done: false if it is not what is shown, which is shown from then on. */
  readonly isStill: () => Promise<boolean>;
}

/** What the controller would do once a change were made, asked again whenever it is another change. */
export function usePlannedChange(change: Change): PlannedChange {
  const { end, epoch } = useSession();
  const [known, set] = useState<Known & { readonly isChanged?: boolean }>({});
  const [round, setRound] = useState(0);
  const stop = useRef(new AbortController());
  useEffect(() => {
    const { signal } = (stop.current = new AbortController());
    set({});
    void planOf(change, signal).then(({ login, ...now }) => {
      if (signal.aborted) return;
      if (login === undefined) set(now);
      else end(login);
    });
    return () => stop.current.abort();
  }, [JSON.stringify(change), round, epoch]);
  const isStill = async (): Promise<boolean> => {
    const { signal } = stop.current;
    const { login, ...now } = await planOf(change, signal);
    if (signal.aborted) return false;
    if (login !== undefined) {
      end(login);
      return false;
    }
    if (planKey(now.found) === planKey(known.found)) return true;
    set({ ...now, isChanged: true });
    return false;
  };
  const { isChanged = false, ...plan } = known;
  return { plan: { ...plan, again: () => setRound(round + 1) }, isChanged, isStill };
}
