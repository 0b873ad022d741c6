import { gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { decodeRelease, encodeRelease } from '#controllers/helmrelease/release-codec.js';
import { TerminalError } from '#lib/errors.js';
import { RawNumber } from '#lib/json/lossless-json.js';
import { record } from './model/builders.js';

test('what is encoded comes back', () => {
  const release = record({ config: { a: [1, null, 'ü'], big: new RawNumber('9007199254740993') } });
  expect(decodeRelease(encodeRelease(release), 'apps/x')).toEqual(release);
});

test('a release from before Helm compressed them is read', () => {
  const plain = Buffer.from(Buffer.from(JSON.stringify(record())).toString('base64')).toString('base64');
  expect(decodeRelease(plain, 'apps/x')).toEqual(record());
});

test.each([
  ['no release', Buffer.from('hello').toString('base64')],
  ['broken gzip', Buffer.from(gzipSync('{}').subarray(0, 12).toString('base64')).toString('base64')],
])('%s is refused, naming the Secret and the way out', (_name, data) => {
  expect(() => decodeRelease(data, 'apps/sh.helm.release.v1.web.v1')).toThrow(TerminalError);
  expect(() => decodeRelease(data, 'apps/sh.helm.release.v1.web.v1')).toThrow(
    /apps\/sh\.helm\.release\.v1\.web\.v1.*delete it/,
  );
});
