import { describe, expect, it } from '@jest/globals';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import { kustomizationResource } from '#api/flux/kustomization.js';
import type { Application } from '#api/v1alpha1/application.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { deploy, files, filesApplication } from '../../unit/application/model/builders.js';
import { eventually } from '../../support/world.js';
import { useHarness } from './harness.js';

describe('an Application of files on a real API server', () => {
  const harness = useHarness();

  const wanted = (name: string, entries: Parameters<typeof filesApplication>[0]): Application => ({
    ...filesApplication(entries),
    metadata: { name, namespace: harness.namespace },
  });
  const kinds = (children: readonly Child[]): string[] => children.map(({ kind }) => kind).sort();

  it('has a Kustomization per entry, with every field, and reports their states', async () => {
    const postBuild = { substitute: { color: 'blue' } };
    const decryption = { provider: 'sops' as const, secretRef: { name: 'keys' } };
    const patches = [{ patch: '[]', target: { kind: 'Deployment' } }];
    await harness.apply(
      wanted('site', [files(undefined, 'eu', { path: './eu', patches, postBuild, decryption }), files('b')]),
    );
    const [host, member] = await harness.eventuallyHas('site', 2);
    expect(member).toMatchObject({
      kind: 'Kustomization',
      metadata: { ownerReferences: [{ controller: true, name: 'site' }] },
      spec: {
        interval: '10m',
        prune: true,
        path: './eu',
        patches,
        postBuild,
        decryption,
        kubeConfig: { secretRef: { name: 'eu' } },
        sourceRef: { kind: 'GitRepository', name: 'fleet', namespace: harness.namespace },
      },
    });
    expect(member?.spec.targetNamespace).toBeUndefined();
    await harness.becomes('site', 'Unknown', 'DestinationsNotReady');
    const [row] = (await harness.read('site')).status?.destinations ?? [];
    expect(row?.state).toBe('Pending');
    for (const child of [host!, member!]) await harness.report(child, 'True', 'ReconciliationSucceeded');
    await harness.becomes('site', 'True', 'AllReady');
    await eventually(async () => {
      const { metadata, status } = await harness.read('site');
      expect(metadata.labels).toMatchObject({ 'gitops.kubesphere.io/type': 'Kustomization' });
      expect(Object.keys(status?.fluxApp?.kustomizationStatus ?? {}).sort()).toEqual(['b', 'eu-']);
    });
  });

  it('leaves no child of the old kind behind when it changes from a chart to files, and back', async () => {
    await harness.put('switching', [deploy('switching', 'eu')]);
    const [release] = await harness.eventuallyHas('switching', 1);
    await harness.finalizers(release!, 'finalizers.fluxcd.io');
    await harness.apply(wanted('switching', [files('switching', 'eu')]));
    await eventually(async () => {
      const row = (await harness.read('switching')).status?.destinations?.find(({ state }) => state === 'Pending');
      expect(row?.message).toContain(
        `waiting until HelmRelease ${harness.namespace}/${release?.metadata.name} is deleted`,
      );
    });
    expect(kinds(await harness.childrenOf('switching'))).toEqual(['HelmRelease']);
    await harness.finalizers(release!);
    await eventually(async () => expect(kinds(await harness.childrenOf('switching'))).toEqual(['Kustomization']));
    await harness.put('switching', [deploy('switching', 'eu')]);
    await eventually(async () => expect(kinds(await harness.childrenOf('switching'))).toEqual(['HelmRelease']));
  });

  it('waits for its Kustomizations when it is deleted', async () => {
    await harness.apply(wanted('leaving', [files('leaving', 'eu')]));
    const [child] = await harness.eventuallyHas('leaving', 1);
    // It is held from its first status on.
    await harness.becomes('leaving', 'Unknown', 'DestinationsNotReady');
    await harness.finalizers(child!, 'finalizers.fluxcd.io');
    await harness.remove('leaving');
    await harness.becomes('leaving', 'False', 'Deleting');
    await harness.finalizers(child!);
    await harness.eventuallyGone('leaving');
    expect(await harness.childrenOf('leaving')).toEqual([]);
  });

  it('is not troubled by Kustomizations and HelmReleases that carry its name in a label', async () => {
    const labels = { 'app.kubernetes.io/managed-by': 'labelled' };
    const metadata = { name: 'stranger', namespace: harness.namespace, labels };
    const source = { kind: 'GitRepository', name: 'fleet' };
    await harness.kube.create<Child>(kustomizationResource, {
      apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
      kind: 'Kustomization',
      metadata,
      spec: { interval: '1m', prune: true, path: './other', sourceRef: source, targetNamespace: 'labelled' },
    });
    await harness.kube.create<Child>(helmReleaseResource, {
      apiVersion: 'helm.toolkit.fluxcd.io/v2',
      kind: 'HelmRelease',
      metadata,
      spec: { interval: '1m', chart: { spec: { chart: 'a', sourceRef: source } } },
    });
    await harness.apply(wanted('labelled', [files('labelled')]));
    const children = await harness.eventuallyHas('labelled', 3);
    const own = children.find(({ metadata: { name } }) => name !== 'stranger');
    await harness.report(own!, 'True', 'ReconciliationSucceeded');
    await harness.becomes('labelled', 'True', 'AllReady');
    expect((await harness.read('labelled')).status?.summary?.desired).toBe(1);
  });
});
