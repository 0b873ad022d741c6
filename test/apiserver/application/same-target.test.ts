import { describe, expect, it } from '@jest/globals';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import { kustomizationResource } from '#api/flux/kustomization.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { getCondition } from '#lib/kube/conditions.js';
import { eventually } from '../../support/world.js';
import { deploy, files, filesApplication } from '../../unit/application/model/builders.js';
import { useHarness } from './harness.js';

const FLUX = 'finalizers.fluxcd.io';

describe('what a plain object of Flux applies already', () => {
  const harness = useHarness();

  /** A HelmRelease as a user of Flux writes it: the release record is in the same namespace. */
  function plainRelease(name: string): Promise<Child> {
    const sourceRef = { kind: 'HelmRepository', name: 'charts' };
    const spec = {
      interval: '1m',
      releaseName: name,
      targetNamespace: name,
      chart: { spec: { chart: 'a', sourceRef } },
    };
    const metadata = { name: `plain-${name}`, namespace: harness.namespace, finalizers: [FLUX] };
    const object = { apiVersion: 'helm.toolkit.fluxcd.io/v2', kind: 'HelmRelease', metadata, spec };
    return harness.kube.create<Child>(helmReleaseResource, object);
  }
  const messageOf = async (name: string, type = 'Ready'): Promise<string> =>
    getCondition((await harness.read(name)).status?.conditions, type)?.message ?? '';
  const suspend = ({ metadata }: Child): Promise<unknown> =>
    harness.kube.patch(helmReleaseResource, metadata, { type: 'merge', body: { spec: { suspend: true } } });

  it('is refused to an Application, until the other one is suspended and deleted as the message says', async () => {
    const plain = await plainRelease('web');
    await harness.put('web', [deploy('web')]);
    await harness.becomes('web', 'False', 'ReleaseConflict');
    const name = `HelmRelease ${harness.namespace}/plain-web`;
    expect(await messageOf('web', 'Stalled')).toContain(
      `${name} already applies release web in namespace web, and its deletion uninstalls that: set another releaseName or targetNamespace; or, to take it over, set storageNamespace: ${harness.namespace} here, then set spec.suspend: true on ${name} and delete it, which uninstalls nothing`,
    );
    await harness.put('web', [deploy('web', undefined, { storageNamespace: harness.namespace })]);
    await eventually(async () => expect(await messageOf('web')).toContain('to take it over, set spec.suspend: true'));
    await suspend(plain);
    await harness.passes.atRest({ name: 'web', namespace: harness.namespace });
    expect(await harness.childrenOf('web')).toEqual([]);
    await harness.kube.delete(helmReleaseResource, plain.metadata);
    await eventually(async () => expect(await messageOf('web')).toContain('waiting until it is deleted'));
    expect(await harness.childrenOf('web')).toEqual([]);
    await harness.finalizers(plain);
    const [child] = await harness.eventuallyHas('web', 1);
    expect(child?.spec).toMatchObject({
      releaseName: 'web',
      targetNamespace: 'web',
      storageNamespace: harness.namespace,
    });
  });

  it('stays with an Application that has it already, which is warned as long as there are two', async () => {
    await harness.put('both', [deploy('both')]);
    const [child] = await harness.eventuallyHas('both', 1);
    await harness.report(child!, 'True', 'InstallSucceeded');
    await harness.becomes('both', 'True', 'AllReady');
    const since = await harness.position('both');
    const plain = await plainRelease('both');
    const warning = `HelmRelease ${harness.namespace}/plain-both applies release both in namespace both as well as HelmRelease ${harness.namespace}/${child?.metadata.name}`;
    await eventually(async () => expect(await messageOf('both')).toContain(warning));
    await harness.becomes('both', 'True', 'AllReady');
    expect((await harness.read('both')).status?.warnings).toEqual([expect.stringContaining(warning)]);
    await harness.kube.delete(helmReleaseResource, plain.metadata);
    await harness.finalizers(plain);
    await eventually(async () => expect(await messageOf('both')).toBe('the destination is ready'));
    const writes = await harness.writes(since, 'both');
    expect(writes.filter((write) => write !== 'update applications status')).toEqual([]);
  });

  it('is refused for files, too', async () => {
    const sourceRef = { kind: 'GitRepository', name: 'fleet' };
    const metadata = { name: 'plain-files', namespace: harness.namespace };
    const spec = { interval: '1m', prune: true, path: './stage/', sourceRef };
    const plain = { apiVersion: 'kustomize.toolkit.fluxcd.io/v1', kind: 'Kustomization', metadata, spec };
    await harness.kube.create<Child>(kustomizationResource, plain);
    const wanted = filesApplication([files(undefined, undefined, { path: 'stage' })]);
    await harness.apply({ ...wanted, metadata: { name: 'files', namespace: harness.namespace } });
    await harness.becomes('files', 'False', 'ReleaseConflict');
    expect(await messageOf('files')).toContain(
      `Kustomization ${harness.namespace}/plain-files already applies the files in stage of the same source`,
    );
    expect(await harness.childrenOf('files')).toEqual([]);
    await harness.kube.delete(kustomizationResource, metadata);
    const [child] = await harness.eventuallyHas('files', 1);
    expect(child).toMatchObject({ kind: 'Kustomization', spec: { path: 'stage' } });
  });

  it('belongs to one of two Applications that come at once, whatever namespaces keep their records', async () => {
    const entries = ['one', 'two'].map((name) => [
      deploy('pair', undefined, { releaseName: 'pair', storageNamespace: name }),
    ]);
    await Promise.all(entries.map((entry, index) => harness.put(`pair-${index}`, entry)));
    const childCount = async (): Promise<number> =>
      (await Promise.all(entries.map((_, index) => harness.childrenOf(`pair-${index}`)))).flat().length;
    await eventually(async () => {
      const messages = await Promise.all(entries.map((_, index) => messageOf(`pair-${index}`)));
      expect(messages.filter((text) => text.includes('already applies release pair in namespace pair'))).toHaveLength(
        1,
      );
      expect(await childCount()).toBe(1);
    });
  });
});
