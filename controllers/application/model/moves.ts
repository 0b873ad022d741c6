import { backendOf } from './backends/index.js';
import { liveReleaseKey, releaseKeyText } from './identity.js';
import type { Child } from './types.js';

/** True if a child that exists is to deploy elsewhere: as another release, or to another namespace. */
export function moves(live: Child, object: Child): boolean {
  if (live.spec.targetNamespace !== object.spec.targetNamespace) return true;
  const [before, after] = [liveReleaseKey(live), liveReleaseKey(object)];
  // The key of files has the name of their entry.
  const isRelease = backendOf(object).releaseName(after) !== undefined;
  return isRelease && releaseKeyText(before) !== releaseKeyText(after);
}
