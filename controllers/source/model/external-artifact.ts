import type { Artifact } from '#api/flux/common.js';
import { isDigest } from './oci-reference.js';

/** Bytes of an archive. */
export const MAX_EXTERNAL_BYTES = 256 * 1024 * 1024;
const MAX_URL = 2_048;

function isFetched(text: string): boolean {
  if (text.length > MAX_URL || !URL.canParse(text)) return false;
  const url = new URL(text);
  return (url.protocol === 'http:' || url.protocol === 'https:') && url.username === '' && url.password === '';
}

/** Why an artifact that somebody else publishes cannot be fetched; undefined when it can. Does not repeat its URL. */
export function externalProblem({
  url,
  digest,
  size = 0,
}: Pick<Artifact, 'url' | 'digest' | 'size'>): string | undefined {
  if (!isFetched(url)) return 'status.artifact.url is not an http or https URL without credentials';
  if (!isDigest(digest)) return 'status.artifact.digest is not sha256: with 64 hexadecimal digits';
  if (size > MAX_EXTERNAL_BYTES)
    return `status.artifact.size is ${size} bytes; at most ${MAX_EXTERNAL_BYTES} are fetched`;
  return undefined;
}
