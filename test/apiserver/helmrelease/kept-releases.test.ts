import { beforeAll, expect, test } from '@jest/globals';
import { eventResource, secretResource } from '#api/core.js';
import { helmChartResource, type HelmChart } from '#api/flux/helm-chart.js';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import type { Unstructured } from '#api/meta.js';
import { isMap } from '#lib/plain.js';
import { giveKubeconfig } from '../../support/kubeconfig-secret.js';
import { eventually } from '../../support/world.js';
import { PLAIN } from './charts.js';
import { conditionOf, useHarness } from './harness.js';
import { revisionsOf } from './stored-revisions.js';

const harness = useHarness('hr-kept', { charts: { plain: PLAIN, other: PLAIN } });

/** A second name of the member. */
const ALIAS = { kubeConfig: { secretRef: { name: 'alias' } } };

beforeAll(async () => {
  const [member] = harness.world.members;
  await giveKubeconfig(harness.host, { name: 'alias', namespace: harness.namespace }, member!.kubeconfig); // it has one
});

async function eventsOf(name: string): Promise<string> {
  const { items } = await harness.host.list<Unstructured>(eventResource, { namespace: harness.namespace });
  const own = items.filter((event) => isMap(event['involvedObject']) && event['involvedObject']['name'] === name);
  return own.map((event) => `${String(event['reason'])}: ${String(event['message'])}`).join('\n');
}

async function uidOf(name: string): Promise<string | undefined> {
  return (await harness.configMap(name))?.metadata.uid;
}

async function remove(name: string): Promise<void> {
  const ref = { name, namespace: harness.namespace };
  await harness.host.delete(helmReleaseResource, ref);
  await eventually(async () => expect(await harness.host.get(helmReleaseResource, ref)).toBeUndefined());
}

/**
 * Two HelmReleases that have one release, each with a record of its own, as after the restore of a backup. The objects
 * have the labels of the first one, which applied them last.
 */
async function makeTwins(release: string, second: object = {}): Promise<readonly [string, string]> {
  const [one, two] = [`${release}-one`, `${release}-two`];
  const other = { releaseName: release, storageNamespace: 'default', ...second };
  await harness.apply(two, other);
  await harness.untilReady(two);
  await harness.host.patch(
    helmReleaseResource,
    { name: two, namespace: harness.namespace },
    { type: 'merge', body: { spec: { suspend: true } } },
  );
  await remove(two);
  await harness.apply(one, { releaseName: release });
  await harness.untilReady(one);
  await harness.apply(two, other);
  await harness.untilReady(two);
  await harness.apply(one, { releaseName: release, values: { color: 'green' } });
  await harness.until(one, ({ status }) => expect(status?.history?.[0]?.version).toBe(2));
  await harness.untilReady(one);
  return [one, two];
}

test('a release that a second name of the cluster has too stays, whoever applied its objects last', async () => {
  const [one, two] = await makeTwins('pair', ALIAS);
  const uid = await uidOf('pair');
  await remove(one);
  await eventually(async () => {
    expect(await eventsOf(one)).toContain(
      `UninstallSkipped: Skipping Helm uninstall of release ${harness.namespace}/pair: HelmRelease ${harness.namespace}/${two} applies the same objects, and has a record of its own`,
    );
  });
  expect(await uidOf('pair')).toBe(uid);
  await remove(two);
  await eventually(async () => expect(await uidOf('pair')).toBeUndefined());
});

test('a release stays if nothing tells whether another one is on the same cluster', async () => {
  const [one, two] = await makeTwins('doubt', ALIAS);
  const uid = await uidOf('doubt');
  const { items } = await harness.member.list<Unstructured>(secretResource, {
    namespace: 'default',
    labelSelector: 'owner=helm,name=doubt',
  });
  const unmarked = { 'helm.toolkit.fluxcd.io/name': null, 'helm.toolkit.fluxcd.io/namespace': null };
  for (const { metadata } of items) {
    await harness.member.patch(secretResource, metadata, { type: 'merge', body: { metadata: { labels: unmarked } } });
  }
  await remove(one);
  await eventually(async () => {
    expect(await eventsOf(one)).toContain(`HelmRelease ${harness.namespace}/${two} may be on the same cluster`);
  });
  expect(await uidOf('doubt')).toBe(uid);
});

