import { CelBudget, compileCel, SharedData, type CelAnswer, type CelExpression } from '#lib/cel/cel.js';
import { jsonObjectIn } from './authenticate.js';

/** An object as filters see it, and the filters that must all accept it. */
export interface Filtered {
  readonly res: object;
  readonly filters: readonly string[];
}

/** What a webhook asks of the filters of its Receiver. */
export interface FilterQuestion {
  /** JSON. */
  readonly body: string;
  readonly objects: readonly Filtered[];
}

const VARIABLES = ['res', 'req'];
/** For all objects of a webhook. */
const MOST_MS = 1_000;

/** A filter. Throws TerminalError `InvalidCELExpression`, which names `field`. */
export function compileFilter(text: string, field: string, budget: CelBudget): CelExpression {
  return compileCel({ text, field, variables: VARIABLES, budget });
}

/** Whether each object is accepted, in their order; undefined when the body is no JSON object. */
export function applyFilters({ body, objects }: FilterQuestion): CelAnswer[] | undefined {
  const request = jsonObjectIn(body);
  if (request === undefined) return undefined;
  const req = new SharedData(request);
  const budget = new CelBudget(undefined, MOST_MS);
  const texts = new Set(objects.flatMap(({ filters }) => filters));
  const compiled = new Map([...texts].map((text) => [text, compileFilter(text, 'a filter', budget)]));
  return objects.map(({ res, filters }) => {
    const expressions = filters.flatMap((text) => compiled.get(text) ?? []);
    return answerOfAll(expressions, { res, req });
  });
}

/** The first answer that is not true. */
function answerOfAll(expressions: readonly CelExpression[], data: Readonly<Record<string, unknown>>): CelAnswer {
  for (const expression of expressions) {
    const answer = expression.evaluate(data);
    if ('problem' in answer || !answer.value) return answer;
  }
  return { value: true };
}
