import { gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { ReleaseStorage, readRecords } from '#controllers/helmrelease/storage.js';
import type { ActionContext } from '#controllers/helmrelease/actions/context.js';
import { decodeRelease, encodeRelease } from '#controllers/helmrelease/release-codec.js';
import { SecretTexts } from '#engine/flux/model/secret-texts.js';
import type { Kube } from '#runtime/client/kube.js';
import type { Offload } from '#runtime/isolation/offload.js';
import { TerminalError } from '#lib/errors.js';
import { record, revision } from './model/builders.js';

const MEBIBYTE = 1024 * 1024;
const { signal } = new AbortController();
const HERE: Pick<Offload, 'run'> = { run: async ({ run }, input) => run(input) };

function packed(json: string): string {
  return Buffer.from(gzipSync(json, { level: 1 }).toString('base64')).toString('base64');
}

/** Helm's storage in which each Secret has this `data`. */
function storageOf(data: Readonly<Record<string, string>> | undefined): ReleaseStorage {
  const get: unknown = (_type: unknown, { name }: { name: string }) =>
    Promise.resolve({ metadata: { name, namespace: 'apps', labels: { version: '1', owner: 'helm' } }, data });
  const kube = { get } as Kube;
  const origin = { name: 'web', namespace: 'shop' };
  return new ReleaseStorage({
    kube,
    namespace: 'apps',
    releaseName: 'web',
    origin,
    signal,
    now: () => 0,
    secrets: new SecretTexts(),
    offload: HERE,
    tenant: 'shop',
  });
}

test.each([
  ['numbers', `{"a":[${'1234567890123456789,'.repeat(12_000_000)}1]}`, /more than 33554432 bytes/],
  ['fewer numbers', `{"a":[${'1234567890123456789,'.repeat(1_000_000)}1]}`, /more than 1000000 commas/],
  ['lists', `{"a":[${'[],'.repeat(10_000_000)}[]]}`, /more than 1000000 commas/],
  ['levels', `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, /more than 1000 levels/],
])('a release of too many %s is refused, naming its Secret and the way out', async (_what, json, why) => {
  const data = packed(json);
  const begun = process.cpuUsage();
  const read = storageOf({ release: data }).read(1);
  await expect(read).rejects.toMatchObject({ name: 'TerminalError', reason: 'StateError', message: why as unknown });
  await expect(read).rejects.toThrow(/Secret apps\/sh\.helm\.release\.v1\.web\.v1 .*delete it to have/);
  expect(process.cpuUsage(begun).user / 1_000).toBeLessThan(5_000);
  expect(() => decodeRelease(data, 'x')).toThrow(why);
});

test.each([
  ['without data', undefined],
  ['without a release', { other: 'a' }],
  ['with null', { release: packed('null') }],
  ['with a list', { release: packed('[]') }],
])('a Secret %s is no release that is gone', async (_what, data) => {
  await expect(storageOf(data).read(1)).rejects.toThrow(TerminalError);
});

test('a large release is read, and written so that it can be read', async () => {
  const manifest = 'kind: ConfigMap of 32 characters\n'.repeat((20 * MEBIBYTE) / 33);
  const large = record({ manifest });
  const stored = await storageOf({ release: encodeRelease(large) }).read(1);
  expect(stored?.record).toEqual(large);
  expect(() => encodeRelease(record({ manifest: 'a'.repeat(32 * MEBIBYTE) }))).toThrow(
    /more than 33554432 bytes in Helm's storage.*\.helmignore/,
  );
});

test('revisions that are too much together are not held', async () => {
  const storage = storageOf({ release: packed(JSON.stringify(record({ manifest: 'a'.repeat(30 * MEBIBYTE) }))) });
  const failed = [1, 2, 3, 4, 5].map((version) => revision({ version, status: 'failed' }));
  const context = { storage, releaseName: 'web' } as ActionContext;
  expect(await readRecords(context, failed.slice(0, 1))).toHaveLength(1);
  await expect(readRecords(context, [revision({ version: 0 }), ...failed])).rejects.toThrow(
    /release web .* more than 100663296 bytes .* delete Secrets of failed revisions/,
  );
});
