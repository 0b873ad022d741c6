import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SopsKeys } from '#controllers/kustomization/model/sops/data-key.js';
import { prepareTask } from '#controllers/kustomization/prepare-aside.js';
import { fixture } from './model/sops/fixtures.js';

let root: string;
let target: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'prepare-'));
  target = await mkdtemp(join(tmpdir(), 'prepare-target-'));
});
afterEach(() => Promise.all([root, target].map((folder) => rm(folder, { recursive: true, force: true }))));

async function prepared(file: object, keys?: SopsKeys): Promise<unknown> {
  await writeFile(join(root, 'kustomization.yaml'), JSON.stringify(file));
  return JSON.parse(await prepareTask.run(JSON.stringify({ root, target, spec: {}, keys })));
}

test('an inline text that is longer than any path is not taken for one', async () => {
  const value = 'x'.repeat(5_000);
  const patch = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { value } };
  const config = { apiVersion: 'builtin', kind: 'LabelTransformer', metadata: { name: 'a' }, labels: { value } };
  const file = { patchesStrategicMerge: [JSON.stringify(patch)], transformers: [JSON.stringify(config)] };
  expect(await prepared(file)).toEqual({ folder: '', saysEmpty: false, isDecrypted: false, secrets: [] });
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

test('more objects than may be applied are refused before kustomize compares them', async () => {
  await writeFile(join(root, 'a.yaml'), '---\nkind: A\n'.repeat(4_000));
  await writeFile(join(root, 'b.yaml'), '{"kind":"B"}\n---\n'.repeat(1_001));
  const problem = 'the files have 5001 objects, and at most 5000 are supported: split the build';
  expect(await prepared({ resources: ['a.yaml', 'b.yaml'] })).toEqual({ problem, reason: 'BuildFailed' });
});

describe('of an encrypted file', () => {
  const keys = { shown: 'Secret/team/keys', age: [fixture('own.agekey')], pgp: [] };
  const raw = { name: 'a', files: ['raw=secret.yaml'] };
  beforeEach(() => writeFile(join(root, 'secret.yaml'), fixture('secret.yaml')));

  test('the values are known', async () => {
    const secrets = ['s3cret', '8080'];
    const file = { resources: ['secret.yaml'], secretGenerator: [{ name: 'a', files: ['secret.yaml'] }] };
    expect(await prepared(file, keys)).toEqual({ folder: '', saysEmpty: false, isDecrypted: true, secrets });
  });

  test.each<[string, object, string]>([
    ['is no place for a secret', { configMapGenerator: [raw] }, 'configMapGenerator[0].files[0]'],
    ['takes another format', { secretGenerator: [raw] }, 'secretGenerator[0].files[0]'],
  ])('a second field that %s is refused', async (_title, fields, field) => {
    const problem = `secret.yaml is decrypted for resources[0], and ${field} reads it as something else: refer to a copy`;
    for (const file of [
      { resources: ['secret.yaml'], ...fields },
      { ...fields, resources: ['secret.yaml'] },
    ]) {
      expect(await prepared(file, keys)).toEqual({ problem, reason: 'BuildFailed' });
    }
  });

  test('a field that is no place for a secret gets it as it is', async () => {
    expect(await prepared({ configMapGenerator: [raw] }, keys)).toMatchObject({ isDecrypted: false });
    expect(await readFile(join(target, 'secret.yaml'), 'utf8')).toContain('ENC[');
  });
});
