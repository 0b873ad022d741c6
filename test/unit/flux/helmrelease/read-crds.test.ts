import { expect, test } from '@jest/globals';
import { readCrdsAside, type readCrdsTask } from '../../../../controllers/flux/helmrelease/read-crds.js';
import { OverrunError } from '../../../../controllers/runtime/offload.js';

const WHOSE = { chart: 'web', lane: 'shop' };

function crd(name: string, comment = ''): string {
  return `# ${comment}\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: ${name}}\n`;
}

const LONG = crd('long', 'x'.repeat(65 * 1024));

test('long CRDs are read by the task, in the lane of the namespace, short ones at once', async () => {
  const lanes: string[] = [];
  const offload = {
    run: async (task: typeof readCrdsTask, input: string, lane: string) => {
      lanes.push(lane);
      return task.run(input);
    },
  };
  const short = await readCrdsAside(offload, [{ text: crd('short') }], WHOSE);
  expect(lanes).toEqual([]);
  expect(short).toMatchObject({ crds: [{ metadata: { name: 'short' } }] });
  const long = await readCrdsAside(offload, [{ text: LONG }], WHOSE);
  expect(lanes).toEqual(['shop']);
  expect(long).toMatchObject({ crds: [{ metadata: { name: 'long' } }] });
});

test.each([
  ['too many of them', 'x'.repeat(16 * 1024 * 1024 + 1), /^the CRDs of chart web have more than 16777216 characters$/],
  ['those that take too long', LONG, /^the CRDs of chart web cannot be read: that takes longer than 30 s$/],
  ['those that are no YAML', 'a: [', /^the CRDs of the chart cannot be read: crds\/a\.yaml is not valid YAML/],
])('%s are refused with the reason', async (_name, text, problem) => {
  const offload = { run: () => Promise.reject(new OverrunError('takes longer than 30 s')) };
  const result = await readCrdsAside(offload, [{ name: 'crds/a.yaml', text }], WHOSE);
  expect(result).toEqual({ problem: expect.stringMatching(problem) });
});
