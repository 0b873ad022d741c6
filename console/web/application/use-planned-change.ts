import { useState } from 'preact/hooks';
import type { PlanView } from '#controllers/read-model/planned-view.js';
import type { Plan } from '../consent.js';
import { urlOf, type Change } from '../model/change.js';
import { planKey } from '../model/plan-words.js';
import { inOneText, onceProblemOf } from '../model/problem.js';
import { PREVIEW_MS, request } from '../request.js';
import { usePlanAnswer, type Known, type PlanAnswer } from '../use-plan-answer.js';

const NO_ANSWER = 'The server does not answer.';

async function planOf(change: Change, signal: AbortSignal): Promise<PlanAnswer<PlanView>> {
  const { path, body } = change;
  const options = { method: 'POST', signal, exact: true, limitMs: PREVIEW_MS, ...(body === undefined ? {} : { body }) };
  const answer = await request<PlanView>(urlOf({ ...change, path: `${path}/preview` }, false), options);
  if (answer === undefined) return { unknown: NO_ANSWER };
  if ('value' in answer) return { found: answer.value };
  const problem = onceProblemOf(answer.failure);
  if (problem.kind === 'login') return { login: problem };
  return { unknown: inOneText(problem) };
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
  const { plan, known, show, ask } = usePlanAnswer((signal) => planOf(change, signal), [JSON.stringify(change)]);
  const [changed, setChanged] = useState<Known<PlanView>>();
  const isStill = async (): Promise<boolean> => {
    const now = await ask();
    if (now === undefined) return false;
    if (planKey(now.found) === planKey(plan.found)) return true;
    // Where nobody can tell any more, it need not have changed.
    setChanged(now.found === undefined ? undefined : now);
    show(now);
    return false;
  };
  return { plan, isChanged: changed !== undefined && known === changed, isStill };
}
