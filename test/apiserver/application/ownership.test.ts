import { describe, expect, it } from '@jest/globals';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import { precedes } from '#controllers/application/model/child/metadata.js';
import { getCondition } from '#lib/kube/conditions.js';
import { eventually } from '../../support/world.js';
import { deploy, SOURCE } from '../../unit/application/model/builders.js';
import { useHarness } from './harness.js';

const FLUX = 'finalizers.fluxcd.io';
/** The garbage collector looks for new kinds every 30 s, and only then ends an orphaning deletion. */
const COLLECTION = { timeoutMs: 180_000 };

/** The Application with its source in a namespace that it may not read. */
function fromElsewhere(app: Application): Application {
  const source = { sourceRef: { ...SOURCE.sourceRef, namespace: 'kube-system' } };
  const { config } = app.spec.fluxApp!.spec;
  return { ...app, spec: { ...app.spec, fluxApp: { spec: { source, config } } } };
}

describe('who owns what, on a real API server', () => {
  const harness = useHarness({ allowCrossNamespace: false });

  const remove = (name: string, options = {}): Promise<boolean> =>
    harness.kube.delete(applicationResource, { name, namespace: harness.namespace }, options);
  const annotate = (name: string, annotations: Record<string, string>): Promise<Application> => {
    const patch = { type: 'merge', body: { metadata: { annotations } } } as const;
    return harness.kube.patch(applicationResource, { name, namespace: harness.namespace }, patch);
  };

  it('lets go of the child of an abandoned member, and of no other', async () => {
    await harness.put('given-up', [deploy('given-up', 'eu'), deploy('given-up', 'us')]);
    for (const child of await harness.eventuallyHas('given-up', 2)) await harness.finalizers(child, FLUX);
    // It is held from its first status on.
    await harness.becomes('given-up', 'Unknown', 'DestinationsNotReady');
    await remove('given-up');
    await eventually(async () => {
      const children = await harness.childrenOf('given-up');
      expect(children.map(({ metadata }) => metadata.deletionTimestamp)).not.toContain(undefined);
    });
    await annotate('given-up', { 'gitops.kubesphere.io/abandon': 'eu' });
    const [left] = await harness.eventuallyHas('given-up', 1);
    expect(left?.spec.kubeConfig?.secretRef?.name).toBe('us');
    expect(left?.metadata.finalizers).toEqual([FLUX]);
    await harness.finalizers(left!);
    await harness.eventuallyGone('given-up');
  });

  it('keeps children on kubectl delete --cascade=orphan, and takes them over again', async () => {
    await harness.put('cascade', [deploy('cascade', 'eu')]);
    const [child] = await harness.eventuallyHas('cascade', 1);
    await remove('cascade', { propagationPolicy: 'Orphan' });
    await harness.eventuallyGone('cascade', COLLECTION);
    const [orphan] = await harness.childrenOf('cascade');
    expect(orphan?.metadata).toMatchObject({ uid: child?.metadata.uid });
    expect(orphan?.metadata.deletionTimestamp).toBeUndefined();
    expect(orphan?.metadata.ownerReferences ?? []).toEqual([]);
    const { metadata } = await harness.put('cascade', [deploy('cascade', 'eu')]);
    await eventually(async () => {
      const children = await harness.childrenOf('cascade');
      expect(children.map((each) => each.metadata.uid)).toEqual([child?.metadata.uid]);
      expect(children[0]?.metadata.ownerReferences).toMatchObject([{ uid: metadata.uid, controller: true }]);
    });
  });

  it('adopts the children of ks-devops as they are, and never doubles them', async () => {
    const target = { targetNamespace: 'legacy', kubeConfig: { secretRef: { name: 'eu' } } };
    const shown = harness.wanted('legacy', [deploy('legacy', 'eu')]);
    // Without entries nothing is made: the Application is there before its children, as it was for ks-devops.
    const app = await harness.put('legacy', []);
    await harness.becomes('legacy', 'False', 'DeployEmpty');
    const child = await harness.legacyChild(app, 'eu-legacy', target);
    await harness.hasHeardOf('legacy', 1);
    await harness.apply(shown);
    await eventually(async () => {
      const children = await harness.childrenOf('legacy');
      expect(children.map(({ metadata }) => metadata.name)).toEqual([child.metadata.name]);
      expect(children[0]).toMatchObject({
        metadata: { ownerReferences: [{ uid: app.metadata.uid, controller: true }] },
        spec: { releaseName: `legacy-${child.metadata.name}`, storageNamespace: harness.namespace, interval: '10m' },
      });
    });
    await harness.apply({ ...shown, metadata: { ...shown.metadata, labels: { touched: 'yes' } } });
    await harness.put('legacy', [deploy('legacy', 'eu', { timeout: '1m' })]);
    await eventually(async () => expect((await harness.childrenOf('legacy'))[0]?.spec['timeout']).toBe('1m'));
    expect(await harness.childrenOf('legacy')).toHaveLength(1);
  });

  it('deletes the children of ks-devops that it never took over, before it goes', async () => {
    const held = harness.wanted('handed', []);
    const finalizers = ['application.gitops.kubesphere.io'];
    const app = await harness.apply({ ...held, metadata: { ...held.metadata, finalizers } });
    await harness.becomes('handed', 'False', 'DeployEmpty');
    const child = await harness.legacyChild(app, 'eu-handed', { targetNamespace: 'handed' });
    await harness.finalizers(child, FLUX);
    await harness.hasHeardOf('handed', 1);
    await remove('handed');
    await eventually(async () => {
      const [leaving] = await harness.childrenOf('handed');
      expect(leaving?.metadata.deletionTimestamp).toBeDefined();
    });
    expect(await harness.find('handed')).toBeDefined();
    await harness.finalizers(child);
    await harness.eventuallyGone('handed');
    expect(await harness.childrenOf('handed')).toEqual([]);
  });

  it('gives a release to one Application: the holder keeps it, the next one gets it afterwards', async () => {
    const shared = deploy('shared', 'eu', { releaseName: 'shared' });
    await harness.put('first', [shared]);
    const [held] = await harness.eventuallyHas('first', 1);
    await harness.put('second', [shared, deploy('alone', 'eu')]);
    await harness.becomes('second', 'False', 'ReleaseConflict');
    const message = getCondition((await harness.read('second')).status?.conditions, 'Ready')?.message;
    expect(message).toContain(
      `release shared/shared belongs to HelmRelease ${harness.namespace}/${held?.metadata.name}`,
    );
    expect((await harness.eventuallyHas('second', 1))[0]?.spec.targetNamespace).toBe('alone');
    expect((await harness.childrenOf('first'))[0]?.metadata.uid).toBe(held?.metadata.uid);
    await remove('first');
    await harness.eventuallyGone('first');
    await harness.eventuallyHas('second', 2);
    await harness.becomes('second', 'Unknown', 'DestinationsNotReady');
  });

  it('gives a release to a younger Application while the older one is wrong, and leaves it there', async () => {
    const shared = deploy('contested', 'eu', { releaseName: 'contested' });
    await harness.apply(fromElsewhere(harness.wanted('contested-1', [shared])));
    await harness.apply(fromElsewhere(harness.wanted('contested-2', [shared])));
    const names = ['contested-1', 'contested-2'];
    for (const name of names) await harness.becomes(name, 'False', 'AccessDenied');
    const both = await Promise.all(names.map((name) => harness.read(name)));
    const [older, younger] = both.sort((a, b) => (precedes(a, b) ? -1 : 1)).map(({ metadata }) => metadata.name);
    await harness.put(younger!, [shared]);
    const [held] = await harness.eventuallyHas(younger!, 1);
    await harness.put(older!, [shared]);
    await harness.becomes(older!, 'False', 'ReleaseConflict');
    expect(await harness.childrenOf(older!)).toEqual([]);
    expect((await harness.childrenOf(younger!)).map(({ metadata }) => metadata.uid)).toEqual([held?.metadata.uid]);
    await remove(younger!);
    await harness.eventuallyHas(older!, 1);
  });

  it('refuses a source of another namespace, and leaves what runs', async () => {
    const entry = [deploy('crossing', 'eu')];
    await harness.put('crossing', entry);
    const [child] = await harness.eventuallyHas('crossing', 1);
    const base = harness.wanted('crossing', [deploy('crossing', 'eu', { timeout: '1m' })]);
    await harness.apply(fromElsewhere(base));
    await harness.becomes('crossing', 'False', 'AccessDenied');
    const conditions = (await harness.read('crossing')).status?.conditions;
    expect(getCondition(conditions, 'Stalled')?.message).toContain('HelmRepository kube-system/charts');
    expect(getCondition(conditions, 'Stalled')?.message).toContain('--no-cross-namespace-refs');
    expect((await harness.childrenOf('crossing'))[0]?.metadata.generation).toBe(child?.metadata.generation);
    await harness.put('crossing', entry);
    await harness.becomes('crossing', 'Unknown', 'DestinationsNotReady');
  });
});
