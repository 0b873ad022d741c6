import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { KubeObject } from '#api/meta.js';
import { markOf } from '#cli/local/mark.js';
import { readController } from '#cli/install/package.js';
import { PACKAGE_ROOT } from '#runtime/process/package-root.js';
import { kubectl, kubectlJson } from '#bench/scenarios/shell.js';
import { runCommand } from '#sandbox/command.js';
import type { Cluster, World } from '#sandbox/world.js';
import { applyManifest } from '../../support/kubectl.js';
import { LOGIN_LINK, overviewFor, signInBy } from '../../support/one-time-login.js';
import { eventually, useWorld } from '../../support/world.js';

const PROGRAM = path.join(PACKAGE_ROOT, 'dist', 'cli', 'main.js');
const LIMIT_MS = 600_000;
/** A CRD that somebody else applies while a demo runs. */
const TAKEN = 'source.toolkit.fluxcd.io_helmcharts.yaml';
const APPLICATIONS = 'applications.gitops.kubesphere.io';

/** `fairlead demo` on clusters in use: the second member is the host, the first one its member. */
describe('fairlead demo on clusters of the user', () => {
  let world: World;
  let host: Cluster;
  let member: Cluster;
  let parent: string;

  const argumentsOf = (...flags: string[]): string[] => [
    ...[PROGRAM, 'demo', '--dir', path.join(parent, 'demo'), '--kubeconfig', host.kubeconfig],
    ...flags,
  ];
  const demo = (...flags: string[]): Promise<string> => runCommand(process.execPath, argumentsOf(...flags));
  const ofHost = (...args: string[]): Promise<string> => kubectl(world, host, ...args);
  const namespaces = async (cluster: Cluster): Promise<string[]> => {
    const names = (await kubectl(world, cluster, 'get', 'namespaces', '-o', 'name')).trim().split('\n');
    return names.filter((name) => name.includes('fairlead-demo'));
  };
  const expectNothingLeft = async (): Promise<void> => {
    expect(await namespaces(host)).toEqual([]);
    expect(await namespaces(member)).toEqual([]);
    expect(await ofHost('get', 'crd', APPLICATIONS, '--ignore-not-found', '-o', 'name')).toBe('');
    expect(existsSync(path.join(parent, 'demo'))).toBe(false);
  };

  /** The controller that a demo started; processes of its Git server come and go. */
  const controllerOf = async (pid: number): Promise<number> => {
    const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ');
    const lines = await Promise.all(children.map((each) => readFile(`/proc/${each}/cmdline`, 'utf8').catch(() => '')));
    return Number(children[lines.findIndex((line) => line.includes('\0controller\0'))]);
  };

  /** A HelmRelease that no Application will take along. */
  const orphaned = async (): Promise<void> => {
    const name = (await ofHost('get', 'hr', '-n', 'fairlead-demo', '-o', 'name')).split('\n')[0] ?? '';
    const body = '{"metadata":{"ownerReferences":null}}';
    await ofHost('patch', '-n', 'fairlead-demo', name, '--type=merge', '-p', body);
  };

  beforeAll(async () => {
    world = await useWorld();
    [member, host] = world.members as [Cluster, Cluster];
    parent = await mkdtemp(path.join(tmpdir(), 'fairlead-demo-'));
  });

  afterAll(async () => {
    await rm(parent, { recursive: true, force: true });
  });

  it(
    'refuses, and writes nothing, where it would be in the way of somebody',
    async () => {
      await ofHost('create', 'namespace', 'fairlead-demo');
      await expect(demo('--exit')).rejects.toThrow(
        /namespace fairlead-demo of https:\S+ was not created by a demo.*Nothing was changed.*--namespace NAME/,
      );
      await ofHost('delete', 'namespace', 'fairlead-demo');
      const same = ['--member-kubeconfig', host.kubeconfig];
      await expect(demo('--exit', ...same)).rejects.toThrow(
        /--member-kubeconfig \S+ is the same cluster as --kubeconfig/,
      );
      const installed = (await readController()).filter(({ kind }) => ['Namespace', 'Deployment'].includes(kind));
      for (const object of installed) await applyManifest(world, host, object);
      await expect(demo('--exit')).rejects.toThrow(
        `Fairlead is installed in ${host.server} (Deployment fairlead-system/fairlead-controller)`,
      );
      await ofHost('delete', 'namespace', 'fairlead-system');
      await expectNothingLeft();
    },
    LIMIT_MS,
  );

  it(
    'gives up at Ctrl-C, and says how to go on, while somebody holds a CRD',
    async () => {
      const crd = path.join(PACKAGE_ROOT, 'config', 'crd', TAKEN);
      const { metadata } = await kubectlJson<KubeObject>(world, host, 'namespace/kube-system');
      await ofHost('create', '--field-manager=fairlead-demo', '--filename', crd);
      const mark = Object.entries(markOf(metadata.uid ?? '', 'fairlead-demo')).map(
        ([name, value]) => `${name}=${value}`,
      );
      const [group = '', plural = ''] = TAKEN.replace('.yaml', '').split('_');
      const held = `crd/${plural}.${group}`;
      await ofHost('label', '--field-manager=fairlead-demo', held, ...mark);
      const hold = (finalizers: string): Promise<string> =>
        ofHost(
          'patch',
          '--field-manager=fairlead-demo',
          held,
          '-p',
          `{"metadata":{"finalizers":${finalizers}}}`,
          '--type=merge',
        );
      await hold('["example.com/hold"]');
      const child = spawn(process.execPath, argumentsOf('--clean'));
      let said = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (said += text.toString()));
      const closed = once(child, 'close');
      await eventually(() => expect(said).toContain('Waiting for the deletion of CustomResourceDefinition'));
      child.kill('SIGINT');
      expect(await closed).toEqual([1, null]);
      expect(said).toMatch(/interrupted while the demo was being removed; remove what is left with: .* demo --clean/);
      await hold('null');
      await eventually(async () => expect(await ofHost('get', held, '--ignore-not-found', '-o', 'name')).toBe(''));
      await expectNothingLeft();
    },
    LIMIT_MS,
  );

  it(
    'deploys to one member and to namespaces of its own, and leaves nothing',
    async () => {
      const said = await demo('--exit', '--member-kubeconfig', member.kubeconfig);
      expect(said).toMatch(/first-light .*Ready/);
      await expectNothingLeft();
    },
    LIMIT_MS,
  );

  it(
    'is removed by --clean after a crash, which leaves what the demo did not create',
    async () => {
      const flags = ['--member-kubeconfig', member.kubeconfig];
      const child = spawn(process.execPath, argumentsOf(...flags), { stdio: 'ignore' });
      const gone = once(child, 'exit');
      await eventually(
        async () => expect(await ofHost('get', 'hr', '-n', 'fairlead-demo', '-o', 'name')).toContain('first-light'),
        { timeoutMs: 300_000, intervalMs: 1_000 },
      );
      await expect(demo('--clean', ...flags)).rejects.toThrow(/a (sandbox or )?demo is running in/);
      child.kill('SIGKILL');
      await gone;
      await orphaned();
      await expect(demo('--exit', ...flags)).rejects.toThrow(/is of a demo that still runs or crashed: .*--clean/);
      await ofHost('create', 'namespace', 'fairlead-demo-theirs');
      const own = await kubectlJson<KubeObject>(world, host, 'namespace/fairlead-demo');
      const { labels = {}, annotations = {} } = own.metadata;
      await applyManifest(world, host, { ...own, metadata: { name: 'fairlead-demo-copy', labels, annotations } });
      await ofHost(
        'apply',
        '--server-side',
        '--force-conflicts',
        '-f',
        path.join(PACKAGE_ROOT, 'config', 'crd', TAKEN),
      );
      await expect(demo('--clean')).rejects.toThrow(/has 1 Secrets of members .*, 0 were given.*Nothing was removed/);
      expect(await demo('--clean', ...flags)).toContain('Nothing of the demo in namespace fairlead-demo is left');
      expect(await namespaces(host)).toEqual(['namespace/fairlead-demo-copy', 'namespace/fairlead-demo-theirs']);
      await ofHost('delete', 'namespace', 'fairlead-demo-copy', 'fairlead-demo-theirs');
      await ofHost('delete', '-f', path.join(PACKAGE_ROOT, 'config', 'crd', TAKEN));
      await expectNothingLeft();
      await demo('--clean', ...flags);
    },
    LIMIT_MS,
  );

  it(
    'leaves nothing after the controller was killed',
    async () => {
      const child = spawn(process.execPath, argumentsOf(), { stdio: 'ignore' });
      const gone = once(child, 'exit');
      await eventually(
        async () => expect(await ofHost('get', 'hr', '-n', 'fairlead-demo', '-o', 'name')).toContain('first-light'),
        { timeoutMs: 300_000, intervalMs: 1_000 },
      );
      process.kill(await controllerOf(child.pid ?? 0), 'SIGKILL');
      await gone;
      expect(child.exitCode).toBe(1);
      await expectNothingLeft();
    },
    LIMIT_MS,
  );

  it(
    'shows its dashboard to a user who may see its own namespaces, and takes both away',
    async () => {
      const child = spawn(process.execPath, argumentsOf());
      let said = '';
      child.stdout.on('data', (text: Buffer) => (said += text.toString()));
      const gone = once(child, 'exit');
      await eventually(() => expect(said).toMatch(LOGIN_LINK), { timeoutMs: 300_000, intervalMs: 500 });
      const [link = ''] = said.match(LOGIN_LINK) ?? [];
      const session = await signInBy(link);
      await eventually(
        async () => {
          const seen = await overviewFor(session, link);
          expect(seen.map(({ namespace, name }) => `${namespace} ${name}`)).toContain('fairlead-demo first-light');
        },
        { timeoutMs: 60_000, intervalMs: 500 },
      );
      const may = (...what: string[]): Promise<string> =>
        ofHost('auth', 'can-i', ...what, `--as=${session.user ?? ''}`).catch(() => 'no');
      expect(await may('delete', APPLICATIONS, '-n', 'fairlead-demo')).toMatch(/^yes/);
      expect(await may('create', 'pods', '-n', 'fairlead-demo')).toBe('no');
      expect(await may('list', 'secrets', '-n', 'kube-system')).toBe('no');
      expect(await may('list', APPLICATIONS, '-n', 'kube-system')).toBe('no');
      child.kill('SIGINT');
      await gone;
      await expect(fetch(new URL(link).origin)).rejects.toThrow();
      await expectNothingLeft();
    },
    LIMIT_MS,
  );

  it(
    'leaves nothing after Ctrl-C while it starts',
    async () => {
      const child = spawn(process.execPath, argumentsOf(), { stdio: 'ignore' });
      const gone = once(child, 'exit');
      await eventually(async () => expect(await namespaces(host)).not.toEqual([]), {
        timeoutMs: 300_000,
        intervalMs: 200,
      });
      child.kill('SIGINT');
      await gone;
      expect(child.exitCode).toBe(1);
      await expectNothingLeft();
    },
    LIMIT_MS,
  );
});
