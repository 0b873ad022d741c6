import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { KubeObject, OwnerReference } from '#api/meta.js';
import { liveCrds } from '#cli/install/crds.js';
import { readCrds } from '#cli/install/package.js';
import { removeCrd } from '#cli/install/purge.js';
import { kubeFromFile } from '#runtime/client/credentials.js';
import { PACKAGE_ROOT } from '#runtime/process/package-root.js';
import { fairlead as runFairlead, kubectl, kubectlJson } from '#bench/scenarios/shell.js';
import { runCommand } from '#sandbox/command.js';
import type { Cluster, World } from '#sandbox/world.js';
import { applyManifest } from '../../support/kubectl.js';
import { eventually, useWorld } from '../../support/world.js';

const RELEASES = 'helmreleases.helm.toolkit.fluxcd.io';

/** The built `fairlead` against a cluster on which nothing else of these tests relies: the second member. */
describe('fairlead on a cluster of its own', () => {
  let world: World;
  let cluster: Cluster;
  const fairlead = (...args: string[]): Promise<string> => runFairlead(cluster, ...args);

  beforeAll(async () => {
    world = await useWorld();
    [, cluster] = world.members as [Cluster, Cluster];
  });

  it('says that it is not installed, and what to do', async () => {
    await expect(fairlead('status')).rejects.toThrow(/not installed in https:.*run `fairlead install` first/);
  });

  it('tells at once of a name that does not exist, also when it should wait, and of flags that disagree', async () => {
    await fairlead('install', '--crds-only');
    await expect(fairlead('status', 'nobody')).rejects.toThrow('there is no Application nobody');
    await expect(fairlead('status', '--watch', 'nobody')).rejects.toThrow('there is no Application nobody');
    await expect(fairlead('status', '-A', '-n', 'shop')).rejects.toThrow('use only one of the two');
  });

  it('installs everything for a reader who leaves', async () => {
    const install = ['install', '--crds-only', '--kubeconfig', cluster.kubeconfig];
    const script = 'set -o pipefail; "$0" "$@" | true';
    await runCommand('bash', ['-c', script, process.execPath, `${PACKAGE_ROOT}/dist/cli/main.js`, ...install]);
  });

  it('purges Applications and their children, whoever touches them meanwhile', async () => {
    await fairlead('install', '--crds-only');
    const metadata = { name: 'held', namespace: 'default', finalizers: ['application.gitops.kubesphere.io'] };
    const owner = await anApplication(world, cluster, metadata);
    for (const name of ['a', 'b', 'c']) await applyManifest(world, cluster, release(name, owner));
    await expect(fairlead('uninstall', '--purge')).rejects.toThrow(
      /--purge removes from https:.*context member-2.*helmreleases\S+ with 3 objects.*nothing was removed: .*repeat with --yes/s,
    );
    expect(await fairlead('status', '-A')).toContain('held');
    const said = await fairlead('uninstall', '--purge', '--yes');
    expect(said).toContain('CRD applications.gitops.kubesphere.io removed');
    expect(said).toContain('CRD helmreleases.helm.toolkit.fluxcd.io removed');
    await expect(fairlead('status')).rejects.toThrow('not installed');
  });

  it('leaves the namespace of the controller while others use it', async () => {
    const system = (...args: string[]): Promise<string> => kubectl(world, cluster, '-n', 'fairlead-system', ...args);
    await fairlead('install');
    await system('create', 'secret', 'generic', 'of-others');
    expect(await fairlead('uninstall', '--purge', '--yes')).toContain(
      'Namespace fairlead-system left: it contains Secret of-others\n',
    );
    await system('delete', 'secret', 'of-others');
    expect(await fairlead('uninstall')).toContain('Namespace fairlead-system removed');
  });

  it('leaves a CRD that somebody replaced after the question', async () => {
    await fairlead('install', '--crds-only');
    const kube = await kubeFromFile({ path: cluster.kubeconfig });
    const [planned] = await liveCrds(kube, [RELEASES]);
    await kubectl(world, cluster, 'label', 'crd', RELEASES, 'app.kubernetes.io/part-of=flux', '--overwrite');
    const { signal } = new AbortController();
    expect(await removeCrd({ kube, signal }, planned!)).toBe(
      `CRD ${RELEASES} left: somebody replaced it in the meantime`,
    );
    expect(await liveCrds(kube, [RELEASES])).toHaveLength(1);
    await kube.close();
    await kubectl(world, cluster, 'delete', 'crd', RELEASES);
  });

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
    await eventually(async () => expect(await kubectl(world, cluster, ...get, 'configmap/witness')).toBe(''));
    const kept = await kubectlJson<KubeObject>(world, cluster, '-n', 'default', 'hr/kept');
    expect(kept.metadata).toMatchObject({ finalizers: ['finalizers.fluxcd.io'] });
    expect(kept.metadata.deletionTimestamp).toBeUndefined();
    expect(kept.metadata.ownerReferences ?? []).toEqual([]);
  });

  afterAll(async () => {
    const free = ['--type=merge', '-p', '{"metadata":{"finalizers":null}}'];
    await kubectl(world, cluster, 'patch', '-n', 'default', 'hr/kept', ...free).catch(() => undefined);
    await kubectl(world, cluster, 'delete', 'crd', RELEASES, '--ignore-not-found');
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
