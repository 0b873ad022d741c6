import { describe, expect, it } from '@jest/globals';
import { readRenderedValues } from '#controllers/application/evaluators/templates.js';
import { OverrunError } from '#runtime/isolation/offload.js';

/** A thread in which a text that says so takes too long. */
const threads = {
  run: (task: { run: (input: string) => string | Promise<string> }, input: string): Promise<string> =>
    input.includes('slow')
      ? Promise.reject(new OverrunError('takes longer than 5 s'))
      : Promise.resolve(task.run(input)),
};

describe('what templates render to', () => {
  it('is read for each cluster; a text that costs too much, or is no YAML, fails alone', async () => {
    const texts = Array.from({ length: 300 }, (_, index) => `at: ${index}`);
    texts[7] = 'slow: true';
    texts[8] = 'a: [';
    texts[250] = 'just text';
    const read = await readRenderedValues(texts, threads, 'shop');
    expect(read).toHaveLength(300);
    const problems = read.flatMap((each, index) => ('problem' in each ? [[index, each.problem]] : []));
    expect(problems).toEqual([
      [7, 'reading what it renders to takes longer than 5 s'],
      [8, expect.stringMatching(/^it does not render to YAML: /)],
      [250, expect.stringMatching(/^it does not render to a YAML map/)],
    ]);
    expect(read[299]).toEqual({ values: { at: 299 } });
  });
});
