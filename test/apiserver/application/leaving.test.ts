import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { helmReleaseResource } from '../../../api/flux/helm-release.js';
import { applicationResource, type Application } from '../../../api/v1alpha1/application.js';
import type { Child } from '../../../controllers/application/model/types.js';
import { getCondition } from '../../../controllers/runtime/pure/conditions.js';
import { auditPosition, eventually } from '../../support/world.js';
import { deploy, SOURCE, type Deploy } from '../../unit/application/model/builders.js';
import { Stage } from './stage.js';

/** The garbage collector looks for new kinds every 30 s. */
const COLLECTION_MS = 90_000;
const FLUX = 'finalizers.fluxcd.io';
const HELD = 'application.gitops.kubesphere.io';

describe('what is let go, on a real API server', () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await Stage.start();
  }, 180_000);

  afterAll(() => stage.stop(), 60_000);

  it('leaves the finalizer of ks-devops on an Application of Argo CD', async () => {
    const { apiVersion, kind, metadata } = stage.wanted('argo', []);
    const spec = { kind: 'argocd', argoApp: {} } as const;
    await stage.apply({ apiVersion, kind, metadata: { ...metadata, finalizers: [HELD] }, spec });
    await stage.becomes('argo', 'False', 'EngineNotAvailable');
    const since = await auditPosition(stage.host);
    await stage.remove('argo');
    // A sign that the controller has come by.
    await stage.put('passing', [deploy('passing', 'eu')]);
    await stage.becomes('passing', 'Unknown', 'DestinationsNotReady');
    expect((await stage.read('argo')).metadata.finalizers).toEqual([HELD]);
    expect(await stage.writes(since, 'argo')).toEqual(['delete applications']);
  });

  it('uninstalls nothing for a Secret whose name is misspelt, and goes on when that is corrected', async () => {
    await stage.put('typo', [deploy('typo', 'eu')]);
    const [before] = await stage.eventuallyHas('typo', 1);
    await stage.put('typo', [deploy('typo', 'eu-prd')]);
    await eventually(async () => {
      const { status } = await stage.read('typo');
      const messages = status?.destinations?.map(({ message }) => message).join();
      expect(messages).toMatch(/Secret \S+\/eu-prd does not exist: create it .*; waits, for it may mean/);
      expect(messages).toContain('names a Secret that does not exist and may have meant it');
    });
    await stage.put('typo', [deploy('typo', 'eu')]);
    await stage.becomes('typo', 'Unknown', 'DestinationsNotReady');
    const after = await stage.childrenOf('typo');
    expect(after.map(({ metadata }) => metadata.uid)).toEqual([before?.metadata.uid]);
  });

  it('tells an Application that waits when the release that it wants moves away', async () => {
    const wanted = (releaseName: string) => [deploy('moved', 'eu', { name: 'main', releaseName })];
    await stage.put('mover', wanted('one'));
    await stage.eventuallyHas('mover', 1);
    await stage.put('waiter', wanted('one'));
    await stage.becomes('waiter', 'False', 'ReleaseConflict');
    await stage.put('mover', wanted('two'));
    await eventually(async () => expect((await stage.childrenOf('waiter'))[0]?.spec.releaseName).toBe('one'));
    expect((await stage.childrenOf('mover'))[0]?.spec.releaseName).toBe('two');
    await stage.becomes('waiter', 'Unknown', 'DestinationsNotReady');
  });

  it('tells an Application that waits when a stranger takes another release', async () => {
    const metadata = { name: 'stranger', namespace: stage.namespace };
    const chart = { spec: { chart: 'podinfo', ...SOURCE } };
    const spec = {
      interval: '1m',
      chart,
      releaseName: 'taken',
      storageNamespace: 'strange',
      targetNamespace: 'strange',
    };
    const child = { apiVersion: 'helm.toolkit.fluxcd.io/v2', kind: 'HelmRelease', metadata, spec };
    await stage.kube.create(helmReleaseResource, child);
    await stage.put('patient', [deploy('strange', undefined, { releaseName: 'taken' })]);
    await stage.becomes('patient', 'False', 'ReleaseConflict');
    const message = getCondition((await stage.read('patient')).status?.conditions, 'Ready')?.message;
    expect(message).toContain('choose another releaseName');
    const body = { spec: { releaseName: 'other' } };
    await stage.kube.patch(helmReleaseResource, metadata, { type: 'merge', body });
    await stage.eventuallyHas('patient', 1);
  });
});

