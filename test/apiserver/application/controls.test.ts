import { describe, expect, it } from '@jest/globals';
import { helmChartResource } from '#api/flux/helm-chart.js';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import { helmRepositoryResource } from '#api/flux/helm-repository.js';
import type { KubeObject } from '#api/meta.js';
import { FIELD_MANAGER, SUSPENDED_FOR_REMOVAL_ANNOTATION } from '#api/v1alpha1/labels.js';
import { SUSPENSION } from '#controllers/application/model/child/metadata.js';
import { auditEntries, auditPosition, eventually } from '../../support/world.js';
import { deploy } from '../../unit/application/model/builders.js';
import { approveRemovals } from './approve-removals.js';
import { useHarness } from './harness.js';

const NOW = 'reconcile.fluxcd.io/requestedAt';
const FORCE = 'reconcile.fluxcd.io/forceAt';
const RESET = 'reconcile.fluxcd.io/resetAt';

describe('the controls of an Application, on a real API server', () => {
  const harness = useHarness();

  const states = async (name: string): Promise<string[]> =>
    ((await harness.read(name)).status?.destinations ?? []).map((row) => `${row.name} ${row.state}`);

  it('suspends one entry, and all of them, and lets them go on', async () => {
    const paused = deploy('pause', 'us', { suspend: true });
    await harness.put('pause', [deploy('pause', 'eu'), paused]);
    for (const child of await harness.eventuallyHas('pause', 2))
      await harness.report(child, 'True', 'InstallSucceeded');
    await eventually(async () => expect(await states('pause')).toEqual(['us-pause Suspended', 'eu-pause Ready']));
    const base = harness.wanted('pause', [deploy('pause', 'eu'), paused]);
    const { source, config } = base.spec.fluxApp!.spec;
    const spec = { ...base.spec, fluxApp: { spec: { source: source!, config: { ...config, suspend: true } } } };
    await harness.apply({ ...base, spec });
    await harness.becomes('pause', 'True', 'Suspended');
    expect((await harness.childrenOf('pause')).map((child) => child.spec.suspend)).toEqual([true, true]);
    await harness.put('pause', [deploy('pause', 'eu'), deploy('pause', 'us')]);
    await eventually(async () => {
      expect((await harness.childrenOf('pause')).map((child) => child.spec.suspend)).toEqual([undefined, undefined]);
    });
  });

  it('lets a child that it suspended before it was to go run on when an entry has it again', async () => {
    const paused = deploy('again', 'us', { suspend: true });
    await harness.put('again', [deploy('again', 'eu'), paused]);
    for (const child of await harness.eventuallyHas('again', 2)) {
      const patch = { type: 'merge', body: SUSPENSION } as const;
      await harness.kube.patch(helmReleaseResource, child.metadata, patch, { fieldManager: FIELD_MANAGER });
    }
    await eventually(async () => {
      const children = await harness.childrenOf('again');
      const marks = children.map(({ metadata }) => metadata.annotations?.[SUSPENDED_FOR_REMOVAL_ANNOTATION]);
      expect(marks).toEqual([undefined, undefined]);
      expect(children.map(({ spec }) => spec.suspend)).toEqual([undefined, true]);
    });
    const [eu] = await harness.childrenOf('again');
    const byHand = { type: 'merge', body: { spec: { suspend: true } } } as const;
    await harness.kube.patch(helmReleaseResource, eu!.metadata, byHand, { fieldManager: 'user' });
    await harness.put('again', [deploy('again', 'eu', { timeout: '1m' }), paused]);
    await eventually(async () => {
      expect((await harness.childrenOf('again')).map(({ spec }) => [spec['timeout'], spec.suspend])).toEqual([
        ['1m', true],
        [undefined, true],
      ]);
    });
  });

  it('passes each request on once, to children and to the source', async () => {
    await harness.put('asked', [deploy('asked', 'eu'), deploy('asked', 'us')]);
    await harness.eventuallyHas('asked', 2);
    await harness.becomes('asked', 'Unknown', 'DestinationsNotReady');
    const since = await auditPosition(harness.host);
    await harness.annotate('asked', { [NOW]: 'a', [FORCE]: 'b', [RESET]: 'c' });
    await eventually(async () => {
      const { status } = await harness.read('asked');
      expect(status).toMatchObject({
        lastHandledReconcileAt: 'a',
        lastHandledForceAt: 'b',
        lastHandledResetAt: 'c',
      });
    });
    for (const { metadata } of await harness.childrenOf('asked')) {
      expect(metadata.annotations).toMatchObject({ [NOW]: 'a', [FORCE]: 'b', [RESET]: 'c' });
    }
    const ref = { name: 'charts', namespace: harness.namespace };
    const source = await harness.kube.get<KubeObject>(helmRepositoryResource, ref);
    expect(source?.metadata.annotations).toMatchObject({ [NOW]: 'a' });
    expect(source?.metadata.annotations?.[FORCE]).toBeUndefined();
    await harness.passAfter('asked', () => harness.annotate('asked', { touched: 'yes' }));
    const entries = await auditEntries(harness.host, since);
    const asked = entries.filter(
      ({ objectRef }) =>
        objectRef?.namespace === harness.namespace &&
        ['helmreleases', 'helmrepositories'].includes(objectRef.resource ?? ''),
    );
    expect(asked.map(({ verb, objectRef }) => `${verb} ${objectRef?.resource ?? ''}`).sort()).toEqual([
      'patch helmreleases',
      'patch helmreleases',
      'patch helmrepositories',
    ]);
  });

  it('records events, each once', async () => {
    const main = deploy('told', 'eu', { name: 'main' });
    await harness.put('told', [main, deploy('told', 'us')]);
    const [eu, us] = await harness.eventuallyHas('told', 2);
    await harness.report(eu!, 'True', 'InstallSucceeded');
    await eventually(async () => expect(await states('told')).toEqual(['us-told Pending', 'main Ready']));
    await harness.report(us!, 'True', 'InstallSucceeded');
    await harness.becomes('told', 'True', 'AllReady');
    await harness.report(us!, 'False', 'InstallFailed');
    await harness.becomes('told', 'False', 'DestinationsFailed');
    await harness.report(eu!, 'False', 'InstallFailed');
    await eventually(async () => expect(await states('told')).toEqual(['main Failed', 'us-told Failed']));
    await harness.put('told', [deploy('told', 'eu', { name: 'main', releaseName: 'other' })]);
    await approveRemovals(harness, 'told');
    await harness.eventuallyHas('told', 1);
    await eventually(async () => {
      const reasons = (await harness.eventsOf('told')).map((text) => text.slice(0, text.indexOf(':')));
      expect(reasons.sort()).toEqual([
        'AllReady',
        'Created',
        'Deleted',
        'DestinationFailed',
        'DestinationReady',
        'DestinationsFailed',
        'Moving',
        'RemovalsHeld',
        'Removing',
        'Updated',
      ]);
    });
    expect((await harness.eventsOf('told')).filter((text) => text.includes('times)'))).toEqual([]);
  });

  it('shows why a chart cannot be fetched as soon as the HelmChart reports it', async () => {
    await harness.put('unfetched', [deploy('unfetched', 'eu')]);
    const [child] = await harness.eventuallyHas('unfetched', 1);
    const name = `${harness.namespace}-${child!.metadata.name}`;
    const labels = {
      'helm.toolkit.fluxcd.io/namespace': harness.namespace,
      'helm.toolkit.fluxcd.io/name': child!.metadata.name,
    };
    const metadata = { name, namespace: harness.namespace, labels };
    const sourceRef = { kind: 'HelmRepository', name: 'charts' };
    const spec = { chart: 'podinfo', version: '99.x', interval: '10m', sourceRef };
    const chart = { apiVersion: 'source.toolkit.fluxcd.io/v1', kind: 'HelmChart', metadata, spec };
    await harness.kube.create<KubeObject>(helmChartResource, chart);
    const waits = {
      type: 'Ready',
      status: 'False',
      reason: 'SourceNotReady',
      message: `HelmChart ${name} has no version 99.x`,
      lastTransitionTime: '2026-01-01T00:00:00Z',
      observedGeneration: 1,
    };
    const status = { observedGeneration: 1, helmChart: `${harness.namespace}/${name}`, conditions: [waits] };
    await harness.kube.patch(
      helmReleaseResource,
      child!.metadata,
      { type: 'merge', body: { status } },
      { subresource: 'status' },
    );
    await eventually(async () => expect(await states('unfetched')).toEqual(['eu-unfetched Pending']));
    const failed = { ...waits, reason: 'InvalidChartReference', message: 'no version matches 99.x' };
    const body = { status: { observedGeneration: 1, conditions: [failed] } };
    await harness.kube.patch(helmChartResource, metadata, { type: 'merge', body }, { subresource: 'status' });
    await eventually(async () => expect(await states('unfetched')).toEqual(['eu-unfetched Failed']));
    expect((await harness.read('unfetched')).status?.destinations?.[0]?.message).toContain('has no version 99.x');
  });
});
