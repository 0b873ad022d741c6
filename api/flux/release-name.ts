import { createHash } from 'node:crypto';

/** Helm refuses longer release names: they end up in labels with a suffix. */
export const MAX_RELEASE_NAME = 53;
const KEPT = 40;
const HASH_LENGTH = 12;

/** A name that Helm accepts: longer ones keep 40 characters and gain 12 of their sha256, as Flux cuts them. */
export function shortenReleaseName(name: string): string {
  if (name.length <= MAX_RELEASE_NAME) return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH_LENGTH);
  return `${name.slice(0, KEPT)}-${hash}`;
}
