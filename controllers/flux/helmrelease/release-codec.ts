import { gunzipSync, gzipSync } from 'node:zlib';
import { TerminalError } from '../../runtime/pure/errors.js';
import { parseJson, printJson } from '../../runtime/pure/lossless-json.js';
import type { ReleaseRecord } from './model/release.js';

const GZIP_MAGIC = '1f8b08';
/** Helm never writes a release that unpacks to more: a Secret holds at most 1 MiB of packed data. */
const MAX_UNPACKED_BYTES = 256 * 1024 * 1024;

/** The value of `data.release` in a storage Secret: base64(base64(gzip(json))), as Helm writes it. */
export function encodeRelease(record: ReleaseRecord): string {
  const packed = gzipSync(printJson(record), { level: 9 }).toString('base64');
  return Buffer.from(packed).toString('base64');
}

/** The record in a Secret's `data.release`. Throws TerminalError `StateError` when it is not a release. */
export function decodeRelease(data: string, secret: string, maxOutputLength = MAX_UNPACKED_BYTES): ReleaseRecord {
  try {
    const bytes = Buffer.from(Buffer.from(data, 'base64').toString(), 'base64');
    const packed = bytes.subarray(0, 3).toString('hex') === GZIP_MAGIC;
    const json = packed ? gunzipSync(bytes, { maxOutputLength }) : bytes;
    // Helm's storage format: a Secret of type helm.sh/release.v1 contains nothing else.
    return parseJson(json.toString()) as ReleaseRecord;
  } catch (error: unknown) {
    throw new TerminalError(
      'StateError',
      `Secret ${secret} does not contain a Helm release: restore it, or delete it to have the release recreated`,
      { cause: error },
    );
  }
}
