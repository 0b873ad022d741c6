import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { secretResource } from '#api/core.js';
import { indexRevision } from '#controllers/source/bucket/model/listing.js';
import { chartFiles, conditionOf, createHarness, type Harness } from '../../apiserver/source/harness.js';
import { ROOT, startObjectStore, type ObjectStoreServer } from './object-store.js';

let harness: Harness;
let server: ObjectStoreServer;

beforeAll(async () => {
  server = await startObjectStore();
  harness = await createHarness('src-bucket');
  await secret('keys', ROOT);
  await secret('wrong', { ...ROOT, secretkey: 'guessed' });
}, 900_000);

afterAll(async () => {
  await harness.close();
  await server.stop();
});

async function secret(name: string, stringData: Record<string, string>): Promise<void> {
  const object = { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: harness.namespace }, stringData };
  await harness.host.create(secretResource, object);
}

async function apply(name: string, spec: object = {}): Promise<void> {
  const { endpoint, region } = server;
  const place = { bucketName: name, endpoint, region, insecure: true, secretRef: { name: 'keys' } };
  await harness.apply('Bucket', name, { ...place, ...spec });
}

/** Paths and contents of an artifact. */
async function filesOf(name: string): Promise<Record<string, string>> {
  const folder = await harness.unpacked((await harness.read('Bucket', name))?.status?.artifact);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  const texts = await Promise.all(
    files.map(async (file) => [path.relative(folder, file), await readFile(file, 'utf8')] as const),
  );
  return Object.fromEntries(texts);
}

test('all objects of a bucket become an artifact, whatever their names are', async () => {
  const files = { 'app/deploy.yaml': 'a', 'b c+d/ü&"\'(1)*!=?.yaml': 'b', 'logo.png': 'c', '.github/x': 'd' };
  await server.createBucket('all');
  await server.put('all', files);
  await apply('all');
  const { status } = await harness.untilReady('Bucket', 'all');
  expect(await filesOf('all')).toEqual(files);
  const revision = status?.artifact?.revision;
  expect(revision).toMatch(/^sha256:[0-9a-f]{64}$/);
  const ready = { reason: 'Succeeded', message: `stored artifact: revision '${revision}'` };
  expect(conditionOf({ status } as never, 'Ready')).toMatchObject(ready);
});

test('an unchanged bucket costs no write; an object that is added, changed or removed is a new revision', async () => {
  await server.createBucket('moves');
  await server.put('moves', { a: '1', b: '1' });
  await apply('moves');
  const before = await harness.untilReady('Bucket', 'moves');
  const writes = await harness.writesDuring('moves', async () => {
    const after = await harness.reconcile('Bucket', 'moves');
    expect(after.status?.artifact).toEqual(before.status?.artifact);
  });
  // The annotation of the test, and the answer to it.
  expect(writes).toHaveLength(2);
  await server.put('moves', { a: '2', c: '1' });
  await server.remove('moves', 'b');
  const after = await harness.reconcile('Bucket', 'moves');
  expect(after.status?.artifact?.revision).not.toBe(before.status?.artifact?.revision);
  expect(await filesOf('moves')).toEqual({ a: '2', c: '1' });
});

test('an empty bucket is an empty artifact', async () => {
  await server.createBucket('empty');
  await apply('empty');
  expect((await harness.untilReady('Bucket', 'empty')).status?.artifact?.revision).toBe(indexRevision([]));
});

test('a prefix and patterns choose', async () => {
  await server.createBucket('chosen');
  await server.put('chosen', {
    ...{ '.sourceignore': '*.md\n', 'app/a.yaml': 'a', 'app/b.md': 'b', 'app/c.txt': 'c', 'other/d.yaml': 'd' },
  });
  await apply('chosen', { prefix: 'app/', ignore: '*.txt' });
  await harness.untilReady('Bucket', 'chosen');
  expect(await filesOf('chosen')).toEqual({ '.sourceignore': '*.md\n', 'app/a.yaml': 'a' });
});

test('a bucket of several pages is read whole', async () => {
  const files = Object.fromEntries(Array.from({ length: 1_100 }, (_, index) => [`many/${index}.yaml`, `${index}`]));
  await server.createBucket('pages');
  await server.put('pages', files);
  await apply('pages');
  await harness.untilReady('Bucket', 'pages');
  expect(await filesOf('pages')).toEqual(files);
});

test('a chart comes from a bucket, and follows it', async () => {
  await server.createBucket('charts');
  const files = chartFiles('web', '1.0.0');
  await server.put(
    'charts',
    Object.fromEntries(Object.entries(files).map(([file, text]) => [`charts/web/${file}`, text])),
  );
  await apply('charts');
  const sourceRef = { kind: 'Bucket', name: 'charts' };
  await harness.apply('HelmChart', 'web', { chart: 'charts/web', sourceRef, reconcileStrategy: 'Revision' });
  const { status } = await harness.untilReady('HelmChart', 'web');
  const { status: bucket } = await harness.untilReady('Bucket', 'charts');
  const short = bucket?.artifact?.revision.replace('sha256:', '').slice(0, 12);
  expect(status?.artifact?.revision).toBe(`1.0.0+${short}`);
  await server.put('charts', { 'charts/web/values.yaml': 'color: red\n' });
  await harness.reconcile('Bucket', 'charts');
  await harness.until('HelmChart', 'web', (current) => {
    expect(current.status?.artifact?.revision).not.toBe(status?.artifact?.revision);
  });
});

test.each([
  ['no login', { bucketName: 'all', secretRef: undefined }, 'AuthenticationFailed', /the server answered 403.*: check/],
  [
    'a wrong one',
    { bucketName: 'all', secretRef: { name: 'wrong' } },
    'AuthenticationFailed',
    /SignatureDoesNotMatch: /,
  ],
  ['a wrong region', { bucketName: 'all', region: 'elsewhere' }, 'BucketOperationFailed', /the server answered 400/],
  ['no such bucket', { bucketName: 'absent' }, 'BucketOperationFailed', /^bucket 'absent' does not exist: create it/],
])('is named: %s', async (_title, spec, reason, message) => {
  await apply('refused', spec);
  await harness.until('Bucket', 'refused', (current) => {
    const facts = { status: 'False', reason, message: expect.stringMatching(message) as unknown };
    expect(conditionOf(current, 'Ready')).toMatchObject(facts);
  });
  await harness.remove('Bucket', 'refused');
});
