import { afterAll, describe, expect, it } from '@jest/globals';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { getCondition } from '#lib/kube/conditions.js';
import { eventually } from '../../support/world.js';
import { deploy, SOURCE, type Deploy } from '../../unit/application/model/builders.js';
import { approveRemovals } from './approve-removals.js';
import { useHarness, type Harness } from './harness.js';

/** The garbage collector looks for new kinds every 30 s. */
const COLLECTION_MS = 180_000;
const FLUX = 'finalizers.fluxcd.io';
const HELD = 'application.gitops.kubesphere.io';

describe('what is let go, on a real API server', () => {
  const harness = useHarness();

  it('leaves the finalizer of ks-devops on an Application of Argo CD', async () => {
    const { apiVersion, kind, metadata } = harness.wanted('argo', []);
    const spec = { kind: 'argocd', argoApp: {} } as const;
    await harness.apply({ apiVersion, kind, metadata: { ...metadata, finalizers: [HELD] }, spec });
    await harness.becomes('argo', 'False', 'EngineNotAvailable');
    const since = await harness.position('argo');
    await harness.remove('argo');
    // A sign that the controller has come by.
    await harness.put('passing', [deploy('passing', 'eu')]);
    await harness.becomes('passing', 'Unknown', 'DestinationsNotReady');
    expect((await harness.read('argo')).metadata.finalizers).toEqual([HELD]);
    expect(await harness.writes(since, 'argo')).toEqual(['delete applications']);
  });

  it('uninstalls nothing for a Secret whose name is misspelt, and continues when that is corrected', async () => {
    await harness.put('typo', [deploy('typo', 'eu')]);
    const [before] = await harness.eventuallyHas('typo', 1);
    await harness.put('typo', [deploy('typo', 'eu-prd')]);
    await eventually(async () => {
      const { status } = await harness.read('typo');
      const messages = status?.destinations?.map(({ message }) => message).join();
      expect(messages).toMatch(/Secret \S+\/eu-prd does not exist: create it .*; waiting: it may refer to/);
      expect(messages).toContain('refers to a Secret that does not exist and may refer to it');
    });
    await harness.put('typo', [deploy('typo', 'eu')]);
    await harness.becomes('typo', 'Unknown', 'DestinationsNotReady');
    const after = await harness.childrenOf('typo');
    expect(after.map(({ metadata }) => metadata.uid)).toEqual([before?.metadata.uid]);
  });

  it('reconciles a waiting Application when the release that it wants is moved away', async () => {
    const wanted = (releaseName: string) => [deploy('moved', 'eu', { name: 'main', releaseName })];
    await harness.put('mover', wanted('one'));
    await harness.eventuallyHas('mover', 1);
    await harness.put('waiter', wanted('one'));
    await harness.becomes('waiter', 'False', 'ReleaseConflict');
    await harness.put('mover', wanted('two'));
    await approveRemovals(harness, 'mover');
    await eventually(async () => expect((await harness.childrenOf('waiter'))[0]?.spec.releaseName).toBe('one'));
    expect((await harness.childrenOf('mover'))[0]?.spec.releaseName).toBe('two');
    await harness.becomes('waiter', 'Unknown', 'DestinationsNotReady');
  });

  it('reconciles a waiting Application when a stranger takes another release', async () => {
    const metadata = { name: 'stranger', namespace: harness.namespace };
    const chart = { spec: { chart: 'podinfo', ...SOURCE } };
    const spec = {
      interval: '1m',
      chart,
      releaseName: 'taken',
      storageNamespace: 'strange',
      targetNamespace: 'strange',
    };
    const child = { apiVersion: 'helm.toolkit.fluxcd.io/v2', kind: 'HelmRelease', metadata, spec };
    await harness.kube.create(helmReleaseResource, child);
    await harness.put('patient', [deploy('strange', undefined, { releaseName: 'taken' })]);
    await harness.becomes('patient', 'False', 'ReleaseConflict');
    const message = getCondition((await harness.read('patient')).status?.conditions, 'Ready')?.message;
    expect(message).toContain('set another releaseName');
    const body = { spec: { releaseName: 'other' } };
    await harness.kube.patch(helmReleaseResource, metadata, { type: 'merge', body });
    await harness.eventuallyHas('patient', 1);
  });
});

