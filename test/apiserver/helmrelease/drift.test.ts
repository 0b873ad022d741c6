import { beforeAll, describe, expect, test } from '@jest/globals';
import { configMapResource } from '#api/core.js';
import { helmReleaseResource, type HelmRelease } from '#api/flux/helm-release.js';
import type { ResourceType, Unstructured } from '#api/meta.js';
import { auditEntries, auditPosition, eventually } from '../../support/world.js';
import { PLAIN } from './charts.js';
import { revisionsOf } from './stored-revisions.js';
import { conditionOf, useHarness } from './harness.js';

const DEPLOYMENTS: ResourceType = {
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
  namespaced: true,
};
const EVENTS: ResourceType = { group: '', version: 'v1', kind: 'Event', plural: 'events', namespaced: true };

const harness = useHarness('hr-drift', { charts: { plain: PLAIN } });
let passes = 0;

type Drifting = NonNullable<HelmRelease['spec']['driftDetection']>;

async function install(name: string, driftDetection: Drifting, values: object = {}): Promise<void> {
  await harness.apply(name, { driftDetection, values: { image: 'example.com/web', ...values } });
  await harness.untilReady(name);
}

/** A pass from beginning to end, as the interval makes one. */
async function look(name: string): Promise<HelmRelease> {
  passes += 1;
  const requestedAt = `pass-${passes}`;
  const body = { metadata: { annotations: { 'reconcile.fluxcd.io/requestedAt': requestedAt } } };
  const ref = { name, namespace: harness.namespace };
  await harness.host.patch(helmReleaseResource, ref, { type: 'merge', body }, { fieldManager: 'test' });
  return harness.until(name, ({ status }) => expect(status?.lastHandledReconcileAt).toBe(requestedAt));
}

function deleteConfigMap(name: string): Promise<boolean> {
  return harness.member.delete(configMapResource, { name, namespace: harness.namespace });
}

async function edit(type: ResourceType, name: string, body: object, fieldManager = 'kubectl-edit'): Promise<void> {
  await harness.member.patch(type, { name, namespace: harness.namespace }, { type: 'merge', body }, { fieldManager });
}

async function deployment(name: string): Promise<{ replicas: number; image: string }> {
  const live = await harness.member.get<Unstructured>(DEPLOYMENTS, { name, namespace: harness.namespace });
  // The chart of the test makes it.
  const { replicas, template } = live?.['spec'] as {
    replicas: number;
    template: { spec: { containers: { image: string }[] } };
  };
  return { replicas, image: template.spec.containers[0]?.image ?? '' };
}

async function events(name: string, reason: string): Promise<string[]> {
  const { items } = await harness.host.list<Unstructured>(EVENTS, { namespace: harness.namespace });
  return items
    .filter((event) => event['reason'] === reason)
    .filter((event) => (event['involvedObject'] as { name?: string }).name === name)
    .map((event) => String(event['message']));
}

async function writesOnMember(since: number, release: string): Promise<string[]> {
  const [cluster] = harness.world.members;
  if (cluster === undefined) throw new Error('the world has no member');
  return (await auditEntries(cluster, since))
    .filter(
      ({ requestURI }) => requestURI.includes(`/namespaces/${harness.namespace}/`) && requestURI.includes(release),
    )
    .filter(({ requestURI, userAgent }) => !requestURI.includes('dryRun=All') && userAgent.startsWith('fairlead'))
    .map(({ verb, requestURI }) => `${verb} ${requestURI}`);
}

