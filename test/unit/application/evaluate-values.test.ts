import { describe, expect, it } from '@jest/globals';
import { createEvaluateValues, evaluateTask, type EntryTexts } from '#controllers/application/evaluate-values.js';
import { celTexts } from '#controllers/application/model/destinations/cel-values.js';
import { OverrunError, type Offload, type Task } from '#controllers/runtime/offload.js';

const TEXTS = celTexts({ name: '${{ cluster.name }}' });

function entriesFor(count: number): EntryTexts[] {
  return Array.from({ length: count }, (_, index) => ({ texts: TEXTS, cluster: { name: `c${index}` } }));
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
    const evaluate = createEvaluateValues(threads, () => 0);
    const entries = entriesFor(201);
    const first = await evaluate(entries, 'shop');
    expect(first.map((each) => ('values' in each ? each.values : each))).toEqual(
      entries.map((_, index) => [`c${index}`]),
    );
    expect(await evaluate(entries, 'shop')).toEqual(first);
    expect(threads.inputs).toHaveLength(2);
  });

  it('of a cluster that take too long leave the others alone, and are evaluated again later', async () => {
    let slow = ['c77'];
    let now = 0;
    const threads = new Threads(() => slow);
    const evaluate = createEvaluateValues(threads, () => now);
    const results = await evaluate(entriesFor(200), 'shop');
    expect(results[77]).toEqual(PROBLEM);
    expect(results.filter((each) => 'problem' in each)).toHaveLength(1);
    const asked = threads.inputs.length;
    expect(await evaluate(entriesFor(200), 'shop')).toEqual(results);
    expect(threads.inputs).toHaveLength(asked);
    slow = [];
    now = 600_000;
    expect((await evaluate(entriesFor(200), 'shop'))[77]).toEqual({ values: ['c77'] });
  });

  it('of many clusters that take too long are bounded work, and each reconciliation gets further', async () => {
    const slow = ['c3', 'c50', 'c120', 'c199'];
    const threads = new Threads(() => slow);
    const evaluate = createEvaluateValues(threads, () => 0);
    for (let pass = 0; pass < slow.length; pass += 1) {
      const before = threads.inputs.length;
      const results = await evaluate(entriesFor(200), 'shop');
      expect(threads.inputs.length - before).toBeLessThanOrEqual(30);
      const retries = results.map(({ retryAfterMs = 0 }) => retryAfterMs).filter((ms) => ms > 0);
      if (pass === 0) expect(retries).toContain(60_000);
    }
    const last = await evaluate(entriesFor(200), 'shop');
    expect(last.flatMap((each, index) => ('problem' in each ? [`c${index}`] : []))).toEqual(slow);
  });

  it('that take too long alone have the whole time once', async () => {
    const names: string[] = [];
    const run = (task: Task): Promise<string> => {
      names.push(task.name);
      return Promise.reject(new OverrunError('takes longer than 5 s'));
    };
    expect(await createEvaluateValues({ run }, () => 0)(entriesFor(1), 'shop')).toEqual([PROBLEM]);
    expect(names).toEqual([evaluateTask.name]);
  });
});
