import { canonicalJson } from '#controllers/runtime/pure/canonical-json.js';
import { hashedName } from '#controllers/runtime/pure/short-hash.js';
import type { SourcePlace } from '../source-place.js';

const MAX_NAME = 63;

/** The name of the copy of a source at one of its revisions: Applications of its namespace share it. */
export function copyName({ kind, name }: SourcePlace, revision: string): string {
  return hashedName(`pinned-${name}`, canonicalJson([kind, name, revision]), MAX_NAME);
}
