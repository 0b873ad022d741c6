/** Digits of a digest that tell one from another, as container tools print it. */
const DIGITS = 12;
const DIGEST = new RegExp(`(sha\\d+:[0-9a-f]{${DIGITS}})[0-9a-f]+`, 'g');

/** A revision, e.g. `main@sha1:0123…`, with no more of its digests than people read. */
export function shortDigest(revision: string): string {
  return revision.replaceAll(DIGEST, '$1…');
}
