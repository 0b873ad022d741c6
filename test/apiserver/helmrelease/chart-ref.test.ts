import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { helmChartResource, type HelmChart } from '#api/flux/helm-chart.js';
import { helmReleaseResource, type HelmRelease } from '#api/flux/helm-release.js';
import { startPublisher, type Publisher } from '../../support/external-artifact.js';
import { sha256 } from '../../support/oci.js';
import { eventually } from '../../support/world.js';
import { PLAIN } from './charts.js';
import { conditionOf, useHarness } from './harness.js';

const harness = useHarness('hr-ref', { charts: { plain: PLAIN } });
let publisher: Publisher;
beforeAll(async () => {
  await harness.publish('plain', '1.1.0', PLAIN);
  publisher = await startPublisher(harness.host);
});
afterAll(() => publisher.close());

/** A HelmChart that no HelmRelease made. */
async function writeHelmChart(name: string, version: string): Promise<void> {
  const { host, namespace } = harness;
  const spec = {
    chart: 'plain',
    version,
    interval: '10m',
    sourceRef: { kind: 'HelmRepository' as const, name: 'charts' },
  };
  const chart: HelmChart = {
    ...{ apiVersion: 'source.toolkit.fluxcd.io/v1', kind: 'HelmChart' },
    ...{ metadata: { name, namespace }, spec },
  };
  await host.apply(helmChartResource, chart, { fieldManager: 'test', force: true });
}

function refTo(name: string): Pick<HelmRelease['spec'], 'chartRef'> & { chart: undefined } {
  return { chart: undefined, chartRef: { kind: 'HelmChart', name } };
}

function versions({ status }: HelmRelease): string[] {
  return (status?.history ?? []).map(({ version, chartVersion }) => `${version} ${chartVersion}`);
}

test.concurrent('a release waits for its HelmChart, follows it, and leaves it when it goes', async () => {
  const { host, namespace } = harness;
  await harness.apply('follower', refTo('shared'));
  await harness.until('follower', (release) => {
    const message = `HelmChart '${namespace}/shared' named by spec.chartRef does not exist: create it`;
    expect(conditionOf(release, 'Ready')).toMatchObject({ status: 'False', reason: 'SourceNotReady', message });
  });
  await writeHelmChart('shared', '1.0.0');
  const first = await harness.untilReady('follower');
  expect(versions(first)).toEqual(['1 1.0.0']);
  expect(first.status).not.toHaveProperty('helmChart');
  await writeHelmChart('shared', '1.1.0');
  await harness.until('follower', (release) => {
    expect(versions(release)).toEqual(['2 1.1.0', '1 1.0.0']);
    expect(conditionOf(release, 'Ready')?.status).toBe('True');
  });
  await host.delete(helmReleaseResource, { name: 'follower', namespace });
  await eventually(async () => expect(await harness.configMap('follower')).toBeUndefined());
  expect(await host.get(helmChartResource, { name: 'shared', namespace })).toBeDefined();
});

test.concurrent(
  'a release that moves from a chart of its own deletes that HelmChart, and makes no new revision',
  async () => {
    const { host, namespace } = harness;
    await harness.apply('mover', {});
    const { status } = await harness.untilReady('mover');
    expect(status?.helmChart).toBe(`${namespace}/${namespace}-mover`);
    await writeHelmChart('same', '1.0.0');
    // Another field manager would leave spec.chart beside it; this one takes it back.
    await harness.apply('mover', refTo('same'));
    const moved = await harness.untilReady('mover');
    expect(versions(moved)).toEqual(['1 1.0.0']);
    await eventually(async () => {
      expect((await harness.read('mover')).status).not.toHaveProperty('helmChart');
      expect(await host.get(helmChartResource, { name: `${namespace}-mover`, namespace })).toBeUndefined();
    });
  },
);

test.concurrent(
  'a release follows an ExternalArtifact, with a digest in its version where the revision has one',
  async () => {
    const { namespace } = harness;
    const ref = { name: 'published', namespace };
    const chart = await readFile(harness.chartFile('plain', '1.0.0'));
    await publisher.publish(ref);
    await harness.apply('published', { chart: undefined, chartRef: { kind: 'ExternalArtifact', name: 'published' } });
    await harness.until('published', (release) => {
      const message = `ExternalArtifact '${namespace}/published' is not ready: it has no artifact yet`;
      expect(conditionOf(release, 'Ready')).toMatchObject({ status: 'False', reason: 'SourceNotReady', message });
    });
    await publisher.publish(ref, chart, { revision: '1.0.0' });
    expect(versions(await harness.untilReady('published'))).toEqual(['1 1.0.0']);
    await publisher.publish(ref, chart);
    const upgraded = await harness.until('published', (release) => {
      expect(versions(release)).toEqual([`2 1.0.0+${sha256(chart).slice(7, 19)}`, '1 1.0.0']);
      expect(conditionOf(release, 'Ready')?.status).toBe('True');
    });
    expect(upgraded.status?.history?.[0]?.ociDigest).toBe(sha256(chart));
  },
);
