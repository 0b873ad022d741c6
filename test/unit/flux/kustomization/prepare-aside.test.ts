import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareTask } from '#controllers/flux/kustomization/prepare-aside.js';

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'prepare-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function prepared(file: object): Promise<unknown> {
  await writeFile(join(root, 'kustomization.yaml'), JSON.stringify(file));
  return JSON.parse(await prepareTask.run(JSON.stringify({ root, spec: {} })));
}

test('an inline text that is longer than any path is not taken for one', async () => {
  const value = 'x'.repeat(5_000);
  const patch = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { value } };
  const config = { apiVersion: 'builtin', kind: 'LabelTransformer', metadata: { name: 'a' }, labels: { value } };
  const file = { patchesStrategicMerge: [JSON.stringify(patch)], transformers: [JSON.stringify(config)] };
  expect(await prepared(file)).toEqual({ folder: '', saysEmpty: false, secrets: [] });
});

test('a path with a character that none has is that of no file', async () => {
  const problem = expect.stringContaining('is no file or folder of the source') as unknown;
  expect(await prepared({ resources: ['a\0'] })).toEqual({ problem, reason: 'BuildFailed' });
});
