import { liveReleaseKey, releaseKeyText, workText } from './identity.js';
import type { Child } from './types.js';

/** True if a child that exists is to deploy elsewhere: as another release, or to another namespace. */
export function moves(live: Child, object: Child): boolean {
  const isSameRelease = releaseKeyText(liveReleaseKey(live)) === releaseKeyText(liveReleaseKey(object));
  // Files are not moved if only their entry is renamed.
  const stays = isSameRelease || workText(live) === workText(object);
  return !stays || live.spec.targetNamespace !== object.spec.targetNamespace;
}