describe('a cluster that is gone for good, on a real API server', () => {
  let stage: Stage;
  const ABANDON = 'gitops.kubesphere.io/abandon';

  beforeAll(async () => {
    stage = await Stage.start();
  }, 180_000);

  afterAll(() => stage.stop(), 60_000);

  it('is given up for an entry that was removed, and the entry may come back', async () => {
    const [gone, other] = [deploy('gone', 'eu'), deploy('gone', 'us')];
    await stage.put('partly', [gone, other]);
    for (const child of await stage.eventuallyHas('partly', 2)) await stage.finalizers(child, FLUX);
    await stage.put('partly', [other]);
    await eventually(async () => {
      const leaving = (await stage.childrenOf('partly')).filter(({ metadata }) => metadata.deletionTimestamp);
      expect(leaving.map(({ spec }) => spec.kubeConfig?.secretRef?.name)).toEqual(['eu']);
    });
    await stage.annotate('partly', { [ABANDON]: 'eu' });
    const [left] = await stage.eventuallyHas('partly', 1);
    expect(left).toMatchObject({
      metadata: { finalizers: [FLUX] },
      spec: { kubeConfig: { secretRef: { name: 'us' } } },
    });
    await eventually(async () => {
      expect(await stage.eventsOf('partly')).toContainEqual(expect.stringMatching(/^Abandoned: .* was let go/));
    });
    await stage.annotate('partly', { [ABANDON]: null });
    await stage.put('partly', [gone, other]);
    await stage.eventuallyHas('partly', 2);
  });

  it('is named in the condition when no destination is on it', async () => {
    await stage.put('misspelt', [deploy('misspelt', 'eu')]);
    const [child] = await stage.eventuallyHas('misspelt', 1);
    await stage.finalizers(child!, FLUX);
    await stage.annotate('misspelt', { [ABANDON]: 'ue' });
    const isTold = (): Promise<void> =>
      eventually(async () => {
        const ready = getCondition((await stage.read('misspelt')).status?.conditions, 'Ready');
        expect(ready?.message).toContain('no destination is on "ue" (they are on eu)');
      });
    await isTold();
    await stage.remove('misspelt');
    await eventually(async () => {
      const ready = getCondition((await stage.read('misspelt')).status?.conditions, 'Ready');
      expect(ready?.reason).toBe('Deleting');
    });
    await isTold();
    await stage.annotate('misspelt', { [ABANDON]: 'eu' });
    await stage.eventuallyGone('misspelt');
  });
});

describe('releases that shall outlive their Application, on a real API server', () => {
  let stage: Stage;
  let resume: () => Promise<void>;

  const orphan = (name: string, entries: Deploy[]): Promise<Application> => {
    const wanted = stage.wanted(name, entries);
    return stage.apply({ ...wanted, spec: { ...wanted.spec, deletionPolicy: 'Orphan' } });
  };
  const running = async (name: string): Promise<string[]> =>
    (await stage.childrenOf(name)).flatMap(({ metadata }) =>
      metadata.deletionTimestamp === undefined ? [metadata.uid ?? ''] : [],
    );

  beforeAll(async () => {
    stage = await Stage.start();
    resume = () => stage.pause();
  }, 180_000);

  afterAll(async () => {
    await resume();
    await stage.stop();
  }, 60_000);

  it('gives children their owner and takes it away as the policy says, and writes nothing twice', async () => {
    const entries = [deploy('turning', 'eu'), deploy('turning', 'us')];
    const { metadata } = await stage.put('turning', entries);
    await stage.eventuallyHas('turning', 2);
    await stage.becomes('turning', 'Unknown', 'DestinationsNotReady');
    await orphan('turning', entries);
    await eventually(async () => {
      for (const child of await stage.childrenOf('turning')) {
        expect(child.metadata.ownerReferences ?? []).toEqual([]);
        expect(child.metadata.annotations).toMatchObject({ 'gitops.kubesphere.io/held-by': 'turning' });
      }
    });
    await stage.becomes('turning', 'Unknown', 'DestinationsNotReady');
    const since = await auditPosition(stage.host);
    await stage.annotate('turning', { touched: 'yes' });
    await stage.put('other', [deploy('other', 'eu')]);
    await stage.becomes('other', 'Unknown', 'DestinationsNotReady');
    expect(await stage.writes(since, 'turning-')).toEqual([]);
    const wanted = stage.wanted('turning', entries);
    await stage.apply({ ...wanted, spec: { ...wanted.spec, deletionPolicy: 'Delete' } });
    await eventually(async () => {
      for (const child of await stage.childrenOf('turning')) {
        expect(child.metadata.ownerReferences).toMatchObject([{ uid: metadata.uid, controller: true }]);
        expect(child.metadata.annotations).not.toHaveProperty(['gitops.kubesphere.io/held-by']);
      }
    });
  });

  it('takes the owner off children that nothing else is written to, and gives it back', async () => {
    const entries = [deploy('idle', 'eu'), deploy('idle', 'us')];
    await stage.put('idle', entries);
    await stage.eventuallyHas('idle', 2);
    const ownersOf = async (): Promise<number[]> =>
      (await stage.childrenOf('idle')).map(({ metadata }) => (metadata.ownerReferences ?? []).length);
    await orphan('idle', []);
    await stage.becomes('idle', 'False', 'DeployEmpty');
    await eventually(async () => expect(await ownersOf()).toEqual([0, 0]));
    await stage.put('idle', entries);
    await eventually(async () => expect(await ownersOf()).toEqual([1, 1]));
    await orphan('idle', [...entries, deploy('idle', 'us')]);
    await eventually(async () => expect(await ownersOf()).toEqual([0, 0]));
    await stage.put('idle', entries);
    await eventually(async () => {
      expect(await ownersOf()).toEqual([1, 1]);
      for (const { metadata } of await stage.childrenOf('idle')) {
        expect(metadata.annotations).not.toHaveProperty(['gitops.kubesphere.io/held-by']);
      }
    });
    await stage.remove('idle');
  });

  it('keeps all of them in a foreground deletion that the controller is late for, and gives them to the next', async () => {
    const entries = ['a', 'b', 'c'].map((namespace) => deploy(`kept-${namespace}`, 'eu'));
    await orphan('kept', entries);
    const before = (await stage.eventuallyHas('kept', 3)).map(({ metadata }) => metadata.uid);
    await stage.becomes('kept', 'Unknown', 'DestinationsNotReady');
    await resume();
    await stage.remove('kept', { propagationPolicy: 'Foreground' });
    // The garbage collector takes its own finalizer off when it has seen to what the Application owns.
    await eventually(async () => expect((await stage.read('kept')).metadata.finalizers).toEqual([HELD]), {
      timeoutMs: COLLECTION_MS,
    });
    expect(await running('kept')).toEqual(before);
    resume = stage.startController();
    await stage.eventuallyGone('kept');
    expect(await running('kept')).toEqual(before);
    const { metadata } = await stage.put('kept', entries);
    await eventually(async () => {
      for (const child of await stage.childrenOf('kept')) {
        expect(child.metadata.ownerReferences).toMatchObject([{ uid: metadata.uid, controller: true }]);
      }
    });
    expect(await running('kept')).toEqual(before);
  }, 120_000);

  it('keeps them when somebody takes the finalizer off, and lets no other Application take them', async () => {
    const entries = [deploy('forced', 'eu', { releaseName: 'forced' })];
    await orphan('forced', entries);
    const [child] = await stage.eventuallyHas('forced', 1);
    await stage.becomes('forced', 'Unknown', 'DestinationsNotReady');
    await stage.put('rival', entries);
    await stage.becomes('rival', 'False', 'ReleaseConflict');
    await stage.remove('rival');
    await resume();
    await stage.remove('forced');
    const body = { metadata: { finalizers: null } };
    const ref = { name: 'forced', namespace: stage.namespace };
    await stage.kube.patch(applicationResource, ref, { type: 'merge', body });
    resume = stage.startController();
    await stage.eventuallyGone('forced');
    await stage.put('forced', entries);
    await stage.becomes('forced', 'Unknown', 'DestinationsNotReady');
    expect(await running('forced')).toEqual([child?.metadata.uid]);
  });
});

