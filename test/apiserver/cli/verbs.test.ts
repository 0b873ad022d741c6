import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { KubeObject, OwnerReference } from '#api/meta.js';
import { readController, readCrds } from '#cli/install/package.js';
import { PACKAGE_ROOT } from '#controllers/runtime/package-root.js';
import { PROJECT_NAMESPACE } from '#sandbox/project.js';
import { kubectl, kubectlJson } from '#bench/scenarios/shell.js';
import { runCommand } from '#sandbox/command.js';
import { applyManifest } from '#test/support/kubectl.js';
import type { Cluster, World } from '#sandbox/world.js';
import { eventually, useWorld } from '#test/support/world.js';

const RELEASES = 'helmreleases.helm.toolkit.fluxcd.io';

/** The built `fairlead` against a cluster on which nothing else of these tests relies: the second member. */
describe('fairlead on a cluster of its own', () => {
  let world: World;
  let cluster: Cluster;
  const fairlead = (...args: string[]): Promise<string> =>
    runCommand(process.execPath, [`${PACKAGE_ROOT}/dist/cli/main.js`, ...args, '--kubeconfig', cluster.kubeconfig]);

  const demo = async (...flags: string[]): Promise<string> =>
    fairlead('demo', '--exit', '--dir', await mkdtemp(path.join(tmpdir(), 'fairlead-demo-')), ...flags);

  beforeAll(async () => {
    world = await useWorld();
    [, cluster] = world.members as [Cluster, Cluster];
  }, 120_000);

  it('says that it is not installed, and what to do', async () => {
    await expect(fairlead('status')).rejects.toThrow(/not installed in https:.*run `fairlead install` first/);
  });

  it('tells at once of a name that does not exist, also when it should wait, and of flags that disagree', async () => {
    await fairlead('install', '--crds-only');
    await expect(fairlead('status', 'nobody')).rejects.toThrow('there is no Application nobody');
    await expect(fairlead('status', '--watch', 'nobody')).rejects.toThrow('there is no Application nobody');
    await expect(fairlead('status', '-A', '-n', 'shop')).rejects.toThrow('use only one of the two');
  }, 120_000);

  it('purges Applications and their children, whoever touches them meanwhile', async () => {
    await fairlead('install', '--crds-only');
    const metadata = { name: 'held', namespace: 'default', finalizers: ['application.gitops.kubesphere.io'] };
    const owner = await anApplication(world, cluster, metadata);
    for (const name of ['a', 'b', 'c']) await applyManifest(world, cluster, release(name, owner));
    await expect(fairlead('uninstall', '--purge')).rejects.toThrow(/nothing was removed: .*repeat with --yes/);
    expect(await fairlead('status', '-A')).toContain('held');
    const said = await fairlead('uninstall', '--purge', '--yes');
    expect(said).toContain(`--purge removes from ${cluster.server} (context member-2):`);
    expect(said).toContain('  CRD helmreleases.helm.toolkit.fluxcd.io with 3 objects\n');
    expect(said).toContain('CRD applications.gitops.kubesphere.io removed');
    expect(said).toContain('CRD helmreleases.helm.toolkit.fluxcd.io removed');
    await expect(fairlead('status')).rejects.toThrow('not installed');
  }, 120_000);

  it('shows its demo on a cluster in use without touching what it did not make', async () => {
    const theirs = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: PROJECT_NAMESPACE } };
    await applyManifest(world, cluster, theirs);
    await expect(demo()).rejects.toThrow(
      `namespace ${PROJECT_NAMESPACE} of ${cluster.server} was not created by a demo`,
    );
    const live = await kubectlJson<KubeObject>(world, cluster, 'namespace', PROJECT_NAMESPACE);
    expect(live.metadata.deletionTimestamp).toBeUndefined();
    await kubectl(world, cluster, 'delete', 'namespace', PROJECT_NAMESPACE);
    await demo('--member-kubeconfig', world.members[0]!.kubeconfig);
    const left = await kubectl(
      world,
      cluster,
      'get',
      'namespace',
      PROJECT_NAMESPACE,
      '--ignore-not-found',
      '-o',
      'name',
    );
    expect(left).toBe('');
    await fairlead('uninstall', '--purge', '--yes');
  }, 300_000);

  it('shows no demo beside an installed Fairlead, nor where the last one still goes', async () => {
    const installed = (await readController()).filter(({ kind }) => ['Namespace', 'Deployment'].includes(kind));
    for (const object of installed) await applyManifest(world, cluster, object);
    await expect(demo()).rejects.toThrow(
      `Fairlead is installed in ${cluster.server} (Deployment fairlead-system/fairlead-controller)`,
    );
    await kubectl(world, cluster, 'delete', '-n', 'fairlead-system', 'deployment/fairlead-controller');
    const labels = { 'app.kubernetes.io/part-of': 'fairlead-demo' };
    const going = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: PROJECT_NAMESPACE, labels } };
    await applyManifest(world, cluster, going);
    const held = { name: 'held', namespace: PROJECT_NAMESPACE, finalizers: ['tests.invalid/held'] };
    await applyManifest(world, cluster, { apiVersion: 'v1', kind: 'ConfigMap', metadata: held });
    await kubectl(world, cluster, 'delete', 'namespace', PROJECT_NAMESPACE, '--wait=false');
    await expect(demo()).rejects.toThrow(`namespace ${PROJECT_NAMESPACE} is being deleted: \`kubectl wait`);
    const free = ['--type=merge', '-p', '{"metadata":{"finalizers":null}}'];
    await kubectl(world, cluster, 'patch', '-n', PROJECT_NAMESPACE, 'configmap/held', ...free);
    await kubectl(world, cluster, 'wait', '--for=delete', `namespace/${PROJECT_NAMESPACE}`, '--timeout=60s');
  }, 180_000);

  it('purges beside Flux without touching a release', async () => {
    const crd = (await readCrds()).find((each) => each.metadata.name === RELEASES);
    await applyManifest(world, cluster, { ...crd, metadata: { ...crd!.metadata, labels: {} } });
    await fairlead('install', '--crds-only');
    const held = { name: 'beside', namespace: 'default', finalizers: ['application.gitops.kubesphere.io'] };
    const owner = await anApplication(world, cluster, held);
    await applyManifest(world, cluster, release('kept', owner));
    // The garbage collector takes up new kinds by and by, and with them what they own: it ends this deletion then.
    await anApplication(world, cluster, { name: 'canary', namespace: 'default' });
    await kubectl(world, cluster, 'delete', '-n', 'default', 'gapp/canary', '--cascade=foreground', '--timeout=120s');
    // What becomes of an object whose owner is gone.
    const witness = { name: 'witness', namespace: 'default', ownerReferences: [owner] };
    await applyManifest(world, cluster, { apiVersion: 'v1', kind: 'ConfigMap', metadata: witness });
    expect(await fairlead('uninstall')).toContain('Left: 1 Application. Without a controller');
    expect(await fairlead('uninstall', '--purge', '--yes')).toContain('1 release detached');
    const get = ['get', '-n', 'default', '--ignore-not-found', '-o', 'name'];
    await eventually(async () => expect(await kubectl(world, cluster, ...get, 'configmap/witness')).toBe(''), {
      timeoutMs: 60_000,
    });
    const kept = await kubectlJson<KubeObject>(world, cluster, '-n', 'default', 'hr/kept');
    expect(kept.metadata).toMatchObject({ finalizers: ['finalizers.fluxcd.io'] });
    expect(kept.metadata.deletionTimestamp).toBeUndefined();
    expect(kept.metadata.ownerReferences ?? []).toEqual([]);
  }, 240_000);

  afterAll(async () => {
    await kubectl(world, cluster, 'delete', 'crd', RELEASES, '--wait=false', '--ignore-not-found');
    const free = ['--type=merge', '-p', '{"metadata":{"finalizers":null}}'];
    await kubectl(world, cluster, 'patch', '-n', 'default', 'hr/kept', ...free).catch(() => undefined);
  });
});

/** Makes an Application in namespace default and returns how what it owns names it. */
async function anApplication(
  world: World,
  cluster: Cluster,
  metadata: KubeObject['metadata'],
): Promise<OwnerReference> {
  const [apiVersion, kind] = ['gitops.kubesphere.io/v1alpha1', 'Application'];
  const spec = { kind: 'fluxcd', fluxApp: { spec: { config: {} } } };
  await applyManifest(world, cluster, { apiVersion, kind, metadata, spec });
  const { name } = metadata;
  const live = await kubectlJson<KubeObject>(world, cluster, '-n', 'default', `gapp/${name}`);
  return { apiVersion, kind, name, uid: live.metadata.uid! };
}

/** A HelmRelease of an Application, held by its engine. */
function release(name: string, owner: OwnerReference): object {
  const held = { name, namespace: 'default', finalizers: ['finalizers.fluxcd.io'] };
  const chart = { spec: { chart: 'x', sourceRef: { kind: 'HelmRepository', name: 'x' } } };
  const metadata = { ...held, ownerReferences: [owner] };
  return { apiVersion: 'helm.toolkit.fluxcd.io/v2', kind: 'HelmRelease', metadata, spec: { interval: '1m', chart } };
}
