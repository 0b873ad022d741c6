import { describe, expect, it } from '@jest/globals';
import { secretResource } from '#api/core.js';
import type { Application } from '#api/v1alpha1/application.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { getCondition } from '#lib/kube/conditions.js';
import { eventually } from '../../support/world.js';
import { selecting } from '../../unit/application/model/clusters/builders.js';
import { SOURCE, type Deploy } from '../../unit/application/model/builders.js';
import { putCluster, useHarness } from './harness.js';

const PIN = 'gitops.kubesphere.io/pin-cluster-revisions';
const RETRY = 'gitops.kubesphere.io/retry-rollout';
const APPROVE = 'gitops.kubesphere.io/approve-stage';
const CLUSTERS = ['asia', 'eu', 'us'];

type Rollout = NonNullable<Application['spec']['rollout']>;

describe('what a rollout takes for a proof, on a real API server', () => {
  const harness = useHarness();

  /** Creates a cluster called STORY-eu and so on. */
  const labelled = (story: string, cluster: string, labels: Record<string, string> = {}) =>
    putCluster(harness, `${story}-${cluster}`, { of: story, ...labels });
  const canaries = (story: string, ...clusters: string[]): Rollout => ({
    stages: [{ name: 'canary', clusters: { names: clusters.map((cluster) => `${story}-${cluster}`) } }],
  });
  const put = (story: string, image: string, rollout: Rollout, more: Partial<Deploy> = {}) => {
    const entries = [{ ...selecting({ of: story }), values: { image }, ...more }];
    const chart = { chart: 'podinfo', version: '6.7.1' };
    const fluxApp = { spec: { source: SOURCE, config: { helmRelease: { chart, deploy: entries } } } };
    const wanted = harness.wanted(story, entries);
    return harness.apply({ ...wanted, spec: { ...wanted.spec, rollout, fluxApp } });
  };
  const clusterOf = ({ spec }: Child): string => (spec.kubeConfig?.secretRef?.name ?? '').split('-').at(-1) ?? '';
  const childOn = async (story: string, cluster: string): Promise<Child> => {
    const found = (await harness.childrenOf(story)).find((child) => clusterOf(child) === cluster);
    if (found === undefined) throw new Error(`nothing of ${story} is on ${cluster}`);
    return found;
  };
  const imagesOf = async (story: string): Promise<Record<string, unknown>> =>
    Object.fromEntries(
      (await harness.childrenOf(story)).map((child) => [
        clusterOf(child),
        (child.spec['values'] as { image: string }).image, // the test's own values
      ]),
    );
  const eventuallyRuns = (story: string, images: Record<string, string>) =>
    eventually(async () => expect(await imagesOf(story)).toEqual(images));
  /** Reports this for the engine on the current children of these clusters. */
  const report = async (story: string, clusters: readonly string[], status: 'True' | 'False', reason: string) => {
    for (const cluster of clusters) await harness.report(await childOn(story, cluster), status, reason);
  };
  const finish = (story: string, ...clusters: string[]) => report(story, clusters, 'True', 'UpgradeSucceeded');
  const becomes = (story: string, reason: string, message: string | RegExp = '') =>
    eventually(async () => {
      const condition = getCondition((await harness.read(story)).status?.conditions, 'RolledOut');
      expect(condition).toMatchObject({ reason });
      expect(condition?.message).toMatch(message);
    });
  /** Number and digest of the revision that is rolled out. */
  const idOf = async (story: string): Promise<string> => (await harness.read(story)).status?.rollout?.id ?? '';
  /** All clusters run one image, as revision 1. */
  const begin = async (story: string, rollout: Rollout) => {
    for (const cluster of CLUSTERS) await labelled(story, cluster, { zone: 'z' });
    await put(story, 'a', rollout);
    await eventually(async () => {
      const present = (await harness.childrenOf(story)).map(clusterOf);
      await finish(story, ...present);
      const condition = getCondition((await harness.read(story)).status?.conditions, 'RolledOut');
      expect([condition?.reason, present.sort()]).toEqual(['RolledOut', CLUSTERS]);
    });
  };

  it('a canary that failed and is pinned lets nothing else begin, before a retry and an approval', async () => {
    const rollout = canaries('pinned', 'eu');
    await begin('pinned', rollout);
    await put('pinned', 'b', rollout);
    await eventuallyRuns('pinned', { asia: 'a', eu: 'b', us: 'a' });
    await report('pinned', ['eu'], 'False', 'UpgradeFailed');
    await becomes('pinned', 'RolloutHalted');
    await harness.passAfter('pinned', () => harness.annotate('pinned', { [PIN]: 'pinned-eu=1' }));
    await eventuallyRuns('pinned', { asia: 'a', eu: 'a', us: 'a' });
    await becomes('pinned', 'RolloutHalted', /is pinned, .*; retry: .*retry-rollout=2-[0-9a-f]{8}$/);
    await harness.passAfter('pinned', () => finish('pinned', 'eu'));
    expect(await imagesOf('pinned')).toEqual({ asia: 'a', eu: 'a', us: 'a' });
    await harness.annotate('pinned', { [RETRY]: await idOf('pinned') });
    await becomes(
      'pinned',
      'RolloutAwaitingApproval',
      /takes no part .*; approve: .*approve-stage=rest@2-[0-9a-f]{8}@unproven$/,
    );
    expect(await imagesOf('pinned')).toEqual({ asia: 'a', eu: 'a', us: 'a' });
    await harness.annotate('pinned', { [APPROVE]: `rest@${await idOf('pinned')}@unproven` });
    await eventuallyRuns('pinned', { asia: 'b', eu: 'a', us: 'b' });
  });

  it('a canary that failed is tried again when its pin ends', async () => {
    const rollout = canaries('resumed', 'eu');
    await begin('resumed', rollout);
    await put('resumed', 'b', rollout);
    await eventuallyRuns('resumed', { asia: 'a', eu: 'b', us: 'a' });
    await report('resumed', ['eu'], 'False', 'UpgradeFailed');
    await becomes('resumed', 'RolloutHalted');
    await harness.annotate('resumed', { [PIN]: 'resumed-eu=1' });
    await eventuallyRuns('resumed', { asia: 'a', eu: 'a', us: 'a' });
    await harness.annotate('resumed', { [PIN]: null });
    await eventuallyRuns('resumed', { asia: 'a', eu: 'b', us: 'a' });
    await finish('resumed', 'eu');
    await eventuallyRuns('resumed', { asia: 'b', eu: 'b', us: 'b' });
  });

  it('a canary that failed and loses its label for a moment lets nothing else begin', async () => {
    const rollout = canaries('flaps', 'asia', 'eu');
    await begin('flaps', rollout);
    await put('flaps', 'b', rollout);
    await eventuallyRuns('flaps', { asia: 'b', eu: 'b', us: 'a' });
    await report('flaps', ['eu'], 'False', 'UpgradeFailed');
    await becomes('flaps', 'RolloutHalted');
    await harness.passAfter('flaps', () => finish('flaps', 'asia'));
    await harness.passAfter('flaps', () => putCluster(harness, 'flaps-eu'));
    await becomes('flaps', 'RolloutHalted', 'or gone');
    expect(await imagesOf('flaps')).toMatchObject({ us: 'a' });
    await harness.passAfter('flaps', () => labelled('flaps', 'eu'));
    await becomes('flaps', 'RolloutHalted');
    expect(await imagesOf('flaps')).toEqual({ asia: 'b', eu: 'b', us: 'a' });
    await finish('flaps', 'eu');
    await eventuallyRuns('flaps', { asia: 'b', eu: 'b', us: 'b' });
  });

  it('a rejected destination stops no other one, and rolls nothing back', async () => {
    const rollout: Rollout = { ...canaries('rejects', 'eu'), onFailure: 'Rollback' };
    await begin('rejects', rollout);
    const values = { image: 'b', zone: '${{ cluster.labels.zone }}' };
    await labelled('rejects', 'asia');
    await put('rejects', 'b', rollout, { values });
    await eventuallyRuns('rejects', { asia: 'a', eu: 'b', us: 'a' });
    await finish('rejects', 'eu');
    await eventuallyRuns('rejects', { asia: 'a', eu: 'b', us: 'b' });
    await finish('rejects', 'us');
    await becomes('rejects', 'RolledOut', 'but 1 destination is rejected');
    await labelled('rejects', 'asia', { zone: 'z' });
    await eventuallyRuns('rejects', { asia: 'b', eu: 'b', us: 'b' });
  });

  it('a canary that is rejected holds the others, with the cause', async () => {
    const rollout: Rollout = { ...canaries('refused', 'eu'), onFailure: 'Rollback' };
    await begin('refused', rollout);
    await labelled('refused', 'eu');
    await put('refused', 'b', rollout, { values: { image: 'b', zone: '${{ cluster.labels.zone }}' } });
    await becomes('refused', 'RolloutAwaitingApproval', /proves nothing: of 1 destinations, 1 is rejected; .*zone/);
    expect(await imagesOf('refused')).toEqual({ asia: 'a', eu: 'a', us: 'a' });
    await labelled('refused', 'eu', { zone: 'z' });
    await eventuallyRuns('refused', { asia: 'a', eu: 'b', us: 'a' });
  });

  it('a broken credential is no failure of the revision', async () => {
    const rollout: Rollout = { ...canaries('broken', 'eu'), onFailure: 'Rollback' };
    await begin('broken', rollout);
    await put('broken', 'b', rollout);
    await eventuallyRuns('broken', { asia: 'a', eu: 'b', us: 'a' });
    const place = { name: 'broken-asia', namespace: harness.namespace };
    const body = { data: { value: Buffer.from('no: [kubeconfig').toString('base64') } };
    await harness.kube.patch(secretResource, place, { type: 'merge', body });
    await report('broken', ['asia'], 'False', 'KubeConfigInvalid');
    await finish('broken', 'eu');
    await eventuallyRuns('broken', { asia: 'a', eu: 'b', us: 'b' });
    await finish('broken', 'us');
    await becomes('broken', 'RolledOut');
    expect((await harness.read('broken')).status?.rollout).toMatchObject({ lastGood: 2, phase: 'Complete' });
    await finish('broken', 'asia');
    await eventuallyRuns('broken', { asia: 'b', eu: 'b', us: 'b' });
  });

  it('a missing key of a template is an error of its cluster, and what runs there with it stays', async () => {
    const rollout = canaries('keys', 'eu');
    for (const cluster of CLUSTERS) await labelled('keys', cluster, cluster === 'us' ? {} : { zone: 'z' });
    const written = { values: { image: 'a', zone: '<no value>' } };
    await put('keys', 'a', rollout, written);
    await eventually(async () => {
      await finish('keys', ...(await harness.childrenOf('keys')).map(clusterOf));
      expect(Object.keys(await imagesOf('keys'))).toHaveLength(3);
    });
    const before = await childOn('keys', 'us');
    const valuesTemplate = 'zone: {{ .ClusterLabels.zone }}';
    await put('keys', 'b', rollout, { valuesTemplate });
    await eventuallyRuns('keys', { asia: 'a', eu: 'b', us: 'a' });
    await finish('keys', 'eu');
    await eventuallyRuns('keys', { asia: 'b', eu: 'b', us: 'a' });
    const rows = (await harness.read('keys')).status?.destinations ?? [];
    const row = rows.find(({ cluster }) => cluster === 'keys-us');
    expect(row?.message).toMatch(
      /\.valuesTemplate: zone is rendered with "<no value>".*cluster keys-us has no \.ClusterL/,
    );
    expect(await childOn('keys', 'us')).toEqual(before);
  });
});
