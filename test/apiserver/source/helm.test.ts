import { beforeAll, describe, expect, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import { appendFile, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { listen } from '#runtime/process/listen.js';
import { parseYaml } from '#lib/yaml/yaml.js';
import { chartFiles, conditionOf, useHarness } from './harness.js';

const harness = useHarness('src-helm');

beforeAll(async () => {
  await harness.publish(
    { name: 'web', version: '1.2.0' },
    { name: 'web', version: '1.10.0' },
    { name: 'web', version: '2.0.0-rc.1' },
  );
  await harness.apply('HelmRepository', 'charts', { url: harness.helmUrl });
});

function chart(fields: Record<string, unknown> = {}): Record<string, unknown> {
  return { chart: 'web', sourceRef: { kind: 'HelmRepository', name: 'charts' }, ...fields };
}

async function fileOf(kind: 'HelmChart', name: string, file: string): Promise<unknown> {
  const source = await harness.read(kind, name);
  const folder = await harness.unpacked(source?.status?.artifact);
  return parseYaml(await readFile(path.join(folder, 'web', file), 'utf8'));
}

describe('a HelmRepository', () => {
  test('becomes an artifact of its index', async () => {
    const { status } = await harness.untilReady('HelmRepository', 'charts');
    expect(status?.artifact?.revision).toBe(status?.artifact?.digest);
    expect(conditionOf({ status } as never, 'Ready')?.message).toBe(
      `stored artifact: revision '${status?.artifact?.revision ?? ''}'`,
    );
  });

  test('an index that was only made again is no change', async () => {
    const before = await harness.read('HelmRepository', 'charts');
    await harness.publish();
    const after = await harness.reconcile('HelmRepository', 'charts');
    expect(after.status?.artifact).toEqual(before?.status?.artifact);
  });

  test('a request is answered with the index, even if the server calls another one unchanged', async () => {
    let index = 'apiVersion: v1\nentries: {web: [{name: web, version: 1.0.0, urls: [web.tgz]}]}';
    const server = await listen(
      createServer(({ headers }, response) => {
        const etag = '"same"';
        if (headers['if-none-match'] === etag) response.writeHead(304, { etag }).end();
        else response.writeHead(200, { etag }).end(index);
      }),
    );
    await harness.apply('HelmRepository', 'stuck', { url: `http://127.0.0.1:${server.address.port}` });
    const { status } = await harness.untilReady('HelmRepository', 'stuck');
    index = index.replaceAll('1.0.0', '1.1.0');
    const after = await harness.reconcile('HelmRepository', 'stuck');
    await server.close();
    expect(conditionOf(after, 'Ready')?.status).toBe('True');
    expect(after.status?.artifact?.revision).not.toBe(status?.artifact?.revision);
  });

  test('one that does not answer keeps its artifact', async () => {
    await harness.apply('HelmRepository', 'gone', { url: harness.helmUrl });
    const { status } = await harness.untilReady('HelmRepository', 'gone');
    await harness.apply('HelmRepository', 'gone', { url: 'http://127.0.0.1:1/charts' });
    const failed = await harness.until('HelmRepository', 'gone', (current) => {
      expect(conditionOf(current, 'Ready')).toMatchObject({
        status: 'False',
        reason: 'IndexationFailed',
        message: 'cannot fetch http://127.0.0.1:1/charts/index.yaml: ECONNREFUSED',
      });
    });
    expect(failed.status?.artifact).toEqual(status?.artifact);
  });

  test('a URL without an index is reported', async () => {
    await harness.apply('HelmRepository', 'empty', { url: `${harness.helmUrl}/nothing` });
    await harness.until('HelmRepository', 'empty', (current) => {
      expect(conditionOf(current, 'Ready')?.message).toMatch(/index\.yaml: the server answered 404/);
    });
  });
});

describe('a chart that no HelmChart has', () => {
  test('is fetched without one, and kept until it is disposed of', async () => {
    await harness.untilReady('HelmRepository', 'charts');
    const { source: fetched, dispose } = await harness.fetchUnwritten('unwritten', chart({ version: '1.2.0' }));
    expect(fetched.status.artifact?.revision).toBe('1.2.0');
    await harness.unpacked(fetched.status.artifact);
    expect(await harness.read('HelmChart', 'unwritten')).toBeUndefined();
    await dispose();
    await expect(harness.unpacked(fetched.status.artifact)).rejects.toThrow('not in the store');
  });

  test('that does not exist is an invalid reference', async () => {
    await harness.untilReady('HelmRepository', 'charts');
    const fetching = harness.fetchUnwritten('unwritten', chart({ version: '9.9.9' }));
    await expect(fetching).rejects.toMatchObject({ reason: 'InvalidChartReference' });
  });
});

describe('a HelmChart of a HelmRepository', () => {
  test('is the newest release by default', async () => {
    await harness.apply('HelmChart', 'web', chart());
    const { status } = await harness.untilReady('HelmChart', 'web');
    expect(status?.artifact).toMatchObject({
      revision: '1.10.0',
      path: `helmchart/${harness.namespace}/web/web-1.10.0.tgz`,
    });
    expect(conditionOf({ status } as never, 'Ready')).toMatchObject({
      reason: 'ChartPullSucceeded',
      message: "pulled 'web' chart with version '1.10.0'",
    });
  });

  test('is the newest in its range', async () => {
    await harness.apply('HelmChart', 'ranged', chart({ version: '>=1.0.0, <1.5.0' }));
    expect((await harness.untilReady('HelmChart', 'ranged')).status?.artifact?.revision).toBe('1.2.0');
  });

  test('nothing new: a pass writes nothing but the answer to the request', async () => {
    const writes = await harness.writesDuring('web', () => harness.reconcile('HelmChart', 'web'));
    expect(writes).toHaveLength(2);
  });

  test('an archive is pulled once for all who want it', async () => {
    await harness.publish({ name: 'once', version: '1.0.0' });
    await harness.reconcile('HelmRepository', 'charts');
    await harness.apply('HelmChart', 'first', chart({ chart: 'once' }));
    const first = await harness.untilReady('HelmChart', 'first');
    await rm(path.join(harness.helmRoot, 'once-1.0.0.tgz'));
    await harness.apply('HelmChart', 'second', chart({ chart: 'once' }));
    const second = await harness.untilReady('HelmChart', 'second');
    expect(second.status?.artifact?.digest).toBe(first.status?.artifact?.digest);
  });

  test('a chart that does not exist: those that do are named, and a new index heals it', async () => {
    await harness.apply('HelmChart', 'api', chart({ chart: 'api' }));
    await harness.until('HelmChart', 'api', (current) => {
      expect(conditionOf(current, 'Stalled')).toMatchObject({
        reason: 'InvalidChartReference',
        message: expect.stringContaining("no chart 'api' found: the repository has once, web; correct spec.chart"),
      });
    });
    await harness.publish({ name: 'api', version: '0.1.0' });
    await harness.reconcile('HelmRepository', 'charts');
    const { status } = await harness.untilReady('HelmChart', 'api');
    expect(status?.artifact?.revision).toBe('0.1.0');
    expect(conditionOf({ status } as never, 'Stalled')).toBeUndefined();
  });

  test.each([
    ['none', '^9', "no 'web' chart with version matching '^9' found: the versions are 2.0.0-rc.1, 1.10.0, 1.2.0"],
    ['bad', 'newest', 'spec.version "newest" is neither a valid version nor a valid semver range'],
  ])('version %s', async (name, version, message) => {
    await harness.apply('HelmChart', name, chart({ version }));
    await harness.until('HelmChart', name, (current) => {
      expect(conditionOf(current, 'Stalled')).toMatchObject({
        reason: 'InvalidChartReference',
        message: expect.stringContaining(message),
      });
    });
  });

  test('a source that does not exist yet is waited for', async () => {
    await harness.apply('HelmChart', 'early', chart({ sourceRef: { kind: 'HelmRepository', name: 'late' } }));
    await harness.until('HelmChart', 'early', (current) => {
      expect(conditionOf(current, 'Ready')).toMatchObject({ status: 'False', reason: 'SourceUnavailable' });
    });
    await harness.apply('HelmRepository', 'late', { url: harness.helmUrl });
    await harness.untilReady('HelmChart', 'early');
  });

  test('values files replace values.yaml, and the version shows it', async () => {
    await harness.publish({
      name: 'valued',
      version: '1.0.0',
      files: { 'prod.yaml': 'size: {width: 9}\ncolor: null\n' },
    });
    await harness.reconcile('HelmRepository', 'charts');
    await harness.apply('HelmChart', 'valued', chart({ chart: 'valued', valuesFiles: ['values.yaml', 'prod.yaml'] }));
    const { status } = await harness.untilReady('HelmChart', 'valued');
    expect(status?.artifact?.revision).toBe('1.0.0+1');
    expect(status?.observedValuesFiles).toBeUndefined();
    const folder = path.join(await harness.unpacked(status?.artifact), 'valued');
    expect(parseYaml(await readFile(path.join(folder, 'values.yaml'), 'utf8'))).toEqual({
      color: null,
      size: { width: 9, height: 2 },
    });
    expect(parseYaml(await readFile(path.join(folder, 'Chart.yaml'), 'utf8'))).toMatchObject({ version: '1.0.0+1' });
  });
});

test('values files that are all missing change the version, as in Flux', async () => {
  const fields = { version: '1.2.0', valuesFiles: ['none.yaml'], ignoreMissingValuesFiles: true };
  await harness.apply('HelmChart', 'missing', chart(fields));
  const { status } = await harness.untilReady('HelmChart', 'missing');
  expect(status?.artifact?.revision).toBe('1.2.0+1');
  expect(await fileOf('HelmChart', 'missing', 'Chart.yaml')).toMatchObject({ version: '1.2.0+1' });
  await appendFile(path.join(harness.helmRoot, 'index.yaml'), '  other: []\n');
  await harness.reconcile('HelmRepository', 'charts');
  expect((await harness.reconcile('HelmChart', 'missing')).status?.artifact).toEqual(status?.artifact);
});

describe('a HelmChart of a GitRepository', () => {
  async function commitChart(version: string, extra: Record<string, string> = {}): Promise<string> {
    const entries = Object.entries(chartFiles('web', version)).map(([name, content]) => [
      `charts/web/${name}`,
      content,
    ]);
    return harness.commit({ ...(Object.fromEntries(entries) as Record<string, string>), ...extra });
  }

  beforeAll(async () => {
    await commitChart('0.3.0', { 'env/prod.yaml': 'color: red\n' });
    await harness.apply('GitRepository', 'app', { url: harness.gitUrl, ref: { branch: 'main' } });
    await harness.untilReady('GitRepository', 'app');
  });

  function packaged(fields: Record<string, unknown> = {}): Record<string, unknown> {
    return { chart: './charts/web', sourceRef: { kind: 'GitRepository', name: 'app' }, ...fields };
  }

  test('is packaged as helm packages it', async () => {
    await harness.apply('HelmChart', 'packaged', packaged());
    const { status } = await harness.untilReady('HelmChart', 'packaged');
    expect(status?.artifact?.revision).toBe('0.3.0');
    expect(conditionOf({ status } as never, 'Ready')).toMatchObject({
      reason: 'ChartPackageSucceeded',
      message: "packaged 'web' chart with version '0.3.0'",
    });
    expect(await fileOf('HelmChart', 'packaged', 'Chart.yaml')).toMatchObject({ name: 'web', version: '0.3.0' });
  });

  test('a commit that leaves the version alone makes a chart by Revision only', async () => {
    await harness.apply('HelmChart', 'follower', packaged({ reconcileStrategy: 'Revision' }));
    await harness.untilReady('HelmChart', 'follower');
    const before = await harness.read('HelmChart', 'packaged');
    const commit = await commitChart('0.3.0', { 'charts/web/values.yaml': 'color: green\n' });
    await harness.reconcile('GitRepository', 'app');
    const revision = `0.3.0+${commit.slice(0, 12)}`;
    await harness.until('HelmChart', 'follower', ({ status }) => expect(status?.artifact?.revision).toBe(revision));
    expect(await fileOf('HelmChart', 'follower', 'Chart.yaml')).toMatchObject({ version: revision });
    expect((await harness.reconcile('HelmChart', 'packaged')).status?.artifact).toEqual(before?.status?.artifact);
  });

  test('values files are looked up from the root of the source', async () => {
    await harness.apply('HelmChart', 'red', packaged({ valuesFiles: ['charts/web/values.yaml', 'env/prod.yaml'] }));
    await harness.untilReady('HelmChart', 'red');
    expect(await fileOf('HelmChart', 'red', 'values.yaml')).toMatchObject({ color: 'red' });
  });

  test.each([
    [
      'no-path',
      { chart: 'charts/none' },
      'InvalidChartReference',
      "'charts/none' in GitRepository 'app' has no Chart.yaml",
    ],
    ['escape', { chart: '../../etc' }, 'InvalidChartReference', 'has no Chart.yaml'],
    [
      'no-values',
      { valuesFiles: ['none.yaml'] },
      'ValuesFilesError',
      "values file 'none.yaml' named by spec.valuesFiles",
    ],
  ])('%s stalls and names the field', async (name, fields, reason, message) => {
    await harness.apply('HelmChart', name, packaged(fields));
    await harness.until('HelmChart', name, (current) => {
      expect(conditionOf(current, 'Stalled')).toMatchObject({ reason, message: expect.stringContaining(message) });
    });
  });

  test('missing values files may be passed over', async () => {
    const fields = { valuesFiles: ['none.yaml', 'env/prod.yaml'], ignoreMissingValuesFiles: true };
    await harness.apply('HelmChart', 'lenient', packaged(fields));
    expect((await harness.untilReady('HelmChart', 'lenient')).status?.observedValuesFiles).toEqual(['env/prod.yaml']);
  });

  test('a version that is a number is text, as for helm', async () => {
    await commitChart('2');
    await harness.reconcile('GitRepository', 'app');
    await harness.apply('HelmChart', 'numbered', packaged());
    expect((await harness.untilReady('HelmChart', 'numbered')).status?.artifact?.revision).toBe('2');
    expect(await fileOf('HelmChart', 'numbered', 'Chart.yaml')).toMatchObject({ name: 'web' });
  });

  test('a packaged chart is used unchanged, or repackaged with values files', async () => {
    const archive = path.join(harness.helmRoot, 'web-1.2.0.tgz');
    await harness.commit({ 'dist/web-1.2.0.tgz': await readFile(archive), 'env/red.yaml': 'color: red\n' });
    await harness.reconcile('GitRepository', 'app');
    await harness.apply('HelmChart', 'archive', packaged({ chart: 'dist/web-1.2.0.tgz' }));
    const { status } = await harness.untilReady('HelmChart', 'archive');
    expect(status?.artifact?.revision).toBe('1.2.0');
    const digest = createHash('sha256')
      .update(await readFile(archive))
      .digest('hex');
    expect(status?.artifact?.digest).toBe(`sha256:${digest}`);
    await harness.apply(
      'HelmChart',
      'merged',
      packaged({ chart: 'dist/web-1.2.0.tgz', valuesFiles: ['env/red.yaml'] }),
    );
    expect((await harness.untilReady('HelmChart', 'merged')).status?.artifact?.revision).toBe('1.2.0+1');
    expect(await fileOf('HelmChart', 'merged', 'values.yaml')).toEqual({ color: 'red' });
  });

  test.each([
    [
      'no-archive',
      { chart: 'env/prod.yaml' },
      'InvalidChartReference',
      "'env/prod.yaml' in GitRepository 'app' is not a packaged chart",
    ],
    [
      'dependent',
      { chart: 'charts/dependent' },
      'DependencyBuildError',
      "missing in charts/ directory: web: correct Chart.lock ('helm dependency update'), or commit charts/",
    ],
  ])('%s stalls and names the way out', async (name, fields, reason, message) => {
    const dependent =
      'name: dependent\nversion: 1.0.0\ndependencies: [{name: web, version: 1.x, repository: "http://h"}]';
    await harness.commit({
      'charts/dependent/Chart.yaml': `apiVersion: v2\n${dependent}\n`,
      'charts/dependent/Chart.lock': 'dependencies: []\n',
    });
    await harness.reconcile('GitRepository', 'app');
    await harness.apply('HelmChart', name, packaged(fields));
    await harness.until('HelmChart', name, (current) => {
      expect(conditionOf(current, 'Stalled')).toMatchObject({ reason, message: expect.stringContaining(message) });
    });
  });
});