describe('a cluster that is gone for good, on a real API server', () => {
  const harness = useHarness();
  const ABANDON = 'gitops.kubesphere.io/abandon';

  it('is given up for an entry that was removed, and the entry may come back', async () => {
    const [gone, other] = [deploy('gone', 'eu'), deploy('gone', 'us')];
    await harness.put('partly', [gone, other]);
    for (const child of await harness.eventuallyHas('partly', 2)) await harness.finalizers(child, FLUX);
    await harness.put('partly', [other]);
    await eventually(async () => {
      const leaving = (await harness.childrenOf('partly')).filter(({ metadata }) => metadata.deletionTimestamp);
      expect(leaving.map(({ spec }) => spec.kubeConfig?.secretRef?.name)).toEqual(['eu']);
    });
    await harness.annotate('partly', { [ABANDON]: 'eu' });
    const [left] = await harness.eventuallyHas('partly', 1);
    expect(left).toMatchObject({
      metadata: { finalizers: [FLUX] },
      spec: { kubeConfig: { secretRef: { name: 'us' } } },
    });
    await eventually(async () => {
      expect(await harness.eventsOf('partly')).toContainEqual(expect.stringMatching(/^Abandoned: .* was abandoned/));
    });
    await harness.annotate('partly', { [ABANDON]: null });
    await harness.put('partly', [gone, other]);
    await harness.eventuallyHas('partly', 2);
  });

  it('is named in the condition when no destination is on it', async () => {
    await harness.put('misspelt', [deploy('misspelt', 'eu')]);
    const [child] = await harness.eventuallyHas('misspelt', 1);
    await harness.finalizers(child!, FLUX);
    await harness.annotate('misspelt', { [ABANDON]: 'ue' });
    const isTold = (): Promise<void> =>
      eventually(async () => {
        const ready = getCondition((await harness.read('misspelt')).status?.conditions, 'Ready');
        expect(ready?.message).toContain('no destination is on "ue" (they are on eu)');
      });
    await isTold();
    await harness.remove('misspelt');
    await eventually(async () => {
      const ready = getCondition((await harness.read('misspelt')).status?.conditions, 'Ready');
      expect(ready?.reason).toBe('Deleting');
    });
    await isTold();
    await harness.annotate('misspelt', { [ABANDON]: 'eu' });
    await harness.eventuallyGone('misspelt');
  });
});

describe('releases that shall outlive their Application, on a real API server', () => {
  let resume = (): Promise<void> => harness.pause();
  afterAll(() => resume(), 60_000);
  const harness = useHarness();

  const orphan = (name: string, entries: Deploy[]): Promise<Application> => {
    const wanted = harness.wanted(name, entries);
    return harness.apply({ ...wanted, spec: { ...wanted.spec, deletionPolicy: 'Orphan' } });
  };
  const running = async (name: string): Promise<string[]> =>
    (await harness.childrenOf(name)).flatMap(({ metadata }) =>
      metadata.deletionTimestamp === undefined ? [metadata.uid ?? ''] : [],
    );

  it('gives children their owner and takes it away as the policy says, and writes nothing twice', async () => {
    const entries = [deploy('turning', 'eu'), deploy('turning', 'us')];
    const { metadata } = await harness.put('turning', entries);
    await harness.eventuallyHas('turning', 2);
    await harness.becomes('turning', 'Unknown', 'DestinationsNotReady');
    await orphan('turning', entries);
    await eventually(async () => {
      for (const child of await harness.childrenOf('turning')) {
        expect(child.metadata.ownerReferences ?? []).toEqual([]);
        expect(child.metadata.annotations).toMatchObject({ 'gitops.kubesphere.io/held-by': 'turning' });
      }
    });
    await harness.becomes('turning', 'Unknown', 'DestinationsNotReady');
    const since = await harness.position('turning');
    await harness.passAfter('turning', () => harness.annotate('turning', { touched: 'yes' }));
    expect(await harness.writes(since, 'turning-')).toEqual([]);
    const wanted = harness.wanted('turning', entries);
    await harness.apply({ ...wanted, spec: { ...wanted.spec, deletionPolicy: 'Delete' } });
    await eventually(async () => {
      for (const child of await harness.childrenOf('turning')) {
        expect(child.metadata.ownerReferences).toMatchObject([{ uid: metadata.uid, controller: true }]);
        expect(child.metadata.annotations).not.toHaveProperty(['gitops.kubesphere.io/held-by']);
      }
    });
  });

  it('takes the owner off children that nothing else is written to, and gives it back', async () => {
    const entries = [deploy('idle', 'eu'), deploy('idle', 'us')];
    await harness.put('idle', entries);
    await harness.eventuallyHas('idle', 2);
    const ownersOf = async (): Promise<number[]> =>
      (await harness.childrenOf('idle')).map(({ metadata }) => (metadata.ownerReferences ?? []).length);
    await orphan('idle', []);
    await harness.becomes('idle', 'False', 'DeployEmpty');
    await eventually(async () => expect(await ownersOf()).toEqual([0, 0]));
    await harness.put('idle', entries);
    await eventually(async () => expect(await ownersOf()).toEqual([1, 1]));
    await orphan('idle', [...entries, deploy('idle', 'us')]);
    await eventually(async () => expect(await ownersOf()).toEqual([0, 0]));
    await harness.put('idle', entries);
    await eventually(async () => {
      expect(await ownersOf()).toEqual([1, 1]);
      for (const { metadata } of await harness.childrenOf('idle')) {
        expect(metadata.annotations).not.toHaveProperty(['gitops.kubesphere.io/held-by']);
      }
    });
    await harness.remove('idle');
  });

  it('keeps all of them in a foreground deletion that the controller is late for, and gives them to the next', async () => {
    const entries = ['a', 'b', 'c'].map((namespace) => deploy(`kept-${namespace}`, 'eu'));
    await orphan('kept', entries);
    const before = (await harness.eventuallyHas('kept', 3)).map(({ metadata }) => metadata.uid);
    await harness.becomes('kept', 'Unknown', 'DestinationsNotReady');
    await resume();
    await harness.remove('kept', { propagationPolicy: 'Foreground' });
    // The garbage collector takes its own finalizer off when it has seen to what the Application owns.
    await eventually(async () => expect((await harness.read('kept')).metadata.finalizers).toEqual([HELD]), {
      timeoutMs: COLLECTION_MS,
    });
    expect(await running('kept')).toEqual(before);
    resume = harness.startControllers().stop;
    await harness.eventuallyGone('kept');
    expect(await running('kept')).toEqual(before);
    const { metadata } = await harness.put('kept', entries);
    await eventually(async () => {
      for (const child of await harness.childrenOf('kept')) {
        expect(child.metadata.ownerReferences).toMatchObject([{ uid: metadata.uid, controller: true }]);
      }
    });
    expect(await running('kept')).toEqual(before);
  });

  it('keeps them when the finalizer is removed by others, and lets no other Application adopt them', async () => {
    const entries = [deploy('forced', 'eu', { releaseName: 'forced' })];
    await orphan('forced', entries);
    const [child] = await harness.eventuallyHas('forced', 1);
    await harness.becomes('forced', 'Unknown', 'DestinationsNotReady');
    await harness.put('rival', entries);
    await harness.becomes('rival', 'False', 'ReleaseConflict');
    await harness.remove('rival');
    await resume();
    await harness.remove('forced');
    const body = { metadata: { finalizers: null } };
    const ref = { name: 'forced', namespace: harness.namespace };
    await harness.kube.patch(applicationResource, ref, { type: 'merge', body });
    resume = harness.startControllers().stop;
    await harness.eventuallyGone('forced');
    await harness.put('forced', entries);
    await harness.becomes('forced', 'Unknown', 'DestinationsNotReady');
    expect(await running('forced')).toEqual([child?.metadata.uid]);
  });
});

