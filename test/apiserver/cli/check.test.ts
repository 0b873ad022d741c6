import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PACKAGE_ROOT } from '#runtime/process/package-root.js';
import { fairlead as runFairlead, kubectl } from '#bench/scenarios/shell.js';
import { runCommand } from '#sandbox/command.js';
import type { Cluster, World } from '#sandbox/world.js';
import { useWorld } from '../../support/world.js';

const LIMIT_MS = 600_000;

describe('fairlead check and version', () => {
  let world: World;
  let cluster: Cluster;
  let dir: string;

  const fairlead = (...args: string[]): Promise<string> => runFairlead(cluster, ...args);
  /** What a failing `fairlead check` printed: runCommand only shows stderr. */
  const failedCheck = (kubeconfig = cluster.kubeconfig): Promise<string> =>
    runCommand('sh', [
      '-c',
      '! "$@"',
      'sh',
      process.execPath,
      `${PACKAGE_ROOT}/dist/cli/main.js`,
      'check',
      '--kubeconfig',
      kubeconfig,
    ]);

  beforeAll(async () => {
    world = await useWorld();
    [, cluster] = world.members as [Cluster, Cluster];
    dir = await mkdtemp(path.join(tmpdir(), 'fairlead-check-'));
  });

  afterAll(async () => {
    await rm(dir, { recursive: true });
    await fairlead('uninstall', '--purge', '--yes');
  }, LIMIT_MS);

  it(
    'tells an empty cluster from a broken one, and both from one that works',
    async () => {
      const before = await fairlead('check');
      expect(before).toMatch(/^ok +server +v1\.\d+\S* at https:\S+ \(context member-2\)$/m);
      expect(before).toMatch(/^note +CRDs +not installed/m);
      expect(before).toMatch(/^ok +rights /m);
      expect(await fairlead('version')).toMatch(/^fairlead +\d+\.\d+\.\d+\ncontroller +not installed in https:/);
      const file = path.join(dir, 'kubeconfig');
      await writeFile(
        file,
        (await readFile(cluster.kubeconfig, 'utf8')).replace(/^( *)token: .*$/m, '$&\n$1as: nobody'),
      );
      expect(await failedCheck(file)).toMatch(
        /^ok +server .*\nwrong +rights +you may not create customresourcedefinitions.*: ask an administrator/m,
      );
      await fairlead('install', '--image', 'registry.example/fairlead:1', '--wait');
      const after = await fairlead('check');
      expect(after).toMatch(/^ok +CRDs +\d+ of version /m);
      expect(after).toMatch(/^ok +engine +embedded/m);
      expect(after).toMatch(/^ok +controller +registry\.example\/fairlead:1: /m);
      expect(await fairlead('version')).toMatch(/^controller +registry\.example\/fairlead:1$/m);
      await kubectl(world, cluster, 'delete', 'crd', 'helmtemplates.gitops.kubesphere.io');
      expect(await failedCheck()).toMatch(/^wrong +CRDs +missing: helmtemplates\.gitops\.kubesphere\.io/m);
    },
    LIMIT_MS,
  );
});