test('a remediation that would uninstall what another HelmRelease has says that nothing was uninstalled', async () => {
  const [one, two] = await makeTwins('remedy');
  const uid = await uidOf('remedy');
  const remediation = { strategy: 'uninstall' as const, remediateLastFailure: true };
  await harness.apply(one, { releaseName: 'remedy', values: { key: 'no key!' }, upgrade: { remediation } });
  const why = `nothing was uninstalled: HelmRelease ${harness.namespace}/${two} applies the same objects`;
  await harness.until(one, (release) => {
    const message = expect.stringContaining(why);
    expect(conditionOf(release, 'Remediated')).toMatchObject({ status: 'False', reason: 'UninstallFailed', message });
    expect(conditionOf(release, 'Ready')?.status).toBe('False');
  });
  await eventually(async () => expect(await eventsOf(one)).toContain(why));
  expect(await uidOf('remedy')).toBe(uid);
});

async function writeChart(chart: string): Promise<void> {
  const sourceRef = { kind: 'HelmRepository' as const, name: 'charts' };
  const made: HelmChart = {
    ...{ apiVersion: 'source.toolkit.fluxcd.io/v1', kind: 'HelmChart' },
    metadata: { name: 'renamed', namespace: harness.namespace },
    spec: { chart, version: '1.0.0', interval: '10m', sourceRef },
  };
  await harness.host.apply(helmChartResource, made, { fieldManager: 'test', force: true });
}

test('a release whose chart has another name only in its files is left as it is until the spec says what to do', async () => {
  const spec = { chart: undefined, chartRef: { kind: 'HelmChart', name: 'renamed' } } as const;
  await writeChart('plain');
  await harness.apply('folder', spec);
  await harness.untilReady('folder');
  const uid = await uidOf('folder');
  await writeChart('other');
  const held = (): Promise<unknown> =>
    harness.until('folder', (release) => {
      const message = expect.stringContaining('Set upgrade.chartNameChangeStrategy: InPlaceUpdate to upgrade it, or ');
      expect(conditionOf(release, 'Stalled')).toMatchObject({ status: 'True', reason: 'ChartRenamed', message });
      expect(conditionOf(release, 'Ready')).toMatchObject({ status: 'False', reason: 'ChartRenamed', message });
      expect(release.status?.observedGeneration).toBe(release.metadata.generation);
    });
  await held();
  await harness.apply('folder', { ...spec, values: { color: 'green' } });
  await held();
  expect(await uidOf('folder')).toBe(uid);
  await harness.apply('folder', { ...spec, upgrade: { chartNameChangeStrategy: 'InPlaceUpdate' } });
  await harness.untilReady('folder');
  expect(await uidOf('folder')).toBe(uid);
  await writeChart('plain');
  await harness.until('folder', ({ status }) => expect(status?.history?.[0]?.chartName).toBe('plain'));
  await harness.apply('folder', { ...spec, upgrade: { chartNameChangeStrategy: 'Reinstall' } });
  await harness.untilReady('folder');
  await writeChart('other');
  await harness.until('folder', ({ status }) => expect(status?.history?.[0]?.chartName).toBe('other'));
  expect(await uidOf('folder')).not.toBe(uid);
});

test('a release that is to get the name of another one stays until that one is gone', async () => {
  await harness.apply('first', {});
  await harness.untilReady('first');
  const uid = await uidOf('first');
  await harness.apply('second', {});
  await harness.untilReady('second');
  await harness.apply('first', { releaseName: 'second' });
  await harness.until('first', (release) => {
    const message = expect.stringContaining(`release second belongs to HelmRelease ${harness.namespace}/second`);
    expect(conditionOf(release, 'Stalled')).toMatchObject({ status: 'True', reason: 'ReleaseHeld', message });
  });
  expect(await revisionsOf(harness, 'first')).toEqual(['1 deployed']);
  expect(await uidOf('first')).toBe(uid);
  await harness.apply('second', { releaseName: 'third' });
  // This happens long before the interval of 10 minutes.
  await harness.until('first', ({ status }) => expect(status?.history?.[0]?.name).toBe('second'));
  await harness.untilReady('first');
});
