import type { PlanView } from '#queries/views/planned-view.js';
import { urlOf, type Change } from '../change/model/change.js';
import { inOneText, onceProblemOf } from '../data/model/problem.js';
import { PREVIEW_MS, request } from '../data/request.js';
import { usePlanAnswer, type PlanAnswer, type PlanAsked } from '../change/use-plan-answer.js';

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

/** What the controller would do once a change were made, asked again whenever it is another change. */
export function usePlannedChange(change: Change): PlanAsked<PlanView> {
  return usePlanAnswer((signal) => planOf(change, signal), [JSON.stringify(change)]);
}
