import { promisify } from 'node:util';
import { gunzip, gunzipSync, gzipSync } from 'node:zlib';
import { TerminalError } from '#lib/errors.js';
import { parseJson, printJson } from '#lib/json/lossless-json.js';
import { isDeeperThan, isDenserThan, MAX_DEPTH } from '#lib/json/nesting.js';
import { isMap } from '#lib/plain.js';
import { excessOfTexts } from './model/manifest-cost.js';
import type { ReleaseRecord } from './model/release.js';

const GZIP_MAGIC = '1f8b08';
/** Unpacked charts have at most 32 MiB, and their releases are smaller: large ones have 5 to 20 MiB. */
const MAX_UNPACKED_BYTES = 32 * 1024 * 1024;
/** Most of a release is long texts, and marks inside texts are not counted; see `isDenserThan`. */
const MAX_MARKS = 1_000_000;

const unpackAside = promisify(gunzip);

/** Why a release in JSON cannot be read within a second; undefined: it can. */
function excessOf(json: string): string | undefined {
  if (json.length > MAX_UNPACKED_BYTES || Buffer.byteLength(json) > MAX_UNPACKED_BYTES)
    return `more than ${MAX_UNPACKED_BYTES} bytes`;
  if (isDenserThan(json, MAX_MARKS)) return `more than ${MAX_MARKS} commas, brackets and digits`;
  return isDeeperThan(json, MAX_DEPTH) ? `more than ${MAX_DEPTH} levels` : undefined;
}

function textsIn({ manifest, hooks }: Partial<Record<keyof ReleaseRecord, unknown>>): string[] {
  const texts = [
    manifest,
    ...(Array.isArray(hooks) ? hooks : []).map((hook: unknown) => isMap(hook) && hook['manifest']),
  ];
  return texts.filter((text) => typeof text === 'string');
}

/**
 * The value of `data.release` in a storage Secret: base64(base64(gzip(json))), as Helm writes it. Throws TerminalError
 * `StateError` for a release that Fairlead could not read back.
 */
export function encodeRelease(record: ReleaseRecord): string {
  const json = printJson(record);
  const excess = excessOf(json);
  const { name, version, chart } = record;
  if (excess !== undefined) {
    throw new TerminalError(
      'StateError',
      `release ${name}.v${version} has ${excess} in Helm's storage, where all files of chart ${chart.metadata.name} and ` +
        'its values are, and nobody could read it again: leave files out by .helmignore, or split the chart',
    );
  }
  const inTexts = excessOfTexts(textsIn(record));
  if (inTexts !== undefined) {
    throw new TerminalError(
      'StateError',
      `release ${name}.v${version} has ${inTexts}, and nobody could read it again: render less, or split the chart`,
    );
  }
  return Buffer.from(gzipSync(json, { level: 9 }).toString('base64')).toString('base64');
}

/** The release exceeds a limit for reading. */
class ExcessError extends Error {}

function refusal(secret: string, error: unknown): TerminalError {
  // zlib stops unpacking at the limit.
  const isTooLong =
    typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
  const excess = isTooLong
    ? `more than ${MAX_UNPACKED_BYTES} bytes`
    : error instanceof ExcessError
      ? error.message
      : '';
  const said =
    excess === ''
      ? 'does not contain a Helm release'
      : `has ${excess} when it is unpacked, which is too much for a Helm release`;
  const wayOut = 'restore it, or delete it to have the release recreated';
  return new TerminalError('StateError', `Secret ${secret} ${said}: ${wayOut}`, { cause: error });
}

function packedIn(data: string): { readonly bytes: Buffer; readonly isPacked: boolean } {
  const bytes = Buffer.from(Buffer.from(data, 'base64').toString('latin1'), 'base64');
  return { bytes, isPacked: bytes.subarray(0, 3).toString('hex') === GZIP_MAGIC };
}

function recordIn(json: Buffer): ReleaseRecord {
  const text = json.toString();
  const excess = excessOf(text);
  if (excess !== undefined) throw new ExcessError(excess);
  const record = parseJson(text);
  if (!isMap(record)) throw new TypeError('it is no object');
  const inTexts = excessOfTexts(textsIn(record));
  if (inTexts !== undefined) throw new ExcessError(inTexts);
  // Helm's storage format: a Secret of type helm.sh/release.v1 contains nothing else.
  return record as unknown as ReleaseRecord;
}

/** The record in a Secret's `data.release`. Throws TerminalError `StateError` when it is not a release. */
export function decodeRelease(data: string, secret: string, maxOutputLength = MAX_UNPACKED_BYTES): ReleaseRecord {
  try {
    const { bytes, isPacked } = packedIn(data);
    return recordIn(isPacked ? gunzipSync(bytes, { maxOutputLength }) : bytes);
  } catch (error: unknown) {
    throw refusal(secret, error);
  }
}

/** Like `decodeRelease`, but unpacks off the event loop. `bytes`: size of the unpacked release. */
export async function decodeReleaseAside(
  data: string,
  secret: string,
): Promise<{ readonly record: ReleaseRecord; readonly bytes: number }> {
  try {
    const { bytes, isPacked } = packedIn(data);
    const json = isPacked ? await unpackAside(bytes, { maxOutputLength: MAX_UNPACKED_BYTES }) : bytes;
    return { record: recordIn(json), bytes: json.length };
  } catch (error: unknown) {
    throw refusal(secret, error);
  }
}
