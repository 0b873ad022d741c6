import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { helmChartResource } from '#api/flux/helm-chart.js';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import { helmRepositoryResource, type HelmRepository } from '#api/flux/helm-repository.js';
import { PLAIN, writeChart } from './charts.js';
import { useHarness } from './harness.js';

const execute = promisify(execFile);
const ANNOTATION = 'gitops.kubesphere.io/dry-run';
const harness = useHarness('hr-dry-version', { charts: {}, sources: true });

async function pushChart(): Promise<void> {
  const dir = await mkdtemp(path.join(tmpdir(), 'fairlead-charts-'));
  const { registry, tools } = harness.world;
  const place = `oci://${registry}/${harness.namespace}`;
  const folder = await writeChart(dir, 'plain', '1.0.0', { ...PLAIN, 'prod.yaml': 'color: blue\n' });
  await execute(tools.helm, ['package', folder, '--destination', dir]);
  await execute(tools.helm, ['push', path.join(dir, 'plain-1.0.0.tgz'), place, '--plain-http']);
  await rm(dir, { recursive: true });
  const repository: HelmRepository = {
    ...{ apiVersion: 'source.toolkit.fluxcd.io/v1', kind: 'HelmRepository' },
    metadata: { name: 'charts', namespace: harness.namespace },
    spec: { interval: '1h', type: 'oci', url: place, insecure: true },
  };
  await harness.host.apply(helmRepositoryResource, repository, { fieldManager: 'test', force: true });
}

const SPEC = { chart: 'plain', version: '1.0.0', sourceRef: { kind: 'HelmRepository' as const, name: 'charts' } };

function chartOf(valuesFiles: string[], labels: Record<string, string> = {}) {
  return { chart: { metadata: { labels }, spec: { ...SPEC, valuesFiles } } };
}

async function annotate(value: string | null): Promise<void> {
  const body = { metadata: { annotations: { [ANNOTATION]: value } } };
  await harness.host.patch(helmReleaseResource, { name: 'web', namespace: harness.namespace }, { type: 'merge', body });
}

/** The version of the chart in the change set of the release as it is now. */
async function foretold(): Promise<string | undefined> {
  const { status } = await harness.until('web', ({ metadata, status: found }) => {
    expect(found?.dryRun?.observedGeneration).toBe(metadata.generation);
  });
  return status?.dryRun?.revision;
}

/** What is released once it is no dry run any more. */
async function released(): Promise<string | undefined> {
  await annotate(null);
  const { status } = await harness.untilReady('web');
  return status?.history?.[0]?.chartVersion;
}

test('a dry run names the version that a chart with values files will have', async () => {
  const { namespace } = harness;
  await pushChart();
  await harness.apply('web', { ...chartOf(['prod.yaml']), suspend: true });
  await annotate('true');
  await harness.apply('web', chartOf(['prod.yaml']));
  expect(await foretold()).toBe('1.0.0+1');
  expect(await harness.host.get(helmChartResource, { name: `${namespace}-web`, namespace })).toBeUndefined();
  expect(await released()).toBe('1.0.0+1');

  // Another generation of the HelmChart.
  await annotate('true');
  await harness.apply('web', chartOf(['values.yaml', 'prod.yaml']));
  expect(await foretold()).toBe('1.0.0+2');
  expect(await released()).toBe('1.0.0+2');

  // Labels are written, and make none.
  await annotate('true');
  await harness.apply('web', chartOf(['values.yaml', 'prod.yaml'], { team: 'shop' }));
  expect(await foretold()).toBe('1.0.0+2');
  expect(await released()).toBe('1.0.0+2');
});
