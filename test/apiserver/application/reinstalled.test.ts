import { describe, expect, it } from '@jest/globals';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import { helmTemplateResource } from '#api/v1alpha1/helm-template.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { getCondition } from '#lib/kube/conditions.js';
import { eventually } from '../../support/world.js';
import { selecting, toClusters } from '../../unit/application/model/clusters/builders.js';
import type { Deploy } from '../../unit/application/model/builders.js';
import { putCluster, useHarness } from './harness.js';

const APPROVE = 'gitops.kubesphere.io/approve-removals';

describe('releases that can only be changed by an uninstall, on a real API server', () => {
  const harness = useHarness({ removalDelayMs: 200, withTemplates: true });

  const putClusters = async (of: string, count: number): Promise<string[]> => {
    const names = Array.from({ length: count }, (_, index) => `${of}-${index + 1}`);
    for (const name of names) await putCluster(harness, name, { of });
    return names;
  };
  const shop = (of: string, targetNamespace: string, more: Partial<Deploy> = {}): Deploy =>
    toClusters({ clusterSelector: { matchLabels: { of } }, targetNamespace }, { name: 'shop', ...more });
  /** Reports for the engine that each child is installed as its spec says. */
  const installAll = async (name: string, chartName: string): Promise<Child[]> => {
    for (const child of await harness.childrenOf(name)) {
      const { releaseName = '', targetNamespace = '', storageNamespace } = child.spec;
      const at = '2026-01-01T00:00:00Z';
      const latest = {
        ...{ name: releaseName, namespace: targetNamespace, chartName, chartVersion: '1.0.0', version: 1 },
        ...{ digest: 'sha256:1', configDigest: 'sha256:1', status: 'deployed' },
        ...{ firstDeployed: at, lastDeployed: at, deleted: null },
      };
      const body = { status: { history: [latest], storageNamespace } };
      await harness.kube.patch(helmReleaseResource, child.metadata, { type: 'merge', body }, { subresource: 'status' });
      await harness.report(child, 'True', 'InstallSucceeded');
    }
    await harness.becomes(name, 'True', 'AllReady');
    return harness.childrenOf(name);
  };
  const specsOf = async (name: string) =>
    (await harness.childrenOf(name)).map(({ metadata: { uid, generation }, spec }) => ({ uid, generation, spec }));
  const eventuallyHeld = (name: string, clusters: readonly string[]) =>
    eventually(async () => {
      const { removals, conditions } = (await harness.read(name)).status ?? {};
      expect(removals?.clusters).toEqual(clusters);
      expect(getCondition(conditions, 'RemovalsHeld')).toMatchObject({ status: 'True', reason: 'ApprovalRequired' });
    });
  const approve = async (name: string): Promise<void> => {
    const { removals } = (await harness.read(name)).status ?? {};
    await harness.annotate(name, { [APPROVE]: removals?.approval ?? '' });
  };
  const movesOf = async (name: string): Promise<string[]> =>
    (await harness.eventsOf(name)).filter((event) => event.startsWith('Moving: '));

  it('wait for an approval when a named entry moves them, and move once', async () => {
    const clusters = await putClusters('moved', 3);
    await harness.put('moved', [shop('moved', 'named-a')]);
    await harness.eventuallyHas('moved', 3);
    await installAll('moved', 'podinfo');
    const before = await specsOf('moved');

    await harness.put('moved', [shop('moved', 'named-b', { values: { color: 'blue' } })]);
    await eventuallyHeld('moved', clusters);
    expect(await specsOf('moved')).toEqual(before);
    expect(await movesOf('moved')).toEqual([]);
    const { pending, conditions } = (await harness.read('moved')).status ?? {};
    expect(pending?.destinations.map(({ reason }) => reason)).toEqual(clusters.map(() => 'Removal'));
    expect(getCondition(conditions, 'RemovalsHeld')?.message).toContain('target namespace named-a -> named-b');

    // Reverting the change clears everything that the status showed.
    await harness.put('moved', [shop('moved', 'named-a')]);
    await eventually(async () => expect((await harness.read('moved')).status?.removals).toBeUndefined());
    await harness.becomes('moved', 'True', 'AllReady');
    expect(await specsOf('moved')).toEqual(before);

    await harness.put('moved', [shop('moved', 'named-b')]);
    await eventuallyHeld('moved', clusters);
    await approve('moved');
    const moved = (uid: string | undefined) =>
      expect.objectContaining({ uid, spec: expect.objectContaining({ targetNamespace: 'named-b' }) });
    await eventually(async () => expect(await specsOf('moved')).toEqual(before.map(({ uid }) => moved(uid))));
    await eventually(async () => expect((await movesOf('moved')).length).toBeGreaterThan(0));
    await eventually(async () => {
      const { status } = await harness.read('moved');
      expect(getCondition(status?.conditions, 'RemovalsHeld')).toBeUndefined();
      expect(status?.removals?.approved).toBeUndefined();
    });
    // The engine still has the release at the old place, so nothing more is written or held.
    const since = await harness.position('moved');
    await harness.passAfter('moved', () => putCluster(harness, 'moved-1', { of: 'moved', news: 'yes' }));
    await harness.position('moved');
    expect(await harness.writes(since, 'moved')).toEqual([]);
  });

  it('wait for an approval when the template that they follow has another chart', async () => {
    const clusters = await putClusters('base', 2);
    const put = (chart: string) => {
      const { group, version, kind } = helmTemplateResource;
      const spec = {
        sourceRef: { kind: 'HelmRepository', name: 'charts', namespace: harness.namespace },
        chart: { chart },
      };
      const metadata = { name: 'base', namespace: harness.namespace };
      const template = { apiVersion: `${group}/${version}`, kind, metadata, spec };
      return harness.kube.apply(helmTemplateResource, template, { fieldManager: 'platform', force: true });
    };
    await put('podinfo');
    const entries = clusters.map((name) => toClusters({ clusterRef: { kind: 'Secret', name } }));
    const wanted = harness.wanted('follows', entries);
    const fluxApp = { spec: { config: { helmRelease: { template: 'base', deploy: entries } } } };
    await harness.apply({ ...wanted, spec: { ...wanted.spec, fluxApp } });
    await harness.eventuallyHas('follows', 2);
    await installAll('follows', 'podinfo');
    const before = await specsOf('follows');
    await put('nginx');
    await eventuallyHeld('follows', clusters);
    expect(await specsOf('follows')).toEqual(before);
    await approve('follows');
    await eventually(async () => {
      const charts = (await specsOf('follows')).map(({ spec }) => spec['chart']);
      expect(charts).toEqual(clusters.map(() => ({ spec: expect.objectContaining({ chart: 'nginx' }) })));
    });
    const message =
      / is uninstalled and installed again: release web\/follows on base-\d is removed first \(chart name podinfo -> nginx\)$/;
    await eventually(async () => expect(await movesOf('follows')).toContainEqual(expect.stringMatching(message)));
  });

  it('are not removed by a typo in one of two selectors, however many stay', async () => {
    const clusters = await putClusters('both', 2);
    const of = (label: string, releaseName: string) => selecting({ of: label }, [], { releaseName });
    await harness.put('both', [of('both', 'web'), of('both', 'db')]);
    await harness.eventuallyHas('both', 4);
    await harness.put('both', [of('both', 'web'), of('bth', 'db')]);
    await eventuallyHeld('both', clusters);
    expect(await harness.childrenOf('both')).toHaveLength(4);
    await approve('both');
    const left = await harness.eventuallyHas('both', 2);
    expect(left.map(({ spec }) => spec.releaseName)).toEqual(['web', 'web']);
  });
});
