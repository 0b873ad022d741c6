import { describe, expect, it } from '@jest/globals';
import type { Question } from '#controllers/application/evaluators/evaluator.js';
import { evaluateTask, expressionEvaluator } from '#controllers/application/evaluators/expressions.js';
import { ResultCache } from '#controllers/application/evaluators/result-cache.js';
import { type CelText, celTexts } from '#controllers/application/model/destinations/cel-values.js';
import { OverrunError, type Offload, type Task } from '#runtime/isolation/offload.js';
import { secretCluster } from '../../cluster/model/builders.js';

const TEXTS = celTexts({ name: '${{ cluster.name }}' });

const PASS = { tenant: 'shop', signal: new AbortController().signal };

function questionsFor(count: number): Question<readonly CelText[]>[] {
  return Array.from({ length: count }, (_, index) => ({
    source: TEXTS,
    cluster: secretCluster('shop', `c${index}`, {}),
  }));
}

function evaluating(offload: Pick<Offload, 'run'>, now: () => number) {
  return new ResultCache(now).remembering(expressionEvaluator(offload));
}

/** Runs tasks here, but for inputs about one of these clusters: those take too long. */
class Threads implements Pick<Offload, 'run'> {
  readonly inputs: string[] = [];
  readonly #slow: () => readonly string[];

  constructor(slow: () => readonly string[]) {
    this.#slow = slow;
  }

  async run(task: Task, input: string): Promise<string> {
    this.inputs.push(input);
    if (this.#slow().some((name) => input.includes(`"${name}"`))) throw new OverrunError('takes longer than 5 s');
    return task.run(input);
  }
}

describe('expressions of many clusters', () => {
  const PROBLEM = { problem: 'values: evaluating expressions takes longer than 5 s', retryAfterMs: 600_000 };

  it('are evaluated at once, and once for the same facts', async () => {
    const threads = new Threads(() => []);
    const evaluate = evaluating(threads, () => 0);
    const entries = questionsFor(201);
    const first = await evaluate(entries, PASS);
    expect(first.map((each) => ('values' in each ? each.values : each))).toEqual(
      entries.map((_, index) => [`c${index}`]),
    );
    expect(await evaluate(entries, PASS)).toEqual(first);
    expect(threads.inputs).toHaveLength(2);
  });

  it('of a cluster that take too long leave the others alone, and are evaluated again later', async () => {
    let slow = ['c77'];
    let now = 0;
    const threads = new Threads(() => slow);
    const evaluate = evaluating(threads, () => now);
    const results = await evaluate(questionsFor(200), PASS);
    expect(results[77]).toEqual(PROBLEM);
    expect(results.filter((each) => 'problem' in each)).toHaveLength(1);
    const asked = threads.inputs.length;
    expect(await evaluate(questionsFor(200), PASS)).toEqual(results);
    expect(threads.inputs).toHaveLength(asked);
    slow = [];
    now = 600_000;
    expect((await evaluate(questionsFor(200), PASS))[77]).toEqual({ values: ['c77'] });
  });

  it('of many clusters that take too long are bounded work, and each reconciliation gets further', async () => {
    const slow = ['c3', 'c50', 'c120', 'c199'];
    const threads = new Threads(() => slow);
    const evaluate = evaluating(threads, () => 0);
    for (let pass = 0; pass < slow.length; pass += 1) {
      const before = threads.inputs.length;
      const results = await evaluate(questionsFor(200), PASS);
      expect(threads.inputs.length - before).toBeLessThanOrEqual(30);
      const retries = results.map((each) => ('problem' in each ? each.retryAfterMs : undefined));
      if (pass === 0) expect(retries).toContain(60_000);
    }
    const last = await evaluate(questionsFor(200), PASS);
    expect(last.flatMap((each, index) => ('problem' in each ? [`c${index}`] : []))).toEqual(slow);
  });

  it('that take too long alone have the whole time once', async () => {
    const names: string[] = [];
    const run = (task: Task): Promise<string> => {
      names.push(task.name);
      return Promise.reject(new OverrunError('takes longer than 5 s'));
    };
    expect(await evaluating({ run }, () => 0)(questionsFor(1), PASS)).toEqual([PROBLEM]);
    expect(names).toEqual([evaluateTask.name]);
  });
});

it('results are kept by their memory, which may be twenty times their text', async () => {
  const dense = Array.from({ length: 400_000 }, () => ({}));
  const asked: string[] = [];
  const evaluate = new ResultCache(() => 0).remembering<string, unknown>({
    name: 'dense',
    factsOf: () => ({}),
    evaluate: (questions) => {
      asked.push(...questions.map(({ source }) => source));
      return Promise.resolve(questions.map(() => ({ values: dense })));
    },
  });
  const ask = (source: string): unknown => evaluate([{ source, cluster: secretCluster('shop', 'c', {}) }], PASS);
  for (const source of ['a', 'b', 'c', 'd', 'd', 'a']) await ask(source);
  expect(asked).toEqual(['a', 'b', 'c', 'd', 'a']);
});
