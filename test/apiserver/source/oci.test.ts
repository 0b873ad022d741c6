import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { HeaderData } from 'tar';
import { secretResource } from '#api/core.js';
import { FLUX_CONTENT, Pusher, sha256, tarLayer } from '../../support/oci.js';
import { tarEntry } from '../../support/tar-entry.js';
import { conditionOf, useHarness, type SourceView } from './harness.js';

const harness = useHarness('src-oci');
const MANIFESTS = { 'app/config.yaml': 'kind: ConfigMap\n', 'README.md': 'about\n' };

/** A repository that only one test uses. */
function repository(name: string): { readonly pusher: Pusher; readonly url: string } {
  const place = `${harness.namespace}/${name}`;
  const { registry } = harness.world;
  return { pusher: new Pusher(`http://${registry}`, place), url: `oci://${registry}/${place}` };
}

async function untilFailed(name: string, message: string | RegExp): Promise<SourceView> {
  const expected: unknown = typeof message === 'string' ? message : expect.stringMatching(message);
  return harness.until('OCIRepository', name, (current) =>
    expect(conditionOf(current, 'Ready')).toMatchObject({ status: 'False', message: expected }),
  );
}

test('the tag latest is unpacked, and packed without what is ignored', async () => {
  const { pusher, url } = repository('plain');
  const annotations = { 'org.opencontainers.image.revision': 'main@sha1:1234' };
  const digest = await pusher.image('latest', [await tarLayer(MANIFESTS)], annotations);
  await harness.apply('OCIRepository', 'plain', { url, insecure: true, ignore: '*.md' });
  const { status } = await harness.untilReady('OCIRepository', 'plain');
  expect(status?.artifact).toMatchObject({ revision: `latest@${digest}`, metadata: annotations });
  expect(conditionOf({ status } as SourceView, 'Ready')?.message).toBe(`stored artifact for digest 'latest@${digest}'`);
  const folder = await harness.unpacked(status?.artifact);
  expect(await readdir(folder)).toEqual(['app']);
  expect(await readFile(path.join(folder, 'app/config.yaml'), 'utf8')).toBe(MANIFESTS['app/config.yaml']);
});

test('an unchanged artifact costs no write, and a moved tag is a new revision', async () => {
  const { pusher, url } = repository('moves');
  const layer = await tarLayer(MANIFESTS);
  const first = await pusher.image('main', [layer]);
  await harness.apply('OCIRepository', 'moves', { url, insecure: true, ref: { tag: 'main' } });
  const before = await harness.untilReady('OCIRepository', 'moves');
  expect(before.status?.artifact?.revision).toBe(`main@${first}`);
  const writes = await harness.writesDuring('moves', async () => {
    const after = await harness.reconcile('OCIRepository', 'moves');
    expect(after.status?.artifact).toEqual(before.status?.artifact);
  });
  // The annotation of the test, and the answer to it.
  expect(writes).toHaveLength(2);
  const second = await pusher.image('main', [await tarLayer({ 'other.yaml': 'a: b\n' })]);
  const moved = await harness.reconcile('OCIRepository', 'moves');
  expect(moved.status?.artifact?.revision).toBe(`main@${second}`);
  expect(await readdir(await harness.unpacked(moved.status?.artifact))).toEqual(['other.yaml']);
});

