import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareTask } from '#controllers/flux/kustomization/prepare-aside.js';

let root: string;
let target: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'prepare-'));
  target = await mkdtemp(join(tmpdir(), 'prepare-target-'));
});
afterEach(() => Promise.all([root, target].map((folder) => rm(folder, { recursive: true, force: true }))));

async function prepared(file: object): Promise<unknown> {
  await writeFile(join(root, 'kustomization.yaml'), JSON.stringify(file));
  return JSON.parse(await prepareTask.run(JSON.stringify({ root, target, spec: {} })));
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

test('kustomize gets a copy of what it reads, and the source stays as it was', async () => {
  await writeFile(join(root, 'a.yaml'), 'kind: A');
  await writeFile(join(root, 'unread.yaml'), 'kind: B');
  const file = { resources: ['./a.yaml'] };
  await prepared(file);
  expect((await readdir(target)).sort()).toEqual(['a.yaml', 'kustomization.yaml']);
  expect(await readFile(join(root, 'kustomization.yaml'), 'utf8')).toBe(JSON.stringify(file));
});
