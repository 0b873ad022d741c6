import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { helmRepositoryResource } from '../../../api/flux/helm-repository.js';
import type { FluxApplicationSpec } from '../../../api/v1alpha1/application-spec.js';
import { applicationResource } from '../../../api/v1alpha1/application.js';
import { getCondition } from '../../../controllers/runtime/pure/conditions.js';
import { auditEntries, auditPosition, eventually } from '../../support/world.js';
import { deploy } from '../../unit/application/model/builders.js';
import { repository, Stage } from './stage.js';

describe('the Application controller on a real API server', () => {
  let stage: Stage;

  const writes = async (since: number): Promise<string[]> => {
    const entries = await auditEntries(stage.host, since);
    const ours = entries.filter(
      ({ objectRef }) => objectRef?.namespace === stage.namespace && objectRef.resource !== 'events',
    );
    return ours.map(({ verb, objectRef }) => `${verb} ${objectRef?.resource ?? ''}`);
  };

  beforeAll(async () => {
    stage = await Stage.start({ allowCrossNamespace: true });
  }, 180_000);

  afterAll(() => stage.stop(), 60_000);

  it('makes a child per entry, reports them, keeps still, and writes one child for one edit', async () => {
    await stage.put('roll', [deploy('prod', 'eu', { values: { a: null, b: 1 } }), deploy('prod', 'us')]);
    const made = await stage.eventuallyHas('roll', 2);
    expect(made.find(({ spec }) => spec.kubeConfig?.secretRef?.name === 'eu')).toMatchObject({
      metadata: {
        annotations: { 'app.kubernetes.io/name': 'eu-prod' },
        ownerReferences: [{ controller: true, name: 'roll' }],
      },
      spec: {
        interval: '10m',
        releaseName: 'roll',
        targetNamespace: 'prod',
        storageNamespace: 'prod',
        values: { a: null, b: 1 },
        chart: {
          spec: { chart: 'podinfo', sourceRef: { kind: 'HelmRepository', name: 'charts', namespace: stage.namespace } },
        },
      },
    });
    await stage.becomes('roll', 'Unknown', 'DestinationsNotReady');
    for (const child of made) await stage.report(child, 'True', 'InstallSucceeded');
    await stage.becomes('roll', 'True', 'AllReady');
    const quiet = await auditPosition(stage.host);
    const live = await stage.read('roll');
    expect(live.status?.summary).toMatchObject({ desired: 2, ready: '2/2' });
    expect(live.metadata.labels).toMatchObject({ 'gitops.kubesphere.io/ready-number': '2-2' });
    expect(live.metadata.finalizers).toEqual(['application.gitops.kubesphere.io']);
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect(await writes(quiet)).toEqual([]);

    const before = await auditPosition(stage.host);
    await stage.put('roll', [deploy('prod', 'eu', { values: { b: 2 } }), deploy('prod', 'us')]);
    await stage.becomes('roll', 'Unknown', 'DestinationsNotReady');
    expect((await writes(before)).filter((write) => write.endsWith('helmreleases'))).toEqual(['patch helmreleases']);
  });

  it('deletes the child of a removed entry, and waits for children before it goes itself', async () => {
    await stage.put('going', [deploy('going', 'eu'), deploy('going', 'us')]);
    for (const child of await stage.eventuallyHas('going', 2)) await stage.finalizers(child, 'finalizers.fluxcd.io');
    await stage.put('going', [deploy('going', 'us')]);
    await eventually(async () => {
      const leaving = (await stage.childrenOf('going')).filter(
        ({ metadata }) => metadata.deletionTimestamp !== undefined,
      );
      expect(leaving).toHaveLength(1);
      expect(leaving[0]?.spec.kubeConfig?.secretRef?.name).toBe('eu');
      await stage.finalizers(leaving[0]!);
    });
    await stage.eventuallyHas('going', 1);
    await stage.kube.delete(applicationResource, { name: 'going', namespace: stage.namespace });
    await eventually(async () => {
      const ready = getCondition((await stage.read('going')).status?.conditions, 'Ready');
      expect(ready).toMatchObject({ reason: 'Deleting' });
      expect(ready?.message).toContain(`HelmRelease ${stage.namespace}/going-us-going-`);
    });
    for (const child of await stage.childrenOf('going')) await stage.finalizers(child);
    await stage.eventuallyGone('going');
  });

  it('leaves children behind when the policy is Orphan', async () => {
    const base = stage.wanted('orphans', [deploy('orphans')]);
    const app = { ...base, spec: { ...base.spec, deletionPolicy: 'Orphan' as const } };
    await stage.apply(app);
    await stage.eventuallyHas('orphans', 1);
    await stage.kube.delete(applicationResource, { name: 'orphans', namespace: stage.namespace });
    await stage.eventuallyGone('orphans');
    const [left] = await stage.childrenOf('orphans');
    expect(left?.metadata.deletionTimestamp).toBeUndefined();
    expect(left?.metadata.ownerReferences ?? []).toEqual([]);
  });

  it('rejects two entries with one identity and goes on with the third', async () => {
    await stage.put('twins', [deploy('twins', 'eu'), deploy('twins', 'eu'), deploy('twins', 'us')]);
    await stage.eventuallyHas('twins', 1);
    await stage.becomes('twins', 'False', 'DuplicateDestination');
    const { status } = await stage.read('twins');
    expect(getCondition(status?.conditions, 'Stalled')?.status).toBe('True');
    expect(status?.destinations?.map(({ state }) => state)).toEqual(['Stalled', 'Stalled', 'Pending']);
  });

  it.each<[string, string, FluxApplicationSpec['config']]>([
    ['bad-range', 'InvalidVersion', { helmRelease: { chart: { chart: 'a', version: 'one' }, deploy: [deploy('x')] } }],
    ['no-entry', 'DeployEmpty', { helmRelease: { chart: { chart: 'a' }, deploy: [] } }],
    ['no-config', 'ConfigMissing', {}],
  ])('stalls %s with %s and makes no child', async (name, reason, config) => {
    const base = stage.wanted(name, []);
    const spec = { ...base.spec, fluxApp: { spec: { ...base.spec.fluxApp!.spec, config } } };
    await stage.apply({ ...base, spec });
    await stage.becomes(name, 'False', reason);
    expect(await stage.childrenOf(name)).toEqual([]);
  });

  it('names a missing source and a missing kubeconfig, and heals when they come', async () => {
    const base = stage.wanted('lacking', [deploy('lacking', 'asia')]);
    const source = { sourceRef: { kind: 'HelmRepository' as const, name: 'later' } };
    const spec = { ...base.spec, fluxApp: { spec: { ...base.spec.fluxApp!.spec, source } } };
    await stage.apply({ ...base, spec });
    await stage.becomes('lacking', 'False', 'SourceNotFound');
    const message = (await stage.read('lacking')).status?.destinations?.[0]?.message;
    expect(message).toContain(
      `deploy[0].destination.kubeConfig.secretRef: Secret ${stage.namespace}/asia does not exist`,
    );
    await stage.kube.create(helmRepositoryResource, repository('later', stage.namespace));
    await stage.becomes('lacking', 'Unknown', 'DestinationsNotReady');
  });
});
