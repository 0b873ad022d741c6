import { describe, expect, it } from '@jest/globals';
import { controllerRevisionResource } from '#api/core.js';
import type { KubeObject, ResourceType } from '#api/meta.js';
import type { Application, ApplicationRevision } from '#api/v1alpha1/application.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { getCondition } from '#lib/kube/conditions.js';
import { listAll } from '#runtime/client/kube.js';
import { eventually } from '../../support/world.js';
import { deploy } from '../../unit/application/model/builders.js';
import { useHarness } from './harness.js';

const PIN = 'gitops.kubesphere.io/pin-revision';
const CLUSTERS = 'gitops.kubesphere.io/pin-cluster-revisions';

const quotas: ResourceType = {
  group: '',
  version: 'v1',
  kind: 'ResourceQuota',
  plural: 'resourcequotas',
  namespaced: true,
};

function withHistory(application: Application, limit: number | undefined): Application {
  const more = limit === undefined ? {} : { revisionHistoryLimit: limit };
  return { ...application, spec: { ...application.spec, ...more } };
}

function imagesOf(children: readonly Child[]): Record<string, unknown> {
  return Object.fromEntries(
    // The test's own values.
    children.map(({ spec }): [string, unknown] => [
      spec.kubeConfig?.secretRef?.name ?? '',
      (spec['values'] as { image: string }).image,
    ]),
  );
}