describe('spec.ref', () => {
  const digests: Record<string, string> = {};
  let url: string;

  beforeAll(async () => {
    const place = repository('versions');
    ({ url } = place);
    for (const tag of ['1.0.0', '1.2.0', '1.3.0-rc.1', '2.0.0', '1.9', 'latest']) {
      digests[tag] = await place.pusher.image(tag, [await tarLayer({ [`${tag}.yaml`]: 'a: b\n' })]);
    }
  });

  test.each([
    ['the highest version of a range', { semver: '1.x' }, '1.2.0'],
    ['those that a pattern finds', { semver: '>=1.0.0-0', semverFilter: '-rc' }, '1.3.0-rc.1'],
    ['a range before a tag', { semver: '1.0.x', tag: '2.0.0' }, '1.0.0'],
    ['a tag', { tag: '1.9' }, '1.9'],
  ])('%s', async (_title, ref, tag) => {
    const name = `ref-${tag}`;
    await harness.apply('OCIRepository', name, { url, insecure: true, ref });
    const { status } = await harness.untilReady('OCIRepository', name);
    expect(status?.artifact?.revision).toBe(`${tag}@${digests[tag]}`);
  });

  test('a digest before all others, and without a tag in the revision', async () => {
    const digest = digests['1.0.0'];
    await harness.apply('OCIRepository', 'digest', { url, insecure: true, ref: { digest, semver: '2.x' } });
    const { status } = await harness.untilReady('OCIRepository', 'digest');
    expect(status?.artifact?.revision).toBe(digest);
  });

  test.each([
    ['nothing-matches', { semver: '3.x' }, /no tag matches spec\.ref\.semver "3\.x": the tags are /],
    ['no-such-tag', { tag: 'absent' }, /the server answered 404/],
    ['no-such-digest', { digest: sha256('absent') }, /the server answered 404/],
    ['bad-range', { semver: 'newest' }, /spec\.ref\.semver "newest" is not a version range/],
    ['bad-filter', { semver: '1.x', semverFilter: '(' }, /spec\.ref\.semverFilter: "\(" is not a regular expression/],
    ['bad-tag', { tag: '../main' }, /spec\.ref\.tag "\.\.\/main" is not a tag/],
    ['bad-digest', { digest: 'sha256:12' }, /spec\.ref\.digest "sha256:12" is not sha256:/],
  ])('%s is reported', async (name, ref, message) => {
    await harness.apply('OCIRepository', name, { url, insecure: true, ref });
    const { status } = await untilFailed(name, message);
    expect(status?.artifact).toBeUndefined();
  });
});

describe('spec.layerSelector', () => {
  test('copies a chart as helm pushed it', async () => {
    const url = `oci://${harness.world.registry}/charts/lighthouse`;
    const layerSelector = { mediaType: 'application/vnd.cncf.helm.chart.content.v1.tar+gzip', operation: 'copy' };
    await harness.apply('OCIRepository', 'chart', { url, insecure: true, layerSelector, ref: { semver: '*' } });
    const { status } = await harness.untilReady('OCIRepository', 'chart');
    const manifest = await fetch(`http://${harness.world.registry}/v2/charts/lighthouse/manifests/1.5.0`, {
      headers: { accept: 'application/vnd.oci.image.manifest.v1+json' },
    });
    const { layers } = (await manifest.json()) as { layers: { mediaType: string; digest: string }[] };
    expect(status?.artifact?.revision).toMatch(/^1\.5\.0@sha256:/);
    expect(status?.artifact?.digest).toBe(
      layers.find(({ mediaType }) => mediaType === layerSelector.mediaType)?.digest,
    );
  });

  test('that changes leads to another artifact of the same revision', async () => {
    const { pusher, url } = repository('layers');
    const other = { ...(await tarLayer({ 'b.yaml': 'b: 1\n' })), mediaType: 'application/vnd.example.b' };
    await pusher.image('latest', [await tarLayer({ 'a.yaml': 'a: 1\n' }), other]);
    await harness.apply('OCIRepository', 'layers', { url, insecure: true });
    const first = await harness.untilReady('OCIRepository', 'layers');
    expect(await readdir(await harness.unpacked(first.status?.artifact))).toEqual(['a.yaml']);
    await harness.apply('OCIRepository', 'layers', {
      url,
      insecure: true,
      layerSelector: { mediaType: other.mediaType },
    });
    const second = await harness.until('OCIRepository', 'layers', ({ status, metadata }) =>
      expect(status?.observedGeneration).toBe(metadata.generation),
    );
    expect(await readdir(await harness.unpacked(second.status?.artifact))).toEqual(['b.yaml']);
    expect(second.status?.artifact?.revision).toBe(first.status?.artifact?.revision);
  });

  test('that finds nothing is reported with what there is', async () => {
    const { pusher, url } = repository('selector');
    await pusher.image('latest', [await tarLayer(MANIFESTS)]);
    await harness.apply('OCIRepository', 'selector', {
      url,
      insecure: true,
      layerSelector: { mediaType: 'text/plain' },
    });
    await untilFailed(
      'selector',
      /has no layer of media type "text\/plain" \(spec\.layerSelector\), only ".*flux\.content/,
    );
  });
});

