import { canonicalJson } from '#controllers/runtime/pure/canonical-json.js';
import { HASH_LENGTH, hashedName, hashedStart } from '#controllers/runtime/pure/short-hash.js';
import type { SourcePlace } from '../source-place.js';

const MAX_NAME = 63;

const START = 'pinned-';
/** What a short hash ends a name with. */
const COPY = new RegExp(`^${START}(.+)-[a-z2-7]{${HASH_LENGTH}}$`);

/** The name of the copy of a source at one of its revisions: Applications of its namespace share it. */
export function copyName({ kind, name }: SourcePlace, revision: string): string {
  return hashedName(`${START}${name}`, canonicalJson([kind, name, revision]), MAX_NAME);
}

/**
 * The name of a source, or of the one that it is a copy of, as far as names tell: long ones are shortened in both, so that
 * a source and its copies at all revisions have one text.
 */
export function originText(name: string): string {
  const [, origin = name] = COPY.exec(name) ?? [];
  return hashedStart(`${START}${origin}`, MAX_NAME);
}
