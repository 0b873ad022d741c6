import { backendOf } from './backends/index.js';
import type { Reinstallation } from './backends/types.js';
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

/** The uninstall or prune that the engine would do if `object` were applied; undefined: none. */
export function reinstallationOf(live: Child, object: Child): Reinstallation | undefined {
  return backendOf(object).reinstallation(live, object);
}

/**
 * Like `reinstallationOf`, but undefined if the child's current spec already requests it: then the engine will do it
 * anyway, or has begun.
 */
export function newReinstallationOf(live: Child, object: Child): Reinstallation | undefined {
  const found = reinstallationOf(live, object);
  return found !== undefined && reinstallationOf(live, live)?.to === found.to ? undefined : found;
}
