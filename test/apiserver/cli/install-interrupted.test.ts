import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { KubeObject } from '#api/meta.js';
import { APPLICATION_FINALIZER } from '#api/v1alpha1/labels.js';
import { PACKAGE_ROOT } from '#runtime/process/package-root.js';
import { fairlead as runFairlead, kubectl, kubectlJson } from '#bench/scenarios/shell.js';
import type { Cluster, World } from '#sandbox/world.js';
import { applyManifest } from '../../support/kubectl.js';
import { startFaultProxy, writeKubeconfigOf, type FaultProxy } from '../../support/proxy.js';
import { useWorld } from '../../support/world.js';

const PROGRAM = path.join(PACKAGE_ROOT, 'dist', 'cli', 'main.js');
const LIMIT_MS = 600_000;
const SLOW_ANSWER_MS = 1_000;

interface Deployment extends KubeObject {
  spec: { template: { spec: { containers: { args: string[] }[] } } };
}

interface Ended {
  readonly code: unknown;
  readonly stderr: string;
}

/** Each with the write at which Ctrl-C comes: the server still answers it. */
const STAGES = [
  ['the namespace', '/namespaces/fairlead-system?'],
  ['the ServiceAccount', '/serviceaccounts/fairlead-controller?'],
  ['a CRD', '/customresourcedefinitions/applications.gitops.kubesphere.io?'],
  ['a role', '/clusterroles/fairlead-runtime?'],
  ['the rights of the engine', '/clusterrolebindings/fairlead-helmrelease?'],
] as const;

/** More than one: the removal ends before the next one. */
const NAMES = ['one', 'three', 'two'];
const HELD = {
  apiVersion: 'gitops.kubesphere.io/v1alpha1',
  kind: 'Application',
  metadata: { namespace: 'default', finalizers: [APPLICATION_FINALIZER] },
  spec: { kind: 'fluxcd', fluxApp: { spec: { config: {} } } },
};

