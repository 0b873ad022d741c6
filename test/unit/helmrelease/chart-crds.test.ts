import { expect, test } from '@jest/globals';
import { createChartCrds, type ChartCrdsInput } from '#controllers/helmrelease/chart-crds.js';
import { printJson } from '#lib/json/lossless-json.js';

const LONG = Buffer.from('#'.repeat(65 * 1024)).toString('base64');

function chartOf(name: string): ChartCrdsInput {
  const { signal } = new AbortController();
  const chart = { metadata: { name, version: '1.0.0' }, files: [{ name: 'crds/a.yaml', data: LONG }] };
  const traits = { crds: 'own' };
  const input = { chart, chartDigest: name, chartPath: '', traits, values: {}, tenant: 'shop', signal };
  return { ...input, kubeVersion: () => Promise.resolve('') } as unknown as ChartCrdsInput; // all that is read
}

test('what is kept of the CRDs of charts is bounded by the memory that it takes', async () => {
  const dense = printJson({ crds: [{ metadata: { name: 'a' }, x: Array.from({ length: 250_000 }, () => ({})) }] });
  let asked = 0;
  const run = (): Promise<string> => {
    asked += 1;
    return Promise.resolve(dense);
  };
  const read = createChartCrds({ offload: { run } } as unknown as Parameters<typeof createChartCrds>[0]); // as above
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) await read(chartOf(name));
  await read(chartOf('f'));
  expect(asked).toBe(6);
  await read(chartOf('a'));
  expect(asked).toBe(7);
});
