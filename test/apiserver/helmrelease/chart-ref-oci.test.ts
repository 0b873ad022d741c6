import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { HelmRelease } from '#api/flux/helm-release.js';
import { helmRepositoryResource, type HelmRepository } from '#api/flux/helm-repository.js';
import { ociRepositoryResource, type OCIRepository } from '#api/flux/oci-repository.js';
import { Pusher, tarLayer } from '../../support/oci.js';
import { eventually } from '../../support/world.js';
import { writeChart, type ChartFiles } from './charts.js';
import { conditionOf, useHarness } from './harness.js';

const execute = promisify(execFile);
const harness = useHarness('hr-oci', { charts: {}, sources: true });
const CHART_LAYER = 'application/vnd.cncf.helm.chart.content.v1.tar+gzip';

/** Shows the version wherever a template may ask for it. */
function files(color: string): ChartFiles {
  return {
    'values.yaml': `color: ${color}\n`,
    'charts/below/Chart.yaml': 'apiVersion: v2\nname: below\nversion: 0.3.0\n',
    'charts/below/templates/config.yaml': `apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}-below}
data: {version: {{ .Chart.Version }}}
`,
    'templates/_helpers.tpl': '{{- define "version" }}{{ .Chart.Version }}{{ end }}',
    'templates/config.yaml': `apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}
  labels: {chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}}
data:
  color: {{ .Values.color }}
  version: {{ include "version" . }}
  chart: {{ .Chart | toJson | quote }}
`,
  };
}

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'fairlead-charts-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

function place(): string {
  return `${harness.world.registry}/${harness.namespace}`;
}

/** Pushes a chart as a user does. Returns its digest. */
async function push(name: string, version: string, chart: ChartFiles): Promise<string> {
  const { helm } = harness.world.tools;
  const folder = await writeChart(dir, name, version, chart);
  await execute(helm, ['package', folder, '--destination', dir]);
  const archive = path.join(dir, `${name}-${version}.tgz`);
  const { stdout, stderr } = await execute(helm, ['push', archive, `oci://${place()}`, '--plain-http']);
  const digest = /sha256:[0-9a-f]{64}/.exec(`${stdout}${stderr}`)?.[0];
  if (digest === undefined) throw new Error(`helm push printed no digest: ${stdout}${stderr}`);
  return digest;
}

async function writeSource(name: string, spec: Partial<OCIRepository['spec']>): Promise<void> {
  const repository: OCIRepository = {
    ...{ apiVersion: 'source.toolkit.fluxcd.io/v1', kind: 'OCIRepository' },
    metadata: { name, namespace: harness.namespace },
    spec: { interval: '1h', url: `oci://${place()}/${name}`, insecure: true, ...spec },
  };
  await harness.host.apply(ociRepositoryResource, repository, { fieldManager: 'test', force: true });
}

/** Another look at the registry, before the interval ends. Waits for its end. */
async function fetchAgain(name: string): Promise<void> {
  const ref = { name, namespace: harness.namespace };
  const token = new Date().toISOString();
  const body = { metadata: { annotations: { 'reconcile.fluxcd.io/requestedAt': token } } };
  await harness.host.patch(ociRepositoryResource, ref, { type: 'merge', body });
  await eventually(async () => {
    const source = await harness.host.get<OCIRepository>(ociRepositoryResource, ref);
    expect(source?.status?.lastHandledReconcileAt).toBe(token);
  });
}

function refTo(name: string): Pick<HelmRelease['spec'], 'chartRef'> & { chart: undefined } {
  return { chart: undefined, chartRef: { kind: 'OCIRepository', name } };
}

function tracked(version: string, digest: string): string {
  return `${version}+${digest.slice('sha256:'.length, 'sha256:'.length + 12)}`;
}

function revisions({ status }: HelmRelease): unknown[] {
  return (status?.history ?? []).map(({ version, chartVersion, ociDigest }) => [version, chartVersion, ociDigest]);
}

