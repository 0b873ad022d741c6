import { applySteps } from './apply.js';
import { letGoAbandoned } from './abandon.js';
import type { Pass } from './deps.js';
import { holdWithoutOwner } from './hold.js';
import { comesAgain, eventsOfWrites, type Acted } from './model/conclude.js';
import type { Plan } from './model/decide.js';
import { passOnRequests } from './requests.js';
import { saveTemplates } from './save.js';
import { patchMetadata, recordEvents } from './write-status.js';

/** Reserves what children come to, before anything is awaited, and does the steps. */
function actOnChildren(plan: Plan, pass: Pass): Promise<Pick<Acted, 'application' | 'outcomes'>> {
  const { finalizers, steps, events } = plan;
  return pass.reservations.during(plan.application, plan.reserved, async () => {
    const application =
      finalizers === undefined ? plan.application : await patchMetadata(plan.application, { finalizers }, pass);
    recordEvents(application, events, pass);
    return { application, outcomes: await applySteps(steps, pass) };
  });
}

/** Does what was planned; when children were made that bring the next pass, the rest is left to that. */
export async function act(plan: Plan, pass: Pass): Promise<Acted> {
  const { application, outcomes } = await actOnChildren(plan, pass);
  recordEvents(application, eventsOfWrites(plan, outcomes), pass);
  const failed = outcomes.flatMap(({ error }) => (error === undefined ? [] : [error]));
  const unheld = await holdWithoutOwner(application, plan.disowned, pass);
  const errors = [...failed, ...unheld, ...(await letGoAbandoned(application, plan.abandoned, pass))];
  const acted: Acted = { application, outcomes, requests: {}, saved: undefined, errors };
  if (plan.purpose !== 'rollout' || comesAgain(plan, acted)) return acted;
  const passed = await passOnRequests(application, { ...plan, outcomes }, pass);
  const saved = await saveTemplates(application, pass);
  return { ...acted, requests: passed.requests, saved, errors: [...errors, ...passed.errors] };
}
