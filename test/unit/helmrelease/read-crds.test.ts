import { describe, expect, test } from '@jest/globals';
import { ownCrdNames, readCrdsAside, type readCrdsTask } from '#controllers/helmrelease/read-crds.js';
import { OverrunError } from '#runtime/isolation/offload.js';

const WHOSE = { chart: 'web', tenant: 'shop' };

function crd(name: string, comment = ''): string {
  return `# ${comment}\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: ${name}}\n`;
}

const LONG = crd('long', 'x'.repeat(65 * 1024));

test('long CRDs are read by the task, in the tenant of the namespace, short ones at once', async () => {
  const tenants: string[] = [];
  const offload = {
    run: async (task: typeof readCrdsTask, input: string, tenant: string) => {
      tenants.push(tenant);
      return task.run(input);
    },
  };
  const short = await readCrdsAside(offload, [{ text: crd('short') }], WHOSE);
  expect(tenants).toEqual([]);
  expect(short).toMatchObject({ crds: [{ metadata: { name: 'short' } }] });
  const long = await readCrdsAside(offload, [{ text: LONG }], WHOSE);
  expect(tenants).toEqual(['shop']);
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

describe('names of the CRDs of charts', () => {
  const chart = (...texts: string[]): Parameters<typeof ownCrdNames>[1][number] => ({
    metadata: { name: 'web', version: '1.0.0' },
    files: texts.map((text, index) => ({ name: `crds/${index}.yaml`, data: Buffer.from(text).toString('base64') })),
  });
  let asked = 0;
  const offload = {
    run: async (task: typeof readCrdsTask, input: string) => {
      asked += 1;
      return task.run(input);
    },
  };

  test('are those of all of them, a file that they share read once', async () => {
    const names = await ownCrdNames(offload, [chart(LONG), chart(LONG, crd('small'))], 'shop');
    expect([...(names ?? [])].sort()).toEqual(['long', 'small']);
    expect(asked).toBe(1);
  });

  test('cannot be told when a file cannot be read, and none are those of a chart without', async () => {
    expect(await ownCrdNames(offload, [chart(crd('a')), chart('a: [')], 'shop')).toBeUndefined();
    const broken = JSON.parse('{"files": [{"name": "crds/a.yaml", "data": null}]}') as ReturnType<typeof chart>;
    expect(await ownCrdNames(offload, [broken], 'shop')).toBeUndefined();
    expect(await ownCrdNames(offload, [chart()], 'shop')).toEqual(new Set());
  });
});
