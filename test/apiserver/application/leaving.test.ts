import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { helmReleaseResource } from '../../../api/flux/helm-release.js';
import { getCondition } from '../../../controllers/runtime/pure/conditions.js';
import { auditPosition, eventually } from '../../support/world.js';
import { deploy, SOURCE } from '../../unit/application/model/builders.js';
import { Stage } from './stage.js';

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
