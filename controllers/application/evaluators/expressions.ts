import { answerOf, type Offload, type Task } from '#runtime/isolation/offload.js';
import { parseJson, printJson } from '#lib/json/lossless-json.js';
import { type CelQuestion, type CelText, type CelValues, evaluateTexts } from '../model/destinations/cel-values.js';
import { celCluster } from '../model/destinations/personal-values.js';
import { type Answered, askDivided, type Evaluator, type Question } from './evaluator.js';

/** Entries of one task. */
const AT_ONCE = 200;
const POSTPONED = 'values: expressions are not evaluated yet, because those of many other clusters took too long';

function evaluate(input: string): string {
  return printJson((parseJson(input) as CelQuestion[]).flatMap((question) => evaluateTexts(question))); // as answer prints it
}

/** @public Called by its name: an expression of a line can take years. */
export const evaluateTask: Task = { module: import.meta.url, name: 'evaluateTask', deadlineMs: 5_000, run: evaluate };

/** @public Called by its name: for parts of what took too long. */
export const evaluatePartTask: Task = {
  module: import.meta.url,
  name: 'evaluatePartTask',
  deadlineMs: 2_000,
  run: evaluate,
};

type Texts = readonly CelText[];

/** Neighbours with the same texts are compiled once. */
function celQuestions(questions: readonly Question<Texts>[]): CelQuestion[] {
  const found: { text: string; texts: Texts; clusters: object[] }[] = [];
  for (const { source, cluster, facts = celCluster(cluster) } of questions) {
    const last = found.at(-1);
    const text = last?.texts === source ? last.text : printJson(source);
    if (last?.text === text) last.clusters.push(facts);
    else found.push({ text, texts: source, clusters: [facts] });
  }
  return found;
}

function answer(questions: readonly Question<Texts>[], task: Task, { offload, tenant }: Tenant) {
  const output = offload.run(task, printJson(celQuestions(questions)), tenant);
  return answerOf<Answered<readonly unknown[]>>(
    output,
    ({ message }) => ({ overrun: message }),
    (text) => ({ results: parseJson(text) as CelValues[] }), // as the task printed it
  );
}

interface Tenant {
  readonly offload: Pick<Offload, 'run'>;
  readonly tenant: string;
}

/**
 * Evaluates `${{ }}` in another process. The expressions of a cluster that take too long are left out, and those of the
 * others are evaluated, within limits.
 */
export function expressionEvaluator(offload: Pick<Offload, 'run'>): Evaluator<Texts, readonly unknown[]> {
  return {
    name: 'expressions',
    factsOf: celCluster,
    evaluate: (questions, { tenant }) =>
      askDivided<Question<Texts>, readonly unknown[]>(questions, {
        atOnce: AT_ONCE,
        ask: (part, isPart) => answer(part, isPart ? evaluatePartTask : evaluateTask, { offload, tenant }),
        refused: (why) => `values: evaluating expressions ${why}`,
        postponed: POSTPONED,
      }),
  };
}