test.each<[string, HeaderData]>([
  ['a symbolic link', { type: 'SymbolicLink', linkpath: '/etc' }],
  ['a hard link', { type: 'Link', linkpath: '/etc/hostname' }],
  ['a character device', { type: 'CharacterDevice', devmaj: 1, devmin: 5 }],
  ['a block device', { type: 'BlockDevice', devmaj: 8, devmin: 0 }],
  ['a named pipe', { type: 'FIFO' }],
])('a layer with %s is reported, the artifact before stays, and another push mends it', async (what, fields) => {
  const name = what.replaceAll(' ', '-');
  const { pusher, url } = repository(name);
  await pusher.image('latest', [await tarLayer(MANIFESTS)]);
  await harness.apply('OCIRepository', name, { url, insecure: true });
  const before = await harness.untilReady('OCIRepository', name);
  const hostile = gzipSync(Buffer.concat([tarEntry({ path: 'app/odd', ...fields }), Buffer.alloc(1024)]));
  await pusher.image('latest', [{ mediaType: FLUX_CONTENT, data: hostile }]);
  await harness.reconcile('OCIRepository', name);
  const failed = await untilFailed(
    name,
    new RegExp(`contains "app/odd", ${what}: only files and folders are allowed$`),
  );
  expect(conditionOf(failed, 'Ready')?.reason).toBe('OCIArtifactLayerOperationFailed');
  expect(failed.status?.artifact).toEqual(before.status?.artifact);
  await pusher.image('latest', [await tarLayer({ 'other.yaml': 'a: b\n' })]);
  // Retried by itself.
  const after = await harness.untilReady('OCIRepository', name);
  expect(await readdir(await harness.unpacked(after.status?.artifact))).toEqual(['other.yaml']);
});

describe('an index', () => {
  test('leads to its image for linux/amd64', async () => {
    const { pusher, url } = repository('index');
    const image = async (os: string, architecture: string): Promise<object> => {
      const digest = await pusher.image(architecture, [await tarLayer({ [`${architecture}.yaml`]: 'a: 1\n' })]);
      const { headers } = await fetch(
        `http://${harness.world.registry}/v2/${harness.namespace}/index/manifests/${digest}`,
        {
          method: 'HEAD',
          headers: { accept: 'application/vnd.oci.image.manifest.v1+json' },
        },
      );
      const size = Number(headers.get('content-length'));
      return { mediaType: 'application/vnd.oci.image.manifest.v1+json', digest, size, platform: { os, architecture } };
    };
    const arm = await image('linux', 'arm64');
    const digest = await pusher.index('latest', [arm, await image('linux', 'amd64')]);
    await pusher.index('list', [
      { ...arm, mediaType: 'application/vnd.oci.image.index.v1+json', digest, platform: undefined },
    ]);
    await harness.apply('OCIRepository', 'index', { url, insecure: true });
    const { status } = await harness.untilReady('OCIRepository', 'index');
    expect(status?.artifact?.revision).toBe(`latest@${digest}`);
    expect(await readdir(await harness.unpacked(status?.artifact))).toEqual(['amd64.yaml']);
    await harness.apply('OCIRepository', 'list', { url, insecure: true, ref: { tag: 'list' } });
    await untilFailed('list', /is a list of images that leads to another list$/);
  });
});