describe('a child that another writer made, on a real API server', () => {
  const harness = useHarness();

  it('has nothing that its entry does not say, once it was taken over', async () => {
    const entry = deploy('restored', 'eu', { suspend: true, values: { kept: 1 } });
    const [made] = await orphaned(harness, 'restored', entry);
    const { apiVersion, kind, metadata, spec } = made!;
    const { name, namespace, labels, annotations } = metadata;
    await harness.kube.delete(helmReleaseResource, metadata);
    const more = { timeout: '7m', values: { kept: 1, dropped: 2 } };
    const backup = { name, namespace, labels: { ...labels, backup: 'nightly' }, annotations, finalizers: ['a.b/held'] };
    const restored = { apiVersion, kind, metadata: backup, spec: { ...spec, ...more } } as Child;
    await harness.kube.create(helmReleaseResource, restored, { fieldManager: 'velero' });
    const child = async (): Promise<Child> => (await harness.childrenOf('restored'))[0]!;
    await harness.put('restored', [entry]);
    await eventually(async () => {
      expect((await child()).metadata.ownerReferences).toHaveLength(1);
      expect((await child()).spec).not.toHaveProperty('timeout');
    });
    expect(await child()).toMatchObject({
      metadata: { labels: { backup: 'nightly' }, finalizers: ['a.b/held'] },
      spec: { suspend: true, values: { kept: 1 } },
    });
    expect((await child()).spec['values']).toEqual({ kept: 1 });
    await harness.put('restored', [deploy('restored', 'eu', { values: { kept: 1 } })]);
    await eventually(async () => expect((await child()).spec).not.toHaveProperty('suspend'));
  });
});

/** The children that an Application left behind. */
async function orphaned(harness: Harness, name: string, entry: Deploy): Promise<Child[]> {
  const wanted = harness.wanted(name, [entry]);
  await harness.apply({ ...wanted, spec: { ...wanted.spec, deletionPolicy: 'Orphan' } });
  await harness.eventuallyHas(name, 1);
  await harness.remove(name);
  await harness.eventuallyGone(name);
  return harness.childrenOf(name);
}