describe('drift detection enabled', () => {
  beforeAll(() => install('web', { mode: 'enabled' }));

  test('recreates a deleted ConfigMap without a new revision', async () => {
    await deleteConfigMap('web');
    const release = await look('web');
    expect((await harness.configMap('web'))?.data).toMatchObject({ color: 'blue' });
    expect(conditionOf(release, 'Drifted')).toMatchObject({ status: 'False', reason: 'NoDriftDetected' });
    expect(conditionOf(release, 'Ready')).toMatchObject({ status: 'True' });
    expect(await revisionsOf(harness, 'web')).toEqual(['1 deployed']);
    await eventually(async () => {
      expect(await events('web', 'DriftDetected')).toContainEqual(
        expect.stringContaining(`ConfigMap/${harness.namespace}/web removed`),
      );
      expect(await events('web', 'DriftCorrected')).toContainEqual(
        expect.stringContaining(`ConfigMap/${harness.namespace}/web created`),
      );
    });
  });

  test('reverts a changed field, and the label that helm needs', async () => {
    await edit(configMapResource, 'web', {
      data: { color: 'pink', mine: 'stays' },
      metadata: { labels: { 'app.kubernetes.io/managed-by': 'me' } },
    });
    await look('web');
    const live = await harness.configMap('web');
    expect(live?.data).toMatchObject({ color: 'blue', mine: 'stays' });
    expect(live?.metadata.labels).toMatchObject({ 'app.kubernetes.io/managed-by': 'Helm' });
  });

  test('leaves replicas that another controller owns and the chart does not set', async () => {
    await edit(DEPLOYMENTS, 'web', { spec: { replicas: 3 } }, 'autoscaler');
    await look('web');
    expect(await deployment('web')).toEqual({ replicas: 3, image: 'example.com/web' });
  });

  test('writes nothing when nothing drifted', async () => {
    await look('web');
    const [cluster] = harness.world.members;
    const since = cluster === undefined ? 0 : await auditPosition(cluster);
    await look('web');
    expect(await writesOnMember(since, 'web')).toEqual([]);
  });
});

test.concurrent('an ignored field is left, also while another one is corrected', async () => {
  await install('ignoring', {
    mode: 'enabled',
    ignore: [{ paths: ['/data/color'], target: { kind: 'ConfigMap', name: 'ignor.*' } }],
  });
  await edit(configMapResource, 'ignoring', { data: { color: 'pink' } });
  await look('ignoring');
  expect((await harness.configMap('ignoring'))?.data).toMatchObject({ color: 'pink' });
  expect(await events('ignoring', 'DriftDetected')).toEqual([]);
  await edit(configMapResource, 'ignoring', { data: { upgrade: 'maybe' } });
  await look('ignoring');
  expect((await harness.configMap('ignoring'))?.data).toMatchObject({ color: 'pink', upgrade: 'false' });
});

test.concurrent('an object that opts out is left unchanged', async () => {
  await install('free', { mode: 'enabled' });
  const annotations = { 'helm.toolkit.fluxcd.io/driftDetection': 'disabled' };
  await edit(configMapResource, 'free', { data: { color: 'pink' }, metadata: { annotations } });
  await look('free');
  expect((await harness.configMap('free'))?.data).toMatchObject({ color: 'pink' });
});

test.concurrent('warn tells, in the condition and in an event, and writes nothing', async () => {
  await install('told', { mode: 'warn' });
  await deleteConfigMap('told-extra');
  const [cluster] = harness.world.members;
  const since = cluster === undefined ? 0 : await auditPosition(cluster);
  const release = await look('told');
  expect(conditionOf(release, 'Drifted')).toMatchObject({
    status: 'True',
    reason: 'DriftDetected',
    message: expect.stringContaining(`ConfigMap/${harness.namespace}/told-extra removed`),
  });
  expect(conditionOf(release, 'Ready')).toMatchObject({ status: 'True' });
  expect(await writesOnMember(since, 'told')).toEqual([]);
  expect(await harness.configMap('told-extra')).toBeUndefined();
});

test.concurrent('a rule that is no regular expression is said by name', async () => {
  await harness.apply('wrong', {
    driftDetection: { mode: 'enabled', ignore: [{ paths: ['/data'], target: { name: '(' } }] },
  });
  await harness.until('wrong', (release) => {
    expect(conditionOf(release, 'Ready')).toMatchObject({
      status: 'False',
      message: expect.stringContaining('spec.driftDetection.ignore[0].target: "(" is not a regular expression'),
    });
  });
});
