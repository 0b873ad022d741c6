import { describe, expect, it } from '@jest/globals';
import type { DryRun } from '#api/dry-run.js';
import { applicationResource } from '#api/v1alpha1/application.js';
import { auditEntries, auditPosition, eventually } from '../../support/world.js';
import { deploy } from '../../unit/application/model/builders.js';
import { selecting } from '../../unit/application/model/clusters/builders.js';
import { putCluster, useHarness } from './harness.js';

const ANNOTATION = 'gitops.kubesphere.io/dry-run';

describe('a dry run of an Application, on a real API server', () => {
  const harness = useHarness();

  const annotate = async (name: string, annotations: Record<string, string | null>): Promise<void> => {
    const ref = { name, namespace: harness.namespace };
    await harness.kube.patch(applicationResource, ref, { type: 'merge', body: { metadata: { annotations } } });
  };
  const published = (name: string): Promise<DryRun> =>
    eventually(async () => {
      const { metadata, status } = await harness.read(name);
      const dryRun = status?.dryRun;
      if (dryRun?.observedGeneration === metadata.generation && dryRun !== undefined) return dryRun;
      throw new Error(`not yet: ${JSON.stringify(status, null, 1)}`);
    });

  it('publishes what would become of the children, writes none of them, and then does it', async () => {
    const name = 'dry';
    await harness.put(name, [deploy(name, 'eu'), deploy(name, 'us')]);
    const before = await harness.eventuallyHas(name, 2);
    await annotate(name, { [ANNOTATION]: 'true' });
    expect((await published(name)).summary).toMatchObject({ unchanged: 2, created: 0, changed: 0, deleted: 0 });
    const since = await auditPosition(harness.host);
    await harness.put(name, [deploy(name, 'eu', { timeout: '3m' })]);
    const { summary, objects = [] } = await published(name);
    expect(summary).toMatchObject({ changed: 1, deleted: 1, created: 0, failed: 0 });
    expect(objects.flatMap(({ fields = [] }) => fields)).toContainEqual({ path: '/spec/timeout', new: '"3m"' });
    expect(await harness.childrenOf(name)).toEqual(before);
    const writes = (await auditEntries(harness.host, since)).filter(({ objectRef, requestURI }) => {
      const isOfChild = objectRef?.resource === 'helmreleases' && objectRef.namespace === harness.namespace;
      return isOfChild && !requestURI.includes('dryRun=All');
    });
    expect(writes).toEqual([]);

    await annotate(name, { [ANNOTATION]: null });
    await eventually(async () => {
      const children = await harness.childrenOf(name);
      expect(children.map(({ spec }) => spec['timeout'])).toEqual(['3m']);
      expect((await harness.read(name)).status).not.toHaveProperty('dryRun');
    });
  });

  it('shows what leaves a selector without waiting, and what would wait for an approval', async () => {
    const name = 'leaves';
    for (const cluster of ['leaves-1', 'leaves-2']) await putCluster(harness, cluster, { of: name });
    await harness.put(name, [selecting({ of: name })]);
    const before = await harness.eventuallyHas(name, 2);
    await annotate(name, { [ANNOTATION]: 'true' });
    const becomes = (expected: Partial<DryRun['summary']>): Promise<DryRun> =>
      eventually(async () => {
        const dryRun = await published(name);
        expect(dryRun.summary).toMatchObject(expected);
        return dryRun;
      });
    await putCluster(harness, 'leaves-1');
    const { objects: [leaving] = [] } = await becomes({ deleted: 1, unchanged: 1 });
    expect(leaving).toMatchObject({ action: 'deleted', message: 'cluster leaves-1 no longer matches' });
    await putCluster(harness, 'leaves-2');
    const { action, objects: [held] = [] } = await becomes({ held: 2, deleted: 0, unchanged: 0 });
    expect(held?.message).toContain('because cluster leaves-1 no longer matches, and this needs an approval');
    expect(action).toMatch(/no cluster matches; 2 releases would be removed/);
    expect(await harness.childrenOf(name)).toEqual(before);
  });
});
