import { describe, expect, it } from '@jest/globals';
import { helmRepositoryResource } from '#api/flux/helm-repository.js';
import type { FluxApplicationSpec } from '#api/v1alpha1/application-spec.js';
import { applicationResource } from '#api/v1alpha1/application.js';
import { getCondition } from '#lib/kube/conditions.js';
import { auditEntriesUntilNow, eventually } from '../../support/world.js';
import { deploy } from '../../unit/application/model/builders.js';
import { repository, useHarness } from './harness.js';

describe('the Application controller on a real API server', () => {
  const harness = useHarness({ allowCrossNamespace: true });

  const writes = async (since: number): Promise<string[]> => {
    const entries = await auditEntriesUntilNow(harness.host, since);
    const ours = entries.filter(
      ({ objectRef }) => objectRef?.namespace === harness.namespace && objectRef.resource !== 'events',
    );
    return ours.map(({ verb, objectRef }) => `${verb} ${objectRef?.resource ?? ''}`);
  };

  it('makes a child per entry, reports them, keeps still, and writes one child for one edit', async () => {
    await harness.put('roll', [deploy('prod', 'eu', { values: { a: null, b: 1 } }), deploy('prod', 'us')]);
    const made = await harness.eventuallyHas('roll', 2);
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
          spec: {
            chart: 'podinfo',
            sourceRef: { kind: 'HelmRepository', name: 'charts', namespace: harness.namespace },
          },
        },
      },
    });
    await harness.becomes('roll', 'Unknown', 'DestinationsNotReady');
    for (const child of made) await harness.report(child, 'True', 'InstallSucceeded');
    await harness.becomes('roll', 'True', 'AllReady');
    const quiet = await harness.position('roll');
    const live = await harness.read('roll');
    expect(live.status?.summary).toMatchObject({ desired: 2, ready: '2/2' });
    expect(live.metadata.labels).toMatchObject({ 'gitops.kubesphere.io/ready-number': '2-2' });
    expect(live.metadata.finalizers).toEqual(['application.gitops.kubesphere.io']);
    await harness.passAfter('roll', () => harness.annotate('roll', { touched: 'yes' }));
    // The annotation, and nothing else.
    expect(await writes(quiet)).toEqual(['patch applications']);

    const before = await harness.position('roll');
    await harness.put('roll', [deploy('prod', 'eu', { values: { b: 2 } }), deploy('prod', 'us')]);
    await harness.becomes('roll', 'Unknown', 'DestinationsNotReady');
    expect((await writes(before)).filter((write) => write.endsWith('helmreleases'))).toEqual(['patch helmreleases']);
  });

  it('deletes the child of a removed entry, and waits for children before it goes itself', async () => {
    await harness.put('going', [deploy('going', 'eu'), deploy('going', 'us')]);
    for (const child of await harness.eventuallyHas('going', 2))
      await harness.finalizers(child, 'finalizers.fluxcd.io');
    await harness.put('going', [deploy('going', 'us')]);
    await eventually(async () => {
      const leaving = (await harness.childrenOf('going')).filter(
        ({ metadata }) => metadata.deletionTimestamp !== undefined,
      );
      expect(leaving).toHaveLength(1);
      expect(leaving[0]?.spec.kubeConfig?.secretRef?.name).toBe('eu');
      await harness.finalizers(leaving[0]!);
    });
    await harness.eventuallyHas('going', 1);
    await harness.becomes('going', 'Unknown', 'DestinationsNotReady');
    await harness.kube.delete(applicationResource, { name: 'going', namespace: harness.namespace });
    await eventually(async () => {
      const ready = getCondition((await harness.read('going')).status?.conditions, 'Ready');
      expect(ready).toMatchObject({ reason: 'Deleting' });
      expect(ready?.message).toContain(`HelmRelease ${harness.namespace}/going-us-going-`);
    });
    for (const child of await harness.childrenOf('going')) await harness.finalizers(child);
    await harness.eventuallyGone('going');
  });

  it('leaves children behind when the policy is Orphan', async () => {
    const base = harness.wanted('orphans', [deploy('orphans')]);
    const app = { ...base, spec: { ...base.spec, deletionPolicy: 'Orphan' as const } };
    await harness.apply(app);
    await harness.eventuallyHas('orphans', 1);
    await harness.kube.delete(applicationResource, { name: 'orphans', namespace: harness.namespace });
    await harness.eventuallyGone('orphans');
    const [left] = await harness.childrenOf('orphans');
    expect(left?.metadata.deletionTimestamp).toBeUndefined();
    expect(left?.metadata.ownerReferences ?? []).toEqual([]);
  });

  it('rejects two entries with one identity and continues with the third', async () => {
    await harness.put('twins', [deploy('twins', 'eu'), deploy('twins', 'eu'), deploy('twins', 'us')]);
    await harness.eventuallyHas('twins', 1);
    await harness.becomes('twins', 'False', 'DuplicateDestination');
    const { status } = await harness.read('twins');
    expect(getCondition(status?.conditions, 'Stalled')?.status).toBe('True');
    expect(status?.destinations?.map(({ state }) => state)).toEqual(['Stalled', 'Stalled', 'Pending']);
  });

  it.each<[string, string, FluxApplicationSpec['config']]>([
    ['bad-range', 'InvalidVersion', { helmRelease: { chart: { chart: 'a', version: 'one' }, deploy: [deploy('x')] } }],
    ['no-entry', 'DeployEmpty', { helmRelease: { chart: { chart: 'a' }, deploy: [] } }],
    ['no-config', 'ConfigMissing', {}],
  ])('stalls %s with %s and makes no child', async (name, reason, config) => {
    const base = harness.wanted(name, []);
    const spec = { ...base.spec, fluxApp: { spec: { ...base.spec.fluxApp!.spec, config } } };
    await harness.apply({ ...base, spec });
    await harness.becomes(name, 'False', reason);
    expect(await harness.childrenOf(name)).toEqual([]);
  });

  it('names a missing source and a missing kubeconfig, and heals when they come', async () => {
    const base = harness.wanted('lacking', [deploy('lacking', 'asia')]);
    const source = { sourceRef: { kind: 'HelmRepository' as const, name: 'later' } };
    const spec = { ...base.spec, fluxApp: { spec: { ...base.spec.fluxApp!.spec, source } } };
    await harness.apply({ ...base, spec });
    await harness.becomes('lacking', 'False', 'SourceNotFound');
    const message = (await harness.read('lacking')).status?.destinations?.[0]?.message;
    expect(message).toContain(
      `deploy[0].destination.kubeConfig.secretRef: Secret ${harness.namespace}/asia does not exist`,
    );
    await harness.kube.create(helmRepositoryResource, repository('later', harness.namespace));
    await harness.becomes('lacking', 'Unknown', 'DestinationsNotReady');
  });
});
