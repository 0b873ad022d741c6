import { beforeAll, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { NO_SPACE } from '#engine/artifact/disk-error.js';
import { mountSmallDisk, testWithDisk } from '../../support/small-disk.js';
import { eventually } from '../../support/world.js';
import { chartFiles, conditionOf, useHarness, type Harness, type SourceView } from './harness.js';

const harness = useHarness('src-disk');
const SOURCES: Parameters<Harness['untilReady']>[] = [
  ['GitRepository', 'disk-git'],
  ['HelmRepository', 'disk-charts'],
  ['HelmChart', 'disk-chart'],
];

beforeAll(async () => {
  await harness.publish({ name: 'web', version: '1.0.0' });
  await harness.commit({ 'a.yaml': 'a: 1\n' });
  await harness.apply('GitRepository', 'disk-git', { url: harness.gitUrl, ref: { branch: 'main' } });
  await harness.apply('HelmRepository', 'disk-charts', { url: harness.helmUrl });
  const sourceRef = { kind: 'HelmRepository', name: 'disk-charts' };
  await harness.apply('HelmChart', 'disk-chart', { chart: 'web', sourceRef });
  for (const source of SOURCES) await harness.untilReady(...source);
});

function isStored({ status }: SourceView): Promise<boolean> {
  const artifact = status?.artifact;
  return artifact === undefined
    ? Promise.resolve(false)
    : harness.store.locate(artifact).then((file) => file !== undefined);
}

test.each(SOURCES)('a %s is as before after a restart, and nothing is written', async (kind, name) => {
  const before = await harness.read(kind, name);
  const writes = await harness.writesDuring(name, async () => {
    await harness.restart();
    await harness.reconcile(kind, name);
  });
  // The request, and the answer to it.
  expect(writes).toHaveLength(2);
  const after = await harness.read(kind, name);
  expect(after?.status?.artifact).toEqual(before?.status?.artifact);
  expect(after?.status?.conditions).toEqual(before?.status?.conditions);
});

test('a restart with an empty disk fetches the same artifacts again', async () => {
  const before = await Promise.all(SOURCES.map((source) => harness.read(...source)));
  await harness.restart({ isEmpty: true });
  await eventually(async () => {
    const sources = await Promise.all(SOURCES.map((source) => harness.untilReady(...source)));
    expect(await Promise.all(sources.map(isStored))).toEqual([true, true, true]);
    expect(sources.map(({ status }) => status?.artifact)).toEqual(before.map((source) => source?.status?.artifact));
  });
});

test('a restart at another address is written to every status', async () => {
  await harness.restart({ baseUrl: 'http://127.0.0.2:1' });
  for (const [kind, name] of SOURCES) {
    const { status } = await harness.until(kind, name, (source) => {
      expect(source.status?.artifact?.url).toMatch(/^http:\/\/127\.0\.0\.2:1\//);
    });
    expect(status?.artifact?.url).toContain(status?.artifact?.path);
  }
});

test('an artifact that has no room is reported, and the others are not touched', async () => {
  await harness.restart({ quotaBytes: 1 });
  // One that does not grow would have room: it replaces the artifact before.
  await harness.commit({ 'a.yaml': 'a: 2\n', 'more.bin': randomBytes(2_000) });
  const before = await harness.read('GitRepository', 'disk-git');
  await harness.reconcile('GitRepository', 'disk-git');
  const full = await harness.until('GitRepository', 'disk-git', (source) => {
    expect(conditionOf(source, 'StorageOperationFailed')?.status).toBe('True');
    expect(conditionOf(source, 'Ready')).toMatchObject({
      status: 'False',
      reason: 'StorageOperationFailed',
      message: expect.stringMatching(/^no room for an artifact of \d+ bytes: .* raise --storage-quota/),
    });
  });
  expect(full.status?.artifact?.revision).toBe(before?.status?.artifact?.revision);
  expect(await isStored(full)).toBe(true);
  await harness.reconcile('HelmChart', 'disk-chart');
  await harness.untilReady('HelmChart', 'disk-chart');
  await harness.restart();
  await harness.until('GitRepository', 'disk-git', (source) => {
    expect(source.status?.artifact?.revision).not.toBe(before?.status?.artifact?.revision);
    expect(conditionOf(source, 'StorageOperationFailed')).toBeUndefined();
  });
});

/** Room for the sources, and for little more. */
const SMALL = 3.5 * 1024 * 1024;

function untilFull(...source: Parameters<Harness['untilReady']>): Promise<SourceView> {
  return harness.until(...source, (current) => {
    const facts = { status: 'False', reason: 'StorageOperationFailed', message: NO_SPACE };
    expect(conditionOf(current, 'Ready')).toMatchObject(facts);
  });
}

testWithDisk('a disk that git and helm fill up is reported, and the others are not touched', async () => {
  const disk = mountSmallDisk(SMALL);
  try {
    await harness.restart({ root: disk.root });
    const [before] = await Promise.all(SOURCES.map((source) => harness.untilReady(...source)));
    await harness.commit({ 'big.bin': randomBytes(2 * SMALL) });
    await harness.reconcile('GitRepository', 'disk-git');
    expect((await untilFull('GitRepository', 'disk-git')).status?.artifact).toEqual(before?.status?.artifact);

    const chart = Object.entries({ ...chartFiles('big', '1.0.0'), 'big.bin': randomBytes(1024 * 1024) });
    const files = Object.fromEntries(chart.map(([name, content]) => [`big/${name}`, content]));
    await harness.commit({ 'big.bin': null, ...files });
    await harness.reconcile('GitRepository', 'disk-git');
    await harness.untilReady('GitRepository', 'disk-git');
    const sourceRef = { kind: 'GitRepository', name: 'disk-git' };
    await harness.apply('HelmChart', 'disk-packed', { chart: 'big', sourceRef });
    await untilFull('HelmChart', 'disk-packed');

    await harness.publish({ name: 'web', version: '1.1.0' });
    await harness.reconcile('HelmRepository', 'disk-charts');
    await harness.until('HelmChart', 'disk-chart', ({ status }) => {
      expect(status?.artifact?.revision).toBe('1.1.0');
    });
  } finally {
    await harness.restart();
    disk.unmount();
  }
  await harness.untilReady('HelmChart', 'disk-packed');
});

test('what was deleted while nothing ran is removed after a start', async () => {
  const owner = { namespace: harness.namespace, name: 'gone' };
  for (const kind of ['gitrepository', 'externalartifact']) {
    await harness.store.put({ ...owner, kind }, 'a.tar.gz', '1', (file) => writeFile(file, kind));
  }
  await harness.restart();
  await eventually(async () => {
    expect((await harness.store.owners()).filter(({ name }) => name === 'gone')).toEqual([]);
  });
  const source = await harness.untilReady('GitRepository', 'disk-git');
  expect(await isStored(source)).toBe(true);
});

test('what no object names any more is removed', async () => {
  await harness.remove('HelmChart', 'disk-packed');
  await harness.remove('HelmChart', 'disk-chart');
  const { status } = await harness.untilReady('GitRepository', 'disk-git');
  const file = status?.artifact && (await harness.store.locate(status.artifact));
  expect(file).toBeDefined();
  const root = path.join(file ?? '', '../../../..');
  await eventually(async () => {
    expect(await readdir(path.join(root, 'helmchart', harness.namespace)).catch(() => [])).toEqual([]);
  });
});
