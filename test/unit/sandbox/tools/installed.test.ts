import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { fromKubebuilderAssets, fromPath, versionFits, versionIn, type InstalledSearch } from '#sandbox/tools/installed.js';

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
    ['kube-apiserver', '1.35.0', true],
    ['kube-apiserver', '1.34.9', false],
    ['kube-controller-manager', '1.36.0', false],
    ['etcd', '3.6.4', true],
    ['etcd', '3.4.23', false],
    ['kwok', '0.8.1', true],
    ['registry', '3.0.0', false],
  ] as const)('%s %s: %s', (tool, version, fits) => {
    expect(versionFits(tool, version)).toBe(fits);
  });
});

describe('programs that somebody else installed', () => {
  let folder: string;
  let lines: string[];

  const search = (env: NodeJS.ProcessEnv): InstalledSearch => ({ env, log: (line) => lines.push(line) });

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'fairlead-installed-'));
    const says = { 'kube-apiserver': 'Kubernetes v1.35.2', etcd: 'etcd Version: 3.4.23', helm: 'hello' };
    for (const [tool, version] of Object.entries(says)) {
      await writeFile(path.join(folder, tool), `#!/bin/sh\necho '${version}'\n`);
      await chmod(path.join(folder, tool), 0o755);
    }
    await writeFile(path.join(folder, 'kubectl'), 'not executable', { mode: 0o644 });
  });

  beforeEach(() => {
    lines = [];
  });

  afterAll(() => rm(folder, { recursive: true }));

  test('KUBEBUILDER_ASSETS gives what envtest ships, in a fitting version', async () => {
    const assets = search({ KUBEBUILDER_ASSETS: folder });
    expect(await fromKubebuilderAssets('kube-apiserver', assets)).toEqual({
      path: path.join(folder, 'kube-apiserver'),
      from: 'KUBEBUILDER_ASSETS, version 1.35.2',
    });
    expect(await fromKubebuilderAssets('helm', assets)).toBeUndefined();
    expect(await fromKubebuilderAssets('kubectl', assets)).toBeUndefined();
    expect(await fromKubebuilderAssets('etcd', search({}))).toBeUndefined();
    expect(lines).toEqual([]);
  });

  test('a version that does not fit is not used, and that is said', async () => {
    expect(await fromKubebuilderAssets('etcd', search({ KUBEBUILDER_ASSETS: folder }))).toBeUndefined();
    expect(await fromPath('helm', search({ PATH: folder }))).toBeUndefined();
    expect(lines).toEqual([
      `etcd: ${folder}/etcd is 3.4.23, not >=3.6.0 <4; not used`,
      `helm: ${folder}/helm is of an unknown version, not 4; not used`,
    ]);
  });

  test('relative entries of PATH are ignored, and so are a PATH without the program and names that say little', async () => {
    expect(await fromPath('helm', search({ PATH: '.:bin:/nowhere' }))).toBeUndefined();
    expect(await fromPath('registry', search({ PATH: folder }))).toBeUndefined();
    expect(lines).toEqual([]);
  });
});
