import { describe, expect, it } from '@jest/globals';
import { bounded } from '#queries/plans/bounded.js';
import { Budget } from '#queries/plans/budget.js';
import { CancelledError } from '#lib/errors.js';
import { application, entriesOf } from '../../application/model/builders.js';
import { inventory, own, selecting } from '../../application/model/clusters/builders.js';

const CLUSTERS = 250;
const OUTPUT = 'x'.repeat(1_000);
const app = application([selecting({ env: 'prod' })]);
const entries = entriesOf(app, inventory([own('eu', { env: 'prod' }), own('us', { env: 'prod' })]));
const questions = Array.from({ length: CLUSTERS }, (_, index) => ({ source: 'text', cluster: own(String(index)) }));
const values = questions.map(({ cluster }) => ({ values: { Name: cluster.id.name, OUTPUT } }));

/** Made values, and how many clusters each question was about. */
function making(characters: number, gone = new AbortController()) {
  const asked: number[] = [];
  const found = bounded(
    {
      templates: (some) => {
        asked.push(some.length);
        return Promise.resolve(some.map(({ cluster }) => ({ values: { Name: cluster.id.name, OUTPUT } })));
      },
      expressions: (some) => Promise.resolve(some.map(() => ({ values: [OUTPUT] }))),
    },
    { budget: new Budget({ characters }), wayOut: '' },
    gone.signal,
  );
  const pass = { tenant: 'shop', signal: gone.signal };
  const render = () => found.evaluators.templates(questions, pass);
  const evaluate = () => found.evaluators.expressions([{ source: [], cluster: own('eu') }], pass);
  return { ...found, render, evaluate, asked };
}

describe('values that are made for one answer', () => {
  it('are those of all clusters, in their order', async () => {
    const { render, asked } = making(Infinity);
    const rendered = await render();
    expect(asked).toEqual([100, 100, 50]);
    expect(rendered).toEqual(values);
  });

  it('end with the part that is too much', async () => {
    const { render, asked } = making(150 * OUTPUT.length);
    await expect(render()).rejects.toThrow('what is made of templates and expressions of values is too much');
    expect(asked).toEqual([100, 100]);
  });

  it('count together with what Applications state', async () => {
    const { admit, evaluate } = making(2 * OUTPUT.length);
    await evaluate();
    await admit(entries);
    await expect(evaluate().then(() => admit(Array(1_000).fill(entries[0])))).rejects.toThrow(
      /too much for one answer/,
    );
  });

  it('are no longer made for who is gone', async () => {
    const gone = new AbortController();
    const { admit, render, asked } = making(Infinity, gone);
    gone.abort();
    await expect(admit(entries)).rejects.toBeInstanceOf(CancelledError);
    await expect(render()).rejects.toBeInstanceOf(CancelledError);
    expect(asked).toEqual([100]);
  });
});
