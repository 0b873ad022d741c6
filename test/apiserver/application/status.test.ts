import { describe, expect, it } from '@jest/globals';
import { kustomizationResource } from '#api/flux/kustomization.js';
import type { Application } from '#api/v1alpha1/application.js';
import { eventually } from '../../support/world.js';
import { deploy, files, filesApplication } from '../../unit/application/model/builders.js';
import { useHarness } from './harness.js';

/** Nothing of it can be acted on: `chart.version` is neither a valid version nor a valid range. */
function broken(wanted: Application): Application {
  const spec = structuredClone(wanted.spec);
  const release = spec.fluxApp?.spec.config.helmRelease;
  if (release?.chart === undefined) throw new Error('no chart to break');
  release.chart.version = 'one';
  return { ...wanted, spec };
}

describe('the status of an Application, on a real API server', () => {
  const harness = useHarness();

  it('reports the states of the children while the Application as a whole is stalled', async () => {
    await harness.put('stuck', [deploy('stuck', 'eu'), deploy('stuck', 'us')]);
    const [eu] = await harness.eventuallyHas('stuck', 2);
    for (const child of await harness.childrenOf('stuck')) await harness.report(child, 'True', 'InstallSucceeded');
    await harness.becomes('stuck', 'True', 'AllReady');
    await harness.apply(broken(harness.wanted('stuck', [deploy('stuck', 'eu'), deploy('stuck', 'us')])));
    await harness.becomes('stuck', 'False', 'InvalidVersion');
    await harness.report(eu!, 'False', 'UpgradeFailed', 'no such image');
    await eventually(async () => {
      const { metadata, status } = await harness.read('stuck');
      expect(status?.summary).toMatchObject({ desired: 2, ready: '1/2', states: { failed: 1 } });
      expect(status?.destinations?.[0]?.message).toContain('no such image');
      expect(status?.fluxApp?.helmReleaseStatus).toMatchObject({
        'eu-stuck': { conditions: [{ type: 'Ready', status: 'False', message: 'no such image' }] },
      });
      expect(metadata.labels).toMatchObject({ 'gitops.kubesphere.io/health-status': 'Degraded' });
    });
  });

  it('does not change while Ready files are only reconciled at their interval', async () => {
    const { spec } = filesApplication([files('steady')]);
    await harness.apply({ ...harness.wanted('steady', []), spec });
    const [child] = await harness.eventuallyHas('steady', 1);
    const generation = child?.metadata.generation ?? 1;
    const says = async (status: 'True' | 'Unknown', reason: string): Promise<void> => {
      const condition = { type: 'Ready', status, reason, message: reason, lastTransitionTime: '2026-01-01T00:00:00Z' };
      const revisions = { lastAppliedRevision: 'main@sha1:1', lastAttemptedRevision: 'main@sha1:1' };
      const conditions = [{ ...condition, observedGeneration: generation }];
      const body = { status: { observedGeneration: generation, conditions, ...revisions } };
      await harness.kube.patch(
        kustomizationResource,
        child!.metadata,
        { type: 'merge', body },
        { subresource: 'status' },
      );
    };
    await says('True', 'ReconciliationSucceeded');
    await harness.becomes('steady', 'True', 'AllReady');
    const { metadata, status } = await harness.read('steady');
    await says('Unknown', 'Progressing');
    await harness.annotate('steady', { 'reconcile.fluxcd.io/requestedAt': 'now' });
    await eventually(async () => {
      expect((await harness.read('steady')).status?.lastHandledReconcileAt).toBe('now');
    });
    const after = await harness.read('steady');
    expect(after.status).toEqual({ ...status, lastHandledReconcileAt: 'now' });
    expect(after.metadata.labels).toEqual(metadata.labels);
  });

  it('has all that the console reads when the Application was stalled as a whole from the first', async () => {
    await harness.apply(broken(harness.wanted('stillborn', [deploy('stillborn', 'eu')])));
    await harness.becomes('stillborn', 'False', 'InvalidVersion');
    const { metadata, status } = await harness.read('stillborn');
    expect(metadata.labels).toMatchObject({
      'gitops.kubesphere.io/type': 'HelmRelease',
      'gitops.kubesphere.io/ready-number': '0-1',
      'gitops.kubesphere.io/health-status': 'Progressing',
      'gitops.kubesphere.io/sync-status': 'OutOfSync',
    });
    expect(metadata.finalizers).toBeUndefined();
    expect(status).toMatchObject({ summary: { ready: '0/1' }, destinations: [{ name: 'eu-stillborn' }] });
    expect(status?.fluxApp?.helmReleaseStatus).toMatchObject({
      'eu-stillborn': { conditions: [{ lastTransitionTime: metadata.creationTimestamp }] },
    });
  });
});
