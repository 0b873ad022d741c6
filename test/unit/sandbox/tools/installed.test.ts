import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { fromKubebuilderAssets, fromPath, versionFits, versionIn } from '#sandbox/tools/installed.js';

describe('versionIn', () => {
  test.each([
    ['v4.3.1+g0123abc', '4.3.1'],
    ['v4.3', '4.3.0'],
    ['Client Version: v1.35.4\nKustomize Version: v5.7.1\n', '1.35.4'],
    ['v5.8.1\n', '5.8.1'],
    ['{kustomize/v4.5.7  2022-08-02T16:35:54Z  }', '4.5.7'],
    ['command not found', undefined],
    ['', undefined],
  ])('finds the version in %j', (output, version) => {
    expect(versionIn(output)).toBe(version);
  });
});

describe('versionFits', () => {
  test.each([
    ['helm', '4.0.0', true],
    ['helm', '4.9.9', true],
    ['helm', '3.22.0', false],
    ['helm', '5.0.0', false],
    ['helm', undefined, false],
    ['kustomize', '5.8.1', true],
    ['kustomize', '4.5.7', false],
    ['kubectl', '1.34.0', true],
    ['kubectl', '1.36.2', true],
    ['kubectl', '1.32.4', false],
    ['kube-apiserver', '1.35.4', false],
  ] as const)('%s %s: %s', (tool, version, fits) => {
    expect(versionFits(tool, version)).toBe(fits);
  });
});

describe('programs that somebody else installed', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'fairlead-installed-'));
    for (const tool of ['kube-apiserver', 'etcd', 'helm']) {
      await writeFile(path.join(folder, tool), 'not a program');
      await chmod(path.join(folder, tool), 0o755);
    }
    await writeFile(path.join(folder, 'kubectl'), 'not executable', { mode: 0o644 });
  });

  afterAll(() => rm(folder, { recursive: true }));

  test('KUBEBUILDER_ASSETS gives what envtest ships', async () => {
    const env = { KUBEBUILDER_ASSETS: folder };
    expect(await fromKubebuilderAssets('etcd', env)).toEqual({
      path: path.join(folder, 'etcd'),
      from: 'KUBEBUILDER_ASSETS',
    });
    expect(await fromKubebuilderAssets('helm', env)).toBeUndefined();
    expect(await fromKubebuilderAssets('kubectl', env)).toBeUndefined();
    expect(await fromKubebuilderAssets('etcd', {})).toBeUndefined();
  });

  test('a program on PATH that does not tell a fitting version is not used, and that is said', async () => {
    const lines: string[] = [];
    expect(await fromPath('helm', { PATH: folder }, (line) => lines.push(line))).toBeUndefined();
    expect(lines).toEqual([`helm: ${folder}/helm is of an unknown version, not 4; not used`]);
  });

  test('relative entries of PATH are ignored, and so is a PATH without the program', async () => {
    const lines: string[] = [];
    expect(await fromPath('helm', { PATH: '.:bin:/nowhere' }, (line) => lines.push(line))).toBeUndefined();
    expect(await fromPath('etcd', { PATH: folder }, (line) => lines.push(line))).toBeUndefined();
    expect(lines).toEqual([]);
  });
});
