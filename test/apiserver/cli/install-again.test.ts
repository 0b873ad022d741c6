import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { KubeObject } from '#api/meta.js';
import { fairlead as runFairlead, kubectl, kubectlJson } from '#bench/scenarios/shell.js';
import { PACKAGE_ROOT } from '#runtime/process/package-root.js';
import type { Cluster, World } from '#sandbox/world.js';
import { applyManifest } from '../../support/kubectl.js';
import { eventually, useWorld } from '../../support/world.js';

interface Deployment extends KubeObject {
  spec: { replicas: number; template: { spec: { containers: { image: string; args: string[] }[] } } };
}

const TENANT = ['--default-service-account=default', '--no-cross-namespace-refs'];
const PROGRAM = path.join(PACKAGE_ROOT, 'dist', 'cli', 'main.js');
const LIMIT_MS = 600_000;

/** The built `fairlead install` against the second member, one step of a story after the other. */
describe('fairlead install, again and again', () => {
  let world: World;
  let cluster: Cluster;

  const fairlead = (...args: string[]): Promise<string> => runFairlead(cluster, ...args);
  const system = (...args: string[]): Promise<string> => kubectl(world, cluster, '-n', 'fairlead-system', ...args);
  const installed = async (): Promise<{ image: string; args: string[]; replicas: number }> => {
    const { spec } = await kubectlJson<Deployment>(
      world,
      cluster,
      '-n',
      'fairlead-system',
      'deploy/fairlead-controller',
    );
    const [container] = spec.template.spec.containers;
    return { image: container!.image, args: container!.args, replicas: spec.replicas };
  };
  /** `fairlead ARGS` that runs on, and what it has printed. */
  const started = (...args: string[]): { output: () => string; exitCode: Promise<unknown> } => {
    const child = spawn(process.execPath, [PROGRAM, ...args, '--kubeconfig', cluster.kubeconfig]);
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    return { output: () => output, exitCode: once(child, 'close').then(([code]) => code as unknown) };
  };
  const isBound = async (): Promise<boolean> =>
    (await kubectl(
      world,
      cluster,
      'get',
      'clusterrolebinding',
      'fairlead-engine',
      '--ignore-not-found',
      '-o',
      'name',
    )) !== '';

  beforeAll(async () => {
    world = await useWorld();
    [, cluster] = world.members as [Cluster, Cluster];
  });

  afterAll(async () => {
    await fairlead('uninstall', '--purge', '--yes');
  }, LIMIT_MS);

  it(
    'waits, after an uninstallation that waits, for what somebody holds',
    async () => {
      await fairlead('install');
      const held = { name: 'held', namespace: 'fairlead-system', finalizers: ['example.com/hold'] };
      await applyManifest(world, cluster, { apiVersion: 'v1', kind: 'ConfigMap', metadata: held });
      const removal = started('uninstall', '--purge', '--yes');
      await eventually(() =>
        expect(removal.output()).toContain('Waiting for the deletion of Namespace fairlead-system'),
      );
      const installation = started('install');
      await eventually(() =>
        expect(installation.output()).toMatch(/^Waiting for the deletion of Namespace fairlead-sys/),
      );
      await expect(fairlead('install', '--dry-run')).rejects.toThrow(
        /nothing was installed; still being deleted: Namespace fairlead-sys.*`kubectl describe namespace fairlead-sys/,
      );
      await expect(fairlead('install', '--wait', '--timeout', '1s')).rejects.toThrow(/still being deleted after 1 s: /);
      await system('patch', 'configmap/held', '--type=merge', '-p', '{"metadata":{"finalizers":null}}');
      expect({ code: await removal.exitCode, output: removal.output() }).toMatchObject({ code: 0 });
      expect({ code: await installation.exitCode, output: installation.output() }).toMatchObject({ code: 0 });
      expect((await installed()).replicas).toBeGreaterThan(0);
      await fairlead('uninstall', '--purge', '--yes');
    },
    LIMIT_MS,
  );

  it(
    'shows by a dry run what it would do, and does nothing',
    async () => {
      const said = await fairlead('install', '--dry-run');
      expect(said).toContain('CRD applications.gitops.kubesphere.io created (dry run)');
      expect(said).toContain('Deployment fairlead-controller created (dry run)');
      const ours = ['-l', 'app.kubernetes.io/part-of=fairlead', '-o', 'name'];
      expect(await kubectl(world, cluster, 'get', 'crd,namespaces', ...ours)).toBe('');
    },
    LIMIT_MS,
  );

  it(
    'installs for tenants, without cluster-admin, and says so',
    async () => {
      const said = await fairlead('install', '--profile', 'tenant', '--image', 'registry.example/fairlead:1');
      expect(said).toContain('it impersonates a ServiceAccount of their namespace');
      expect(await isBound()).toBe(false);
      expect(await installed()).toMatchObject({
        image: 'registry.example/fairlead:1',
        args: expect.arrayContaining(TENANT),
      });
    },
    LIMIT_MS,
  );

  it(
    'keeps image, flags, replicas and profile that it is not told to change',
    async () => {
      await system('scale', 'deployment/fairlead-controller', '--replicas=3');
      const flag = '[{"op":"add","path":"/spec/template/spec/containers/0/args/-","value":"--concurrent=8"}]';
      await system('patch', 'deployment/fairlead-controller', '--type=json', '-p', flag);
      const before = await installed();
      const said = await fairlead('install');
      expect(said).toContain('Deployment fairlead-controller unchanged');
      expect(said).toMatch(
        /Kept as installed: image registry\.example\/fairlead:1; flags .*--concurrent=8; replicas: 3\./,
      );
      expect(await installed()).toEqual(before);
      expect(await isBound()).toBe(false);
    },
    LIMIT_MS,
  );

  it(
    'changes the profile when told, waits, and names each change in a dry run',
    async () => {
      expect(await fairlead('install', '--dry-run', '--image', 'registry.example/fairlead:2')).toContain(
        'spec.template.spec.containers[0].image: registry.example/fairlead:2',
      );
      const said = await fairlead('install', '--profile', 'cluster', '--wait');
      expect(said).toContain('bound to cluster-admin');
      expect(said).toContain('Deployment fairlead-system/fairlead-controller is available.');
      expect(await isBound()).toBe(true);
      const { image, args } = await installed();
      expect(image).toBe('registry.example/fairlead:1');
      expect(args).toContain('--concurrent=8');
      expect(args).not.toEqual(expect.arrayContaining(TENANT));
      expect(await fairlead('install', '--profile', 'tenant')).toContain('ClusterRoleBinding fairlead-engine removed');
      expect(await isBound()).toBe(false);
    },
    LIMIT_MS,
  );

  it(
    'gives no cluster-admin to an installation for tenants that returns from Flux',
    async () => {
      const crd = 'helmreleases.helm.toolkit.fluxcd.io';
      await kubectl(world, cluster, 'label', 'crd', crd, 'app.kubernetes.io/part-of=flux', '--overwrite');
      expect(await fairlead('install')).toContain('Flux reconciles them');
      const said = await fairlead('install', '--replace-flux');
      expect(said).toContain('it impersonates a ServiceAccount of their namespace');
      expect(await isBound()).toBe(false);
    },
    LIMIT_MS,
  );

  it(
    "tells the pod's own reason when the controller does not get available",
    async () => {
      const nowhere = '{"spec":{"template":{"spec":{"nodeSelector":{"no":"node"}}}}}';
      await system('patch', 'deployment/fairlead-controller', '--type=merge', '-p', nowhere);
      // The first wait may end before the scheduler has looked at the pod.
      await eventually(() =>
        expect(fairlead('install', '--wait', '--timeout', '5s')).rejects.toThrow(
          /fairlead-controller is not available after 5 s: .* Unschedulable: .*See `kubectl -n fairlead-system describe pods`/,
        ),
      );
    },
    LIMIT_MS,
  );

  it(
    'refuses, before anything is written, what somebody else installed',
    async () => {
      await kubectl(
        world,
        cluster,
        'label',
        'clusterrole',
        'fairlead-runtime',
        'app.kubernetes.io/part-of=others',
        '--overwrite',
      );
      await expect(fairlead('install', '--image', 'registry.example/fairlead:3')).rejects.toThrow(
        'nothing was installed; ClusterRole fairlead-runtime: somebody else installed it: --take-over replaces it',
      );
      expect((await installed()).image).toBe('registry.example/fairlead:1');
      await fairlead('install', '--take-over');
    },
    LIMIT_MS,
  );
});
