import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fairlead, kubectl } from '#bench/scenarios/shell.js';
import type { Cluster, World } from '#sandbox/world.js';
import { startFaultProxy, writeKubeconfigOf, type SeenRequest } from '../../support/proxy.js';
import { CTRL_C, fairleadAtTerminal, type TerminalRun } from '../../support/terminal.js';
import { eventually, useWorld } from '../../support/world.js';

const END_OF_INPUT = '\u0004';
const ENTER = '\r';
const LIMIT_MS = 600_000;

describe('fairlead uninstall --purge asks at a terminal', () => {
  let world: World;
  let cluster: Cluster;
  let dir: string;

  /** Answers with these keys once the question is there. */
  const answered = async (keys: string, kubeconfig = cluster.kubeconfig): Promise<TerminalRun> => {
    const run = fairleadAtTerminal(['uninstall', '--purge', '--kubeconfig', kubeconfig], {
      columns: 80,
      env: { NO_COLOR: '1' },
    });
    await eventually(() => expect(run.output()).toContain('Type yes to continue: '));
    run.type(keys);
    return run;
  };
  const crds = (): Promise<string> =>
    kubectl(world, cluster, 'get', 'crd', '-l', 'app.kubernetes.io/part-of=fairlead', '-o', 'name');

  beforeAll(async () => {
    world = await useWorld();
    [, cluster] = world.members as [Cluster, Cluster];
    await fairlead(cluster, 'install', '--crds-only');
    dir = await mkdtemp(path.join(tmpdir(), 'fairlead-purge-'));
  });

  afterAll(async () => {
    await rm(dir, { recursive: true });
    await fairlead(cluster, 'uninstall', '--purge', '--yes');
  }, LIMIT_MS);

  it.each([
    ['no', `no${ENTER}`],
    ['y, which is not enough', `y${ENTER}`],
    ['nothing', ENTER],
    ['Ctrl-C', CTRL_C],
    ['Ctrl-C in the middle of a yes', `yes${CTRL_C}`],
    ['the end of the input', END_OF_INPUT],
  ])(
    'and removes nothing after %s',
    async (_, keys) => {
      const before = await crds();
      const run = await answered(keys);
      expect({ code: await run.exitCode, output: run.output() }).toMatchObject({ code: 1 });
      expect(run.output()).toMatch(/--purge removes from https:\S+ \(context member-2\):/);
      expect(run.output()).toContain('fairlead: nothing was removed');
      expect(await crds()).toBe(before);
      expect(before).toContain('applications.gitops.kubesphere.io');
    },
    LIMIT_MS,
  );

  it(
    'and ends at a second Ctrl-C, whatever the server does',
    async () => {
      const [proxy, file] = [await startFaultProxy(cluster), path.join(dir, 'proxy.kubeconfig')];
      await writeKubeconfigOf(proxy, cluster, file);
      const isRemoval = ({ method, path: url }: SeenRequest): boolean =>
        method === 'DELETE' && url.includes('/customresourcedefinitions/');
      proxy.http.inject({ match: isRemoval, silent: true });
      const run = await answered(`yes${ENTER}`, file);
      await eventually(() => expect(proxy.http.seen.some(isRemoval)).toBe(true));
      // The first one waits for the answer, and those within a second are taken for the same one.
      const pressing = setInterval(() => run.type(CTRL_C), 500);
      expect({ code: await run.exitCode, output: run.output() }).toMatchObject({ code: 130 });
      clearInterval(pressing);
      expect(run.output()).toContain('fairlead: interrupted again; the removal is incomplete: repeat the command');
      expect(await crds()).toContain('applications.gitops.kubesphere.io');
      await proxy.close();
    },
    LIMIT_MS,
  );

  it(
    'and removes all of it after yes',
    async () => {
      const run = await answered(`yes${ENTER}`);
      expect({ code: await run.exitCode, output: run.output() }).toMatchObject({ code: 0 });
      expect(run.output()).toContain('CRD applications.gitops.kubesphere.io removed');
      expect(await crds()).toBe('');
    },
    LIMIT_MS,
  );
});
