import omit from 'lodash/omit.js';
import type { Evaluate, Evaluators } from '#controllers/application/evaluators/evaluator.js';
import type { Entry } from '#controllers/application/model/child/types.js';
import type { PersonalizeDeps } from '#controllers/application/values.js';
import { printJson } from '#lib/json/lossless-json.js';
import { pause } from '#runtime/until.js';
import type { Budget } from './budget.js';

/** Clusters of one question: what they cost is known after each. */
const AT_ONCE = 100;

/** What entries state is the same for all destinations of an entry of the spec. */
function charactersOf(entries: readonly Entry[]): number {
  const lengths = new Map<string, number>();
  return entries.reduce((sum, { specPath, fields, values }) => {
    const length =
      lengths.get(specPath) ?? printJson([fields, values === undefined ? null : omit(values, 'merged')]).length;
    lengths.set(specPath, length);
    return sum + length;
  }, 0);
}

/** Asks about some at a time, and counts what is answered. */
function inParts<Source, Values>(
  evaluate: Evaluate<Source, Values>,
  hear: (answers: readonly unknown[]) => Promise<void>,
): Evaluate<Source, Values> {
  return async (questions, pass) => {
    const found: Awaited<ReturnType<typeof evaluate>>[number][] = [];
    for (let start = 0; start < questions.length; start += AT_ONCE) {
      const answers = await evaluate(questions.slice(start, start + AT_ONCE), pass);
      await hear(answers);
      found.push(...answers);
    }
    return found;
  };
}

/**
 * Makes values within what one answer may cost, whichever Application or revision they are of, and with a pause after
 * each part. `wayOut`: what can be asked for that costs less.
 */
export function bounded(
  { templates, expressions }: Evaluators,
  { budget, wayOut }: { readonly budget: Budget; readonly wayOut: string },
  signal: AbortSignal,
): Required<Pick<PersonalizeDeps, 'admit' | 'evaluators'>> {
  const hear = async (answers: readonly unknown[]): Promise<void> => {
    budget.spend(printJson(answers).length, 'what is made of templates and expressions of values', wayOut);
    await pause(signal);
  };
  return {
    admit: async (entries) => {
      await pause(signal);
      const what = entries.length === 1 ? 'what a destination states' : `what ${entries.length} destinations state`;
      budget.spend(charactersOf(entries), what, wayOut);
    },
    evaluators: { templates: inParts(templates, hear), expressions: inParts(expressions, hear) },
  };
}