describe('a child that another writer made, on a real API server', () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await Stage.start();
  }, 180_000);

  afterAll(() => stage.stop(), 60_000);

  it('has nothing that its entry does not say, once it was taken over', async () => {
    const entry = deploy('restored', 'eu', { suspend: true, values: { kept: 1 } });
    const [made] = await orphaned(stage, 'restored', entry);
    const { apiVersion, kind, metadata, spec } = made!;
    const { name, namespace, labels, annotations } = metadata;
    await stage.kube.delete(helmReleaseResource, metadata);
    const more = { timeout: '7m', values: { kept: 1, dropped: 2 } };
    const backup = { name, namespace, labels: { ...labels, backup: 'nightly' }, annotations, finalizers: ['a.b/held'] };
    const restored = { apiVersion, kind, metadata: backup, spec: { ...spec, ...more } } as Child;
    await stage.kube.create(helmReleaseResource, restored, { fieldManager: 'velero' });
    const child = async (): Promise<Child> => (await stage.childrenOf('restored'))[0]!;
    await stage.put('restored', [entry]);
    await eventually(async () => {
      expect((await child()).metadata.ownerReferences).toHaveLength(1);
      expect((await child()).spec).not.toHaveProperty('timeout');
    });
    expect(await child()).toMatchObject({
      metadata: { labels: { backup: 'nightly' }, finalizers: ['a.b/held'] },
      spec: { suspend: true, values: { kept: 1 } },
    });
    expect((await child()).spec['values']).toEqual({ kept: 1 });
    await stage.put('restored', [deploy('restored', 'eu', { values: { kept: 1 } })]);
    await eventually(async () => expect((await child()).spec).not.toHaveProperty('suspend'));
  });
});

/** The children that an Application left behind. */
async function orphaned(stage: Stage, name: string, entry: Deploy): Promise<Child[]> {
  const wanted = stage.wanted(name, [entry]);
  await stage.apply({ ...wanted, spec: { ...wanted.spec, deletionPolicy: 'Orphan' } });
  await stage.eventuallyHas(name, 1);
  await stage.remove(name);
  await stage.eventuallyGone(name);
  return stage.childrenOf(name);
}
