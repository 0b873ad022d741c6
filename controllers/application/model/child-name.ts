import { HASH_LENGTH, shortHash } from '../../runtime/pure/short-hash.js';
import { releaseKeyText } from './identity.js';
import type { ReleaseKey } from './types.js';

/** Flux derives release and HelmChart names from a child's name; it would shorten longer ones. */
const MAX_CHILD_NAME = 53;

/** The readable part of a name: DNS-1123, at most `limit` characters, never ending in a hyphen. */
function readable(text: string, limit: number): string {
  const safe = text.toLowerCase().replaceAll(/[^a-z0-9-]+/g, '-');
  return safe.replace(/^-+/, '').slice(0, limit).replace(/-+$/, '');
}

/**
 * Name of the child of one destination: `<app>-<destination>-<hash>`. The hash covers the whole release key and nothing
 * else, so the name survives a new UID, a new order of the entries and a new readable part is never needed.
 */
export function childName(application: string, destination: string, key: ReleaseKey): string {
  const hash = shortHash(releaseKeyText(key));
  return `${readable(`${application}-${destination}`, MAX_CHILD_NAME - HASH_LENGTH - 1)}-${hash}`;
}

/**
 * `childName` of application and destination, or the next free one: a child keeps its name when its release moves, and
 * so may have the name of a later release.
 */
export function freeChildName(
  [application, destination]: readonly [string, string],
  key: ReleaseKey,
  isTaken: (name: string) => boolean,
): string {
  let name = childName(application, destination, key);
  for (let turn = 1; isTaken(name); turn += 1) {
    name = childName(application, destination, { ...key, releaseName: `${key.releaseName}/${turn}` });
  }
  return name;
}