test.concurrent('a chart is released by its digest, and again when its version is pushed again', async () => {
  await harness.apply('again', refTo('again'));
  const missing = `OCIRepository '${harness.namespace}/again' named by spec.chartRef does not exist: create it`;
  await harness.until('again', (release) => {
    expect(conditionOf(release, 'Ready')).toMatchObject({ reason: 'SourceNotReady', message: missing });
  });
  const first = await push('again', '1.0.0', files('blue'));
  await writeSource('again', { ref: { tag: '1.0.0' } });
  const { status } = await harness.untilReady('again');
  const version = tracked('1.0.0', first);
  expect(status).toMatchObject({ lastAttemptedRevision: version, lastAttemptedRevisionDigest: first });
  expect(status?.history).toMatchObject([{ chartVersion: version, ociDigest: first, status: 'deployed' }]);
  const installed = await harness.configMap('again');
  expect(installed?.metadata.labels).toMatchObject({ chart: `again-${version.replace('+', '_')}` });
  expect((await harness.configMap('again-below'))?.data).toEqual({ version: '0.3.0' });
  expect(JSON.parse(await harness.helm('list', '--filter', '^again$', '--output', 'json'))).toMatchObject([
    { chart: `again-${version}`, revision: '1' },
  ]);

  // Apart from the version that Flux gives it, the chart is what the real helm makes of it.
  await harness.helm('install', 'by-helm', `oci://${place()}/again`, '--version', '1.0.0', '--plain-http');
  const byHelm = await harness.configMap('by-helm');
  const plain = (data: unknown): unknown => JSON.parse(JSON.stringify(data).replaceAll(version, '1.0.0'));
  expect(plain(installed?.data)).toEqual(byHelm?.data);

  const second = await push('again', '1.0.0', files('green'));
  await fetchAgain('again');
  const upgraded = await harness.until('again', (release) => {
    expect(release.status?.history?.[0]?.version).toBe(2);
    expect(conditionOf(release, 'Ready')?.status).toBe('True');
  });
  expect(revisions(upgraded)).toEqual([
    [2, tracked('1.0.0', second), second],
    [1, version, first],
  ]);
  expect((await harness.configMap('again'))?.data).toMatchObject({ color: 'green' });
});

test.concurrent('a version range moves the release, and an unchanged chart does nothing', async () => {
  const copied = { layerSelector: { mediaType: CHART_LAYER, operation: 'copy' as const } };
  const first = await push('range', '1.0.0', files('blue'));
  await writeSource('range', { ...copied, ref: { semver: '1.x' } });
  await harness.apply('range', refTo('range'));
  await harness.untilReady('range');
  await fetchAgain('range');
  expect(revisions(await harness.read('range'))).toEqual([[1, tracked('1.0.0', first), first]]);
  const second = await push('range', '1.1.0', files('green'));
  await fetchAgain('range');
  await harness.until('range', (release) => {
    expect(revisions(release)).toEqual([
      [2, tracked('1.1.0', second), second],
      [1, tracked('1.0.0', first), first],
    ]);
  });
});

test.concurrent('a release moves from a chart of its own to an OCIRepository by an upgrade', async () => {
  const first = await push('moved', '1.0.0', files('blue'));
  const repository: HelmRepository = {
    ...{ apiVersion: 'source.toolkit.fluxcd.io/v1', kind: 'HelmRepository' },
    metadata: { name: 'registry', namespace: harness.namespace },
    spec: { type: 'oci', url: `oci://${place()}`, insecure: true },
  };
  await harness.host.apply(helmRepositoryResource, repository, { fieldManager: 'test', force: true });
  const sourceRef = { kind: 'HelmRepository' as const, name: 'registry' };
  await harness.apply('moved', { chart: { spec: { chart: 'moved', version: '1.0.0', sourceRef } } });
  expect(revisions(await harness.untilReady('moved'))).toEqual([[1, '1.0.0', undefined]]);
  const before = await harness.configMap('moved');

  await writeSource('moved', { ref: { tag: '1.0.0' } });
  await harness.apply('moved', refTo('moved'));
  await harness.until('moved', (release) => {
    expect(revisions(release)).toEqual([
      [2, tracked('1.0.0', first), first],
      [1, '1.0.0', undefined],
    ]);
    expect(conditionOf(release, 'Ready')?.status).toBe('True');
  });
  expect((await harness.configMap('moved'))?.metadata.uid).toBe(before?.metadata.uid);
  expect(JSON.parse(await harness.helm('history', 'moved', '--output', 'json'))).toMatchObject([
    { revision: 1, status: 'superseded', chart: 'moved-1.0.0' },
    { revision: 2, status: 'deployed', chart: `moved-${tracked('1.0.0', first)}` },
  ]);
});

