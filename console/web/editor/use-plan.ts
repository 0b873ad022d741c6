import type { PlannedApplication } from '#queries/views/planned-view.js';
import type { PlainMap } from '#lib/plain.js';
import { inOneText } from '../model/problem.js';
import { usePlanAnswer, type PlanAnswer, type PlanAsked } from '../use-plan-answer.js';
import { preview, type Sent, type Target } from './send.js';
import type { Accepted } from './use-review.js';

const CHANGED = 'Somebody changed the Application meanwhile. Go back to the form and check it again.';

function unknownOf(sent: Exclude<Sent<never>, { answer: never }>): string {
  if ('theirs' in sent) return CHANGED;
  return 'refused' in sent ? sent.refused.text : inOneText(sent.problem);
}

async function answerTo(target: Target, value: PlainMap, signal: AbortSignal): Promise<PlanAnswer<PlannedApplication>> {
  const sent = await preview(target, value, signal);
  if ('answer' in sent) return { found: sent.answer };
  if ('problem' in sent && sent.problem.kind === 'login') return { login: sent.problem };
  return { unknown: unknownOf(sent) };
}

/** Asks what the controller would do of what the API server accepted. */
export function usePlan({ value, answer, base }: Accepted): PlanAsked<PlannedApplication> {
  const { namespace, name } = answer;
  // The answer has the new spec: compared with that, a new status would look like somebody's change.
  const target: Target = { namespace, name, base };
  return usePlanAnswer((signal) => answerTo(target, value, signal), [value, answer]);
}
