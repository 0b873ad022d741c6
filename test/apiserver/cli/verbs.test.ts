import { beforeAll, describe, expect, it } from '@jest/globals';
import { PACKAGE_ROOT } from '../../../sandbox/package-root.js';
import { applyManifest, output } from '../../../sandbox/stage/shell.js';
import type { Cluster, World } from '../../../sandbox/world.js';
import { useWorld } from '../../support/world.js';

/** The built `fairlead` against a cluster on which nothing else of these tests relies: the second member. */
describe('fairlead on a cluster of its own', () => {
  let world: World;
  let cluster: Cluster;
  const fairlead = (...args: string[]): Promise<string> =>
    output(process.execPath, [`${PACKAGE_ROOT}/dist/cli/main.js`, ...args, '--kubeconfig', cluster.kubeconfig]);

  beforeAll(async () => {
    world = await useWorld();
    [, cluster] = world.members as [Cluster, Cluster];
  }, 120_000);

  it('says that it is not installed, and what to do', async () => {
    await expect(fairlead('status')).rejects.toThrow(/not installed in https:.*run `fairlead install` first/);
  });

  it('purges Applications and their children, whoever touches them meanwhile', async () => {
    await fairlead('install', '--crds-only');
    const metadata = { name: 'held', namespace: 'default', finalizers: ['application.gitops.kubesphere.io'] };
    await applyManifest(world, cluster, {
      apiVersion: 'gitops.kubesphere.io/v1alpha1',
      kind: 'Application',
      metadata,
      spec: { kind: 'fluxcd', fluxApp: { spec: { config: {} } } },
    });
    const uid = await output(world.tools.kubectl, [...uidOf(cluster), 'gapp/held']);
    for (const name of ['a', 'b', 'c']) {
      await applyManifest(world, cluster, {
        apiVersion: 'helm.toolkit.fluxcd.io/v2',
        kind: 'HelmRelease',
        metadata: {
          ...{ name, namespace: 'default', finalizers: ['finalizers.fluxcd.io'] },
          ownerReferences: [{ apiVersion: 'gitops.kubesphere.io/v1alpha1', kind: 'Application', name: 'held', uid }],
        },
        spec: {
          interval: '1m',
          chart: { spec: { chart: 'x', sourceRef: { kind: 'HelmRepository', name: 'x' } } },
        },
      });
    }
    const said = await fairlead('uninstall', '--purge');
    expect(said).toContain('CRD applications.gitops.kubesphere.io removed');
    expect(said).toContain('CRD helmreleases.helm.toolkit.fluxcd.io removed');
    await expect(fairlead('status')).rejects.toThrow('not installed');
  }, 120_000);
});

function uidOf({ kubeconfig }: Cluster): string[] {
  return ['--kubeconfig', kubeconfig, '-n', 'default', 'get', '-o', 'jsonpath={.metadata.uid}'];
}
