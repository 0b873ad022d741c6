import type { Application } from '#api/v1alpha1/application.js';
import type { FloatingSource } from '#api/v1alpha1/floating-source.js';
import { defined } from '#controllers/runtime/pure/defined.js';
import { listed } from '#controllers/runtime/pure/listed.js';
import type { Finding } from '../conditions.js';
import { shortened } from '../messages.js';
import { whyUnlocked, type Choice } from './choose-lock.js';
import { describeFloating } from './floating.js';

const NAMED = 3;
const MAX_MESSAGE = 300;

function rowOf({ floating, meaning, available, problem }: Choice): FloatingSource {
  const { source, chart } = floating;
  return {
    ...source,
    ...defined({
      chart: chart?.name,
      version: chart?.version,
      interval: chart?.interval,
      revision: meaning?.revision,
      available: available?.revision,
      message: problem === undefined ? undefined : shortened(problem, MAX_MESSAGE),
    }),
  };
}

function news(choices: readonly Choice[]): string {
  const waiting = choices.flatMap(({ floating, available, problem }) =>
    available === undefined || problem !== undefined
      ? []
      : [`${available.revision} is available (${describeFloating(floating)})`],
  );
  return waiting.length === 0 ? '' : `; ${listed(waiting, NAMED)}, and waits for the end of this rollout`;
}

type Fields = Pick<Finding, 'rollout' | 'rolledOut' | 'sources'>;

/** What status and conditions say of a rollout, with what floats in it. */
export function lockFields({ status }: Application, choices: readonly Choice[] = [], fields: Fields): Fields {
  if (choices.length === 0) return fields;
  const sources = choices.map(rowOf);
  const why = whyUnlocked(choices);
  if (why !== undefined) {
    const rolledOut = { status: 'False', reason: 'RolloutAwaitingSource', message: why } as const;
    return { sources, rolledOut, rollout: status?.rollout };
  }
  const { rolledOut } = fields;
  const told = rolledOut && { ...rolledOut, message: `${rolledOut.message}${news(choices)}` };
  return { ...fields, sources, rolledOut: told };
}
