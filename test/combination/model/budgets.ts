import type { ApplicationName } from './facts.js';
import type { Member } from './members.js';
import { viewsOf } from './rollout.js';
import { amountOf } from './stages.js';
import type { Memory } from './story.js';

/** The limits of one stage, and what the members show of them. */
interface StageBudget {
  readonly stage: string;
  /** Destinations that may be updating at a time; undefined: any number. */
  readonly maxConcurrent?: number | undefined;
  /** Destinations with a release that may be not Ready when one more is started; undefined: any number. */
  readonly maxUnavailable?: number | undefined;
  /** Members that install the revision right now. More may have been told to. */
  readonly updating: number;
  /** Members with a release that is not Ready, whatever it is. */
  readonly unavailable: number;
}

const limit = (amount: string | number | undefined, total: number): number | undefined =>
  amount === undefined ? undefined : amountOf(amount, total);

function isUpdating(memory: Memory, { key, state, destination }: Member): boolean {
  const run = memory.targets.get(key)?.run;
  return state === 'pending' && run?.state === 'Progressing' && run.content === destination.content;
}

function isUnavailable(memory: Memory, { key, state }: Member): boolean {
  const run = memory.targets.get(key)?.run;
  return run !== undefined && run.state !== 'Ready' && state !== 'unreachable';
}

/** The budgets of all stages of an Application with a rollout, in order. */
export function budgetsOf(memory: Memory, name: ApplicationName): readonly StageBudget[] {
  const application = memory.applications.get(name);
  const rollout = memory.rollouts.get(name);
  if (application?.object.spec.rollout === undefined || rollout === undefined) return [];
  return viewsOf(application, memory, rollout.failing).map(({ stage, members }) => ({
    stage: stage.name,
    maxConcurrent: limit(stage.maxConcurrent, members.length),
    maxUnavailable: limit(stage.maxUnavailable, members.length),
    updating: members.filter((member) => isUpdating(memory, member)).length,
    unavailable: members.filter((member) => isUnavailable(memory, member)).length,
  }));
}