/** The built `fairlead install` against the second member, interrupted and repeated. */
describe('fairlead install with Ctrl-C', () => {
  let world: World;
  let cluster: Cluster;
  let proxy: FaultProxy;
  let dir: string;

  const fairlead = (...args: string[]): Promise<string> => runFairlead(cluster, ...args);
  const namesOf = (...args: string[]): Promise<string> =>
    kubectl(world, cluster, 'get', ...args, '--ignore-not-found', '-o', 'name');

  const kubeconfig = (): string => path.join(dir, 'proxy.kubeconfig');

  /** `fairlead ARGS`, with Ctrl-C as soon as it sends a write to this path. */
  const interruptedAt = async (write: string, ...args: string[]): Promise<Ended> => {
    const child = spawn(process.execPath, [PROGRAM, ...args, '--kubeconfig', kubeconfig()], {
      env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const forget = proxy.http.inject({
      match: ({ method, path: url }) => {
        const isMeant = method !== 'GET' && url.includes(write);
        if (isMeant) child.kill('SIGINT');
        return isMeant;
      },
      // The signal is there before the answer, and no other write follows it.
      answerAfterMs: SLOW_ANSWER_MS,
    });
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const [code] = (await once(child, 'close')) as [number | null];
    forget();
    return { code, stderr };
  };

  beforeAll(async () => {
    world = await useWorld();
    [, cluster] = world.members as [Cluster, Cluster];
    dir = await mkdtemp(path.join(tmpdir(), 'fairlead-interrupted-'));
    proxy = await startFaultProxy(cluster);
    await writeKubeconfigOf(proxy, cluster, kubeconfig());
  });

  afterAll(async () => {
    await proxy.close();
    await rm(dir, { recursive: true, force: true });
    await fairlead('uninstall', '--purge', '--yes');
  }, LIMIT_MS);

  it.each(STAGES)(
    'at %s: says so, and a repetition without flags binds no more than was told',
    async (_, write) => {
      expect(await interruptedAt(write, 'install', '--profile', 'tenant')).toEqual({
        code: 130,
        stderr:
          'fairlead: interrupted by SIGINT; the installation is incomplete: repeat it with the same flags, or remove it with `fairlead uninstall`\n',
      });
      const said = await fairlead('install');
      expect(said).toContain('it impersonates a ServiceAccount of their namespace');
      expect(await namesOf('clusterrolebinding', 'fairlead-engine')).toBe('');
      const { spec } = await kubectlJson<Deployment>(
        world,
        cluster,
        ...['-n', 'fairlead-system', 'deploy/fairlead-controller'],
      );
      expect(spec.template.spec.containers[0]?.args).toContain('--default-service-account=default');
      await fairlead('uninstall', '--purge', '--yes');
    },
    LIMIT_MS,
  );

  it(
    'while it waits: says that everything is installed',
    async () => {
      expect(await interruptedAt('/deployments/fairlead-controller?', 'install', '--wait')).toEqual({
        code: 130,
        stderr: expect.stringContaining('was waited for: it is installed, and `fairlead check` says'),
      });
    },
    LIMIT_MS,
  );

  it(
    'at the record of fewer rights than the controller has: a repetition without flags goes on with them',
    async () => {
      await fairlead('install', '--profile', 'cluster');
      expect(await interruptedAt('/namespaces/fairlead-system?', 'install', '--profile', 'tenant')).toEqual({
        code: 130,
        stderr: 'fairlead: interrupted by SIGINT; the installation is incomplete: repeat it with the same flags\n',
      });
      // Nothing was written, and nothing is incomplete.
      expect(await interruptedAt('/namespaces/fairlead-system?', 'install', '--profile', 'tenant')).toEqual({
        code: 130,
        stderr: 'fairlead: interrupted by SIGINT\n',
      });
      expect(await fairlead('install')).toContain('it impersonates a ServiceAccount of their namespace');
      expect(await namesOf('clusterrolebinding', 'fairlead-engine')).toBe('');
      await fairlead('install', '--profile', 'cluster');
    },
    LIMIT_MS,
  );

  it(
    'takes rights before it changes the controller, and gives none back by itself',
    async () => {
      await fairlead('install');
      await interruptedAt('/clusterrolebindings/fairlead-engine', 'install', '--profile', 'tenant');
      const said = await fairlead('install');
      expect(said).toContain('--profile tenant or cluster sets up both');
      expect(await namesOf('clusterrolebinding', 'fairlead-engine')).toBe('');
    },
    LIMIT_MS,
  );

  it(
    'leaves after Ctrl-C of an uninstallation what another one removes',
    async () => {
      expect(await interruptedAt('/deployments/fairlead-controller', 'uninstall')).toEqual({
        code: 130,
        stderr: expect.stringContaining('the removal is incomplete: repeat the command'),
      });
      expect(await fairlead('uninstall', '--purge', '--yes')).toContain('Namespace fairlead-system removed');
      const left = await namesOf('crd,clusterroles,clusterrolebindings', '-l', 'app.kubernetes.io/part-of=fairlead');
      expect(left).toBe('');
    },
    LIMIT_MS,
  );

  it(
    'keeps the Applications and their CRD after Ctrl-C of a purge',
    async () => {
      await fairlead('install', '--crds-only');
      for (const name of NAMES) await applyManifest(world, cluster, { ...HELD, metadata: { ...HELD.metadata, name } });
      expect(await interruptedAt('/applications/', 'uninstall', '--purge', '--yes')).toEqual({
        code: 130,
        stderr: expect.stringContaining('the removal is incomplete: repeat the command'),
      });
      const crd = await kubectlJson<KubeObject>(world, cluster, 'crd/applications.gitops.kubesphere.io');
      expect(crd.metadata).not.toHaveProperty('deletionTimestamp');
      expect((await namesOf('gapp', '-n', 'default')).trim().split('\n')).toHaveLength(NAMES.length);
      expect(await fairlead('uninstall', '--purge', '--yes')).toContain(
        'CRD applications.gitops.kubesphere.io removed, with 3 objects',
      );
    },
    LIMIT_MS,
  );
});