describe('what cannot be used is reported', () => {
  test.each([
    ['no-archive', Buffer.from('not an archive'), /the layer of .* is no tar\.gz that can be used: .*cannot be read/],
    ['no-layer', undefined, /has no layers$/],
    ['a-folder-and-file', { a: '1', 'a/b': '2' }, /the layer of .* is no tar\.gz that can be used: (?!.*oci-)/],
  ])('%s', async (name, data, message) => {
    const { pusher, url } = repository(name);
    const layer = Buffer.isBuffer(data) ? { mediaType: FLUX_CONTENT, data } : data && (await tarLayer(data));
    await pusher.image('latest', layer === undefined ? [] : [layer]);
    await harness.apply('OCIRepository', name, { url, insecure: true });
    const failed = await untilFailed(name, message);
    // Another push may mend it.
    expect(conditionOf(failed, 'Stalled')).toBeUndefined();
    await pusher.image('latest', [await tarLayer(MANIFESTS)]);
    await harness.reconcile('OCIRepository', name);
    await harness.untilReady('OCIRepository', name);
  });

  test.each([
    ['url-tag', { url: 'oci://127.0.0.1/a:1.0' }, /^spec\.url is not oci:\/\/HOST\/REPOSITORY in lower case/],
    ['url-login', { url: 'oci://robot:secret@127.0.0.1/a' }, /^spec\.url contains credentials: move them/],
    [
      'notation',
      { verify: { provider: 'notation' } },
      /^spec\.verify\.provider notation is not supported by the embed/,
    ],
    ['provider', { provider: 'aws' }, /^spec\.provider aws is not supported by the embedded engine/],
    ['secret', { secretRef: { name: 'absent' } }, /^Secret '.*\/absent' named by spec\.secretRef does not exist/],
    [
      'account',
      { serviceAccountName: 'absent' },
      /^ServiceAccount '.*\/absent' named by spec\.serviceAccountName does/,
    ],
    [
      'opaque',
      { secretRef: { name: 'opaque' } },
      /spec\.secretRef: it has neither \.dockerconfigjson nor username and password/,
    ],
    ['tls', { insecure: false }, /^cannot fetch https:/],
  ])('%s', async (name, spec, message) => {
    await harness.apply('OCIRepository', name, { url: repository('refused').url, insecure: true, ...spec });
    await untilFailed(name, message);
  });

  beforeAll(async () => {
    const object = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'opaque', namespace: harness.namespace } };
    await harness.host.create(secretResource, { ...object, stringData: { password: 'x' } } as never);
  });
});