describe('the history of an Application, on a real API server', () => {
  const harness = useHarness();

  const put = (name: string, image: string, revisionHistoryLimit?: number) => {
    const entries = ['eu', 'us'].map((cluster) => deploy('prod', cluster, { values: { image } }));
    return harness.apply(withHistory(harness.wanted(name, entries), revisionHistoryLimit));
  };
  /** A full quota: nobody counts what it limits. Returns what ends it. */
  const forbidRevisions = async (): Promise<() => Promise<unknown>> => {
    const hard = { 'count/controllerrevisions.apps': '0' };
    const { namespace } = harness;
    const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'no-more', namespace }, spec: { hard } };
    await harness.kube.create(quotas, quota);
    await harness.kube.patch(
      quotas,
      quota.metadata,
      { type: 'merge', body: { status: { hard, used: hard } } },
      { subresource: 'status' },
    );
    return () => harness.kube.delete(quotas, quota.metadata);
  };
  const revisionsOf = async (name: string): Promise<ApplicationRevision[]> => {
    const { items } = await listAll<ApplicationRevision>(harness.kube, controllerRevisionResource, {
      namespace: harness.namespace,
    });
    const isIts = ({ metadata }: KubeObject): boolean => metadata.ownerReferences?.[0]?.name === name;
    return items.filter(isIts).sort((one, other) => one.revision - other.revision);
  };
  const numbers = async (name: string) => (await revisionsOf(name)).map(({ revision }) => revision);
  const eventuallyRuns = (name: string, images: Record<string, string>) =>
    eventually(async () => expect(imagesOf(await harness.childrenOf(name))).toEqual(images));
  const pinnedOf = async (name: string) => getCondition((await harness.read(name)).status?.conditions, 'Pinned');

  it('is not kept unless it is asked for', async () => {
    await put('none', 'a');
    await eventuallyRuns('none', { eu: 'a', us: 'a' });
    expect(await revisionsOf('none')).toEqual([]);
    expect((await harness.read('none')).status?.history).toBeUndefined();
  });

  it('goes back, stays there, and goes on when it is released', async () => {
    await put('back', 'a', 2);
    await eventuallyRuns('back', { eu: 'a', us: 'a' });
    await put('back', 'b', 2);
    await eventuallyRuns('back', { eu: 'b', us: 'b' });
    expect(await numbers('back')).toEqual([1, 2]);
    await harness.annotate('back', { [PIN]: '1' });
    await eventuallyRuns('back', { eu: 'a', us: 'a' });
    await eventually(async () => {
      expect((await harness.read('back')).status?.history).toMatchObject({ revision: 2, pinned: '1' });
      expect(await pinnedOf('back')).toMatchObject({ status: 'True', reason: 'Pinned' });
    });
    expect((await pinnedOf('back'))?.message).toContain(
      `kubectl annotate gapp back -n ${harness.namespace} gitops.kubesphere.io/pin-revision-`,
    );
    await harness.passAfter('back', () => put('back', 'c', 2));
    expect(imagesOf(await harness.childrenOf('back'))).toEqual({ eu: 'a', us: 'a' });
    expect(await numbers('back')).toEqual([1, 2, 3]);
    await harness.annotate('back', { [PIN]: null });
    await eventuallyRuns('back', { eu: 'c', us: 'c' });
    await eventually(async () => expect(await pinnedOf('back')).toBeUndefined());
  });

  it('goes back on one cluster only', async () => {
    await put('one', 'a', 5);
    await eventuallyRuns('one', { eu: 'a', us: 'a' });
    await put('one', 'b', 5);
    await eventuallyRuns('one', { eu: 'b', us: 'b' });
    await harness.annotate('one', { [CLUSTERS]: 'us=1' });
    await eventuallyRuns('one', { eu: 'b', us: 'a' });
  });

  it('forgets what is older than the limit, but nothing that is pinned', async () => {
    await put('old', 'a', 1);
    await eventuallyRuns('old', { eu: 'a', us: 'a' });
    await harness.annotate('old', { [PIN]: '1' });
    for (const image of ['b', 'c', 'd']) await harness.passAfter('old', () => put('old', image, 1));
    await eventually(async () => expect(await numbers('old')).toEqual([1, 3, 4]));
    expect(imagesOf(await harness.childrenOf('old'))).toEqual({ eu: 'a', us: 'a' });
    await harness.annotate('old', { [PIN]: null });
    await eventuallyRuns('old', { eu: 'd', us: 'd' });
    await eventually(async () => expect(await numbers('old')).toEqual([3, 4]));
  });

  it('changes nothing for a pin to what is not kept, and says so', async () => {
    await put('lost', 'a', 5);
    await eventuallyRuns('lost', { eu: 'a', us: 'a' });
    await harness.annotate('lost', { [PIN]: '9' });
    await eventually(async () => expect(await pinnedOf('lost')).toMatchObject({ reason: 'RevisionUnknown' }));
    await harness.passAfter('lost', () => put('lost', 'b', 5));
    expect(imagesOf(await harness.childrenOf('lost'))).toEqual({ eu: 'a', us: 'a' });
    await harness.becomes('lost', 'False', 'RevisionUnknown');
    await harness.annotate('lost', { [PIN]: 'latest' });
    await eventually(async () => expect((await pinnedOf('lost'))?.message).toContain('"latest" is not a revision'));
    expect(imagesOf(await harness.childrenOf('lost'))).toEqual({ eu: 'a', us: 'a' });
  });

  it('that cannot be written stops nothing else, and is named with the way out', async () => {
    await put('full', 'a', 5);
    await eventuallyRuns('full', { eu: 'a', us: 'a' });
    const lift = await forbidRevisions();
    await put('full', 'b', 5);
    await harness.becomes('full', 'False', 'RevisionNotKept');
    const ready = getCondition((await harness.read('full')).status?.conditions, 'Ready');
    expect(ready?.message).toMatch(/cannot create ControllerRevision .*\/full-[a-z2-7]{10}: .*no-more/);
    expect(imagesOf(await harness.childrenOf('full'))).toEqual({ eu: 'a', us: 'a' });
    expect((await harness.read('full')).status?.history).toMatchObject({
      id: expect.stringMatching(/^1-[0-9a-f]{8}$/),
    });
    await harness.apply(withHistory(harness.wanted('full', [deploy('prod', 'us', { values: { image: 'b' } })]), 5));
    await eventuallyRuns('full', { us: 'a' });
    await lift();
    await harness.passAfter('full', () => harness.annotate('full', { note: 'now' }));
    await eventuallyRuns('full', { us: 'b' });
    expect(await numbers('full')).toEqual([1, 2]);
  });

  it('writes nothing while nothing changes', async () => {
    await put('calm', 'a', 5);
    await eventuallyRuns('calm', { eu: 'a', us: 'a' });
    await harness.becomes('calm', 'Unknown', 'DestinationsNotReady');
    const before = await harness.position('calm');
    await harness.passAfter('calm', () => harness.annotate('calm', { note: 'read by nobody' }));
    expect(await harness.writes(before, 'calm')).toEqual([]);
    expect(await numbers('calm')).toEqual([1]);
  });
});
