import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { helmReleaseResource } from '../../../api/flux/helm-release.js';
import { kustomizationResource } from '../../../api/flux/kustomization.js';
import type { Application } from '../../../api/v1alpha1/application.js';
import type { Child } from '../../../controllers/application/model/types.js';
import { deploy, files, filesApplication } from '../../unit/application/model/builders.js';
import { eventually } from '../../support/world.js';
import { Stage } from './stage.js';

describe('an Application of files on a real API server', () => {
  let stage: Stage;

  const wanted = (name: string, entries: Parameters<typeof filesApplication>[0]): Application => ({
    ...filesApplication(entries),
    metadata: { name, namespace: stage.namespace },
  });
  const kinds = (children: readonly Child[]): string[] => children.map(({ kind }) => kind).sort();

  beforeAll(async () => {
    stage = await Stage.start({ runsKustomizations: false });
  }, 180_000);

  afterAll(() => stage.stop(), 60_000);

  it('has a Kustomization per entry, with every field, and tells what each says', async () => {
    const postBuild = { substitute: { color: 'blue' } };
    const decryption = { provider: 'sops' as const, secretRef: { name: 'keys' } };
    const patches = [{ patch: '[]', target: { kind: 'Deployment' } }];
    await stage.apply(
      wanted('site', [files(undefined, 'eu', { path: './eu', patches, postBuild, decryption }), files('b')]),
    );
    const [host, member] = await stage.eventuallyHas('site', 2);
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
        sourceRef: { kind: 'GitRepository', name: 'fleet', namespace: stage.namespace },
      },
    });
    expect(member?.spec.targetNamespace).toBeUndefined();
    await stage.becomes('site', 'Unknown', 'DestinationsNotReady');
    const [row] = (await stage.read('site')).status?.destinations ?? [];
    expect(row?.state).toBe('Pending');
    expect(row?.message).toContain('nothing acts on Kustomizations here');
    for (const child of [host!, member!]) await stage.report(child, 'True', 'ReconciliationSucceeded');
    await stage.becomes('site', 'True', 'AllReady');
    await eventually(async () => {
      const { metadata, status } = await stage.read('site');
      expect(metadata.labels).toMatchObject({ 'gitops.kubesphere.io/type': 'Kustomization' });
      expect(Object.keys(status?.fluxApp?.kustomizationStatus ?? {}).sort()).toEqual(['b', 'eu-']);
    });
  });

  it('leaves no child of the old kind behind when it changes from a chart to files, and back', async () => {
    await stage.put('switching', [deploy('switching', 'eu')]);
    const [release] = await stage.eventuallyHas('switching', 1);
    await stage.finalizers(release!, 'finalizers.fluxcd.io');
    await stage.apply(wanted('switching', [files('switching', 'eu')]));
    await eventually(async () => {
      const row = (await stage.read('switching')).status?.destinations?.find(({ state }) => state === 'Pending');
      expect(row?.message).toContain(`waits until HelmRelease ${stage.namespace}/${release?.metadata.name} is gone`);
    });
    expect(kinds(await stage.childrenOf('switching'))).toEqual(['HelmRelease']);
    await stage.finalizers(release!);
    await eventually(async () => expect(kinds(await stage.childrenOf('switching'))).toEqual(['Kustomization']));
    await stage.put('switching', [deploy('switching', 'eu')]);
    await eventually(async () => expect(kinds(await stage.childrenOf('switching'))).toEqual(['HelmRelease']));
  });

  it('waits for its Kustomizations when it is deleted', async () => {
    await stage.apply(wanted('leaving', [files('leaving', 'eu')]));
    const [child] = await stage.eventuallyHas('leaving', 1);
    await stage.finalizers(child!, 'finalizers.fluxcd.io');
    await stage.remove('leaving');
    await stage.becomes('leaving', 'False', 'Deleting');
    await stage.finalizers(child!);
    await stage.eventuallyGone('leaving');
    expect(await stage.childrenOf('leaving')).toEqual([]);
  });

  it('is not troubled by Kustomizations and HelmReleases that carry its name in a label', async () => {
    const labels = { 'app.kubernetes.io/managed-by': 'labelled' };
    const metadata = { name: 'stranger', namespace: stage.namespace, labels };
    const source = { kind: 'GitRepository', name: 'fleet' };
    await stage.kube.create<Child>(kustomizationResource, {
      apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
      kind: 'Kustomization',
      metadata,
      spec: { interval: '1m', prune: true, sourceRef: source, targetNamespace: 'labelled' },
    });
    await stage.kube.create<Child>(helmReleaseResource, {
      apiVersion: 'helm.toolkit.fluxcd.io/v2',
      kind: 'HelmRelease',
      metadata,
      spec: { interval: '1m', chart: { spec: { chart: 'a', sourceRef: source } } },
    });
    await stage.apply(wanted('labelled', [files('labelled')]));
    const children = await stage.eventuallyHas('labelled', 3);
    const own = children.find(({ metadata: { name } }) => name !== 'stranger');
    await stage.report(own!, 'True', 'ReconciliationSucceeded');
    await stage.becomes('labelled', 'True', 'AllReady');
    expect((await stage.read('labelled')).status?.summary?.desired).toBe(1);
  });
});