describe('a HelmRepository of type oci', () => {
  beforeAll(async () => {
    const url = `oci://${harness.world.registry}/charts`;
    await harness.apply('HelmRepository', 'charts', { type: 'oci', url, insecure: true });
  });

  const chartOf = (chart: string, version?: string): Record<string, unknown> => ({
    ...{ chart, sourceRef: { kind: 'HelmRepository', name: 'charts' } },
    ...(version === undefined ? {} : { version }),
  });

  test('is ready, and has no artifact', async () => {
    const { status } = await harness.untilReady('HelmRepository', 'charts');
    expect(status?.artifact).toBeUndefined();
  });

  test.each([
    ['an exact version', '1.5.0'],
    ['the highest of a range', '1.x'],
    ['the highest of all', undefined],
  ])('gives a chart: %s', async (_title, version) => {
    const name = `chart-${version ?? 'any'}`;
    await harness.apply('HelmChart', name, chartOf('lighthouse', version));
    const { status } = await harness.untilReady('HelmChart', name);
    expect(conditionOf({ status } as SourceView, 'Ready')).toMatchObject({
      reason: 'ChartPullSucceeded',
      message: "pulled 'lighthouse' chart with version '1.5.0'",
    });
    expect(status?.artifact?.revision).toBe('1.5.0');
    expect(await readdir(await harness.unpacked(status?.artifact))).toEqual(['lighthouse']);
  });

  test('gives a chart with its values files merged', async () => {
    await harness.apply('HelmChart', 'merged', { ...chartOf('lighthouse'), valuesFiles: ['values.yaml'] });
    const { status, metadata } = await harness.untilReady('HelmChart', 'merged');
    expect(status?.artifact?.revision).toBe(`1.5.0+${metadata.generation}`);
  });

  test.each([
    ['absent', '1.5.0', /the server answered 404/],
    ['lighthouse', '9.x', /chart 'lighthouse': no tag matches spec\.version "9\.x"/],
    ['lighthouse', '9.0.0', /the server answered 404/],
    ['../charts', '*', /spec\.chart "\.\.\/charts" is not the name of a repository in oci:/],
  ])('reports what it does not have: %s %s', async (chart, version, message) => {
    const name = `no-${chart.replaceAll(/[^a-z]/g, '')}-${version.replaceAll(/[^0-9x]/g, '')}z`;
    await harness.apply('HelmChart', name, chartOf(chart, version));
    await harness.until('HelmChart', name, (current) =>
      expect(conditionOf(current, 'Ready')).toMatchObject({
        status: 'False',
        message: expect.stringMatching(message) as unknown,
      }),
    );
  });

  test('whose URL holds a login never has it shown', async () => {
    await harness.apply('HelmRepository', 'login', { type: 'oci', url: 'oci://robot:s3cret@127.0.0.1/charts' });
    await harness.apply('HelmChart', 'login', { chart: 'web', sourceRef: { kind: 'HelmRepository', name: 'login' } });
    for (const kind of ['HelmRepository', 'HelmChart'] as const) {
      const found = await harness.until(kind, 'login', (current) =>
        expect(conditionOf(current, 'Ready')?.message).toMatch(/spec\.url contains credentials/),
      );
      expect(JSON.stringify(found.status)).not.toContain('s3cret');
    }
  });

  test('gives the next chart after one that was pushed wrongly', async () => {
    const { pusher } = repository('mended/web');
    const mediaType = 'application/vnd.cncf.helm.chart.content.v1.tar+gzip';
    const push = async (files: Record<string, string>): Promise<string> =>
      pusher.image('1.0.0', [{ ...(await tarLayer(files)), mediaType }]);
    await push({ 'web/values.yaml': 'a: 1\n' });
    const url = `oci://${harness.world.registry}/${harness.namespace}/mended`;
    await harness.apply('HelmRepository', 'mended', { type: 'oci', url, insecure: true });
    await harness.apply('HelmChart', 'mended', { chart: 'web', sourceRef: { kind: 'HelmRepository', name: 'mended' } });
    const failed = await harness.until('HelmChart', 'mended', (current) =>
      expect(conditionOf(current, 'Ready')?.status).toBe('False'),
    );
    expect(conditionOf(failed, 'Stalled')).toBeUndefined();
    await push({ 'web/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n' });
    // Retried by itself.
    await harness.untilReady('HelmChart', 'mended');
  });

  test('reports a repository that holds no chart', async () => {
    const { pusher } = repository('charts/plain');
    await pusher.image('1.0.0', [await tarLayer(MANIFESTS)]);
    const url = `oci://${harness.world.registry}/${harness.namespace}/charts`;
    await harness.apply('HelmRepository', 'no-charts', { type: 'oci', url, insecure: true });
    await harness.apply('HelmChart', 'plain', {
      chart: 'plain',
      sourceRef: { kind: 'HelmRepository', name: 'no-charts' },
    });
    await harness.until('HelmChart', 'plain', (current) =>
      expect(conditionOf(current, 'Ready')?.message).toMatch(/charts\/plain:1\.0\.0 is not a Helm chart$/),
    );
  });
});

test('a deleted object takes its artifacts with it', async () => {
  const { pusher, url } = repository('gone');
  await pusher.image('latest', [await tarLayer(MANIFESTS)]);
  await harness.apply('OCIRepository', 'gone', { url, insecure: true });
  const { status } = await harness.untilReady('OCIRepository', 'gone');
  await harness.remove('OCIRepository', 'gone');
  expect(status?.artifact && (await harness.store.locate(status.artifact))).toBeUndefined();
});
