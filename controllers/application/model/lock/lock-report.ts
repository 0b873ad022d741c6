import type { Application } from '#api/v1alpha1/application.js';
import type { FloatingSource } from '#api/v1alpha1/floating-source.js';
import { defined } from '#controllers/runtime/pure/defined.js';
import { listed } from '#controllers/runtime/pure/listed.js';
import type { Finding } from '../conditions.js';
import { shortened } from '../messages.js';
import type { Choice } from './choose-lock.js';
import { describeFloating, type Floating } from './floating.js';

const NAMED = 3;
const MAX_MESSAGE = 300;

/** What users should know of what cannot be held at one meaning. */
export function floatWarning(floating: Floating, why: string): string {
  return `${describeFloating(floating)}: ${why}, so what it means changes on all clusters at once, whatever the stages are`;
}

/** Why an Application is not rolled out: what it names has no meaning yet. */
export function whyUnlocked(choices: readonly Choice[] = []): string | undefined {
  const open = choices.filter(({ meaning }) => meaning === undefined);
  if (open.length === 0) return undefined;
  const each = open.map(({ floating, problem }) => `${describeFloating(floating)}: ${problem ?? ''}`);
  return `waits for ${listed(each, NAMED)}; what runs is left unchanged`;
}

/** What users should know of what keeps its meaning because nobody knows the one that it has now. */
export function lockWarnings(choices: readonly Choice[]): string[] {
  return choices.flatMap(({ floating, meaning, problem }) =>
    meaning === undefined || problem === undefined
      ? []
      : [`${describeFloating(floating)}: ${problem}; ${meaning.revision} stays`],
  );
}

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