test.concurrent('a chart that Helm does not load changes nothing of a release that runs', async () => {
  const pusher = new Pusher(`http://${harness.world.registry}`, `${harness.namespace}/runs`);
  const pushed = async (chartName: string, color: string): Promise<void> => {
    const metadata = `apiVersion: v2\nname: ${chartName}\nversion: 1.0.0\n`;
    const layer = await tarLayer({
      'runs/Chart.yaml': metadata,
      'runs/values.yaml': `color: ${color}\n`,
      'runs/templates/config.yaml': files(color)['templates/config.yaml'] ?? '',
      'runs/templates/_helpers.tpl': files(color)['templates/_helpers.tpl'] ?? '',
    });
    await pusher.image('1.0.0', [layer]);
  };
  await pushed('runs', 'blue');
  await writeSource('runs', { ref: { tag: '1.0.0' } });
  await harness.apply('runs', refTo('runs'));
  const { status } = await harness.untilReady('runs');
  const before = await harness.configMap('runs');

  await pushed('../../etc', 'red');
  await fetchAgain('runs');
  const failed = await harness.until('runs', (release) => {
    expect(conditionOf(release, 'Ready')).toMatchObject({ status: 'False', reason: 'ArtifactFailed' });
  });
  expect(conditionOf(failed, 'Ready')?.message).toMatch(/Chart\.yaml that is invalid: the name "\.\.\/\.\.\/etc" is/);
  expect(failed.status?.history).toEqual(status?.history);
  expect(await harness.configMap('runs')).toEqual(before);

  await pushed('runs', 'green');
  await fetchAgain('runs');
  const healed = await harness.until('runs', (release) => {
    expect(conditionOf(release, 'Ready')?.status).toBe('True');
    expect(release.status?.history?.[0]?.version).toBe(2);
  });
  expect(healed.status?.history).toHaveLength(2);
  expect(await harness.configMap('runs')).toMatchObject({
    metadata: { uid: before?.metadata.uid },
    data: { color: 'green' },
  });
});

describe('what is no chart that can be released is reported with a way out', () => {
  const chart = (yaml: string): Record<string, string> => ({ 'web/Chart.yaml': `apiVersion: v2\n${yaml}` });
  const layerOf = (content: Record<string, string> | string) =>
    typeof content === 'string' ? { mediaType: CHART_LAYER, data: Buffer.from(content) } : tarLayer(content);

  test.concurrent.each<[string, Record<string, string> | string, string, RegExp]>([
    ['no-chart', { 'app/a.yaml': 'a: b\n' }, 'ArtifactFailed', /has no Chart\.yaml: publish a Helm chart there$/],
    ['no-archive', 'a text', 'ArtifactFailed', /is not a readable tar\.gz$/],
    [
      'no-version',
      chart('name: web\nversion: newest\n'),
      'ArtifactFailed',
      /"newest" is not a semantic version: correct it/,
    ],
    [
      'other-tag',
      chart('name: web\nversion: 2.0.0\n'),
      'ChartMutateError',
      /"1\.0\.0" does not match .*"2\.0\.0": push/,
    ],
    ['long-name', chart(`name: ${'a'.repeat(10_000)}\nversion: 1.0.0\n`), 'ArtifactFailed', /more than 512/],
    ['path-name', chart('name: ../../etc\nversion: 1.0.0\n'), 'ArtifactFailed', /the name .* is invalid: correct it/],
    ['yaml-name', chart('name: {a: b}\nversion: 1.0.0\n'), 'ArtifactFailed', /cannot read the field name/],
    ['bad-yaml', chart('name: [\n'), 'ArtifactFailed', /has a Chart\.yaml that is not valid YAML$/],
  ])('%s', async (name, content, reason, message) => {
    const pusher = new Pusher(`http://${harness.world.registry}`, `${harness.namespace}/${name}`);
    await pusher.image('1.0.0', [await layerOf(content)]);
    const operation = typeof content === 'string' ? 'copy' : 'extract';
    await writeSource(name, { ref: { tag: '1.0.0' }, layerSelector: { operation } });
    await harness.apply(name, refTo(name));
    const failed = await harness.until(name, (release) => {
      expect(conditionOf(release, 'Ready')).toMatchObject({ status: 'False', reason });
    });
    const shown = conditionOf(failed, 'Ready')?.message ?? '';
    expect(shown).toMatch(message);
    expect(shown).not.toContain(tmpdir());
    expect(shown.length).toBeLessThan(1_000);
    await pusher.image('1.0.0', [await tarLayer(chart('name: web\nversion: 1.0.0\n'))]);
    await fetchAgain(name);
    await harness.untilReady(name);
  });
});
