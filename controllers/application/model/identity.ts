import { backendOf } from './backends/index.js';
import type { Child, Entry, ReleaseKey } from './types.js';

/** Equal keys give equal texts, different keys different ones. */
export function releaseKeyText(key: ReleaseKey): string {
  return backendOf(key).keyText(key);
}

/** Name and storage of a release regardless of the cluster: what two names of one cluster have in common. */
export function slotText({ kind, storageNamespace, releaseName }: ReleaseKey): string {
  return JSON.stringify([kind, storageNamespace, releaseName]);
}

/** The release of a child, with the defaults of its engine. */
export function liveReleaseKey(child: Child): ReleaseKey {
  return backendOf(child).liveKey(child);
}

/**
 * The releases that a child holds: that of its spec, and the one that the engine made last as long as it has not left
 * it.
 */
export function heldReleaseKeys(child: Child): ReleaseKey[] {
  const wanted = liveReleaseKey(child);
  const made = backendOf(child).madeKey(child);
  return made === undefined || releaseKeyText(made) === releaseKeyText(wanted) ? [wanted] : [wanted, made];
}

/** Index value of a child: its namespace and release key. */
export function releaseIndexValue(namespace: string, key: ReleaseKey): string {
  return `${namespace}/${releaseKeyText(key)}`;
}

/** Index value of Applications that may want the release on clusters of the inventory. */
export function clusterReleasesValue(namespace: string, key: ReleaseKey): string {
  return `${namespace}/*/${slotText(key)}`;
}

/** Equal for the entries of two revisions that are for one release on one cluster. */
export function placeText({ release, clusterName }: Entry): string {
  return JSON.stringify([releaseKeyText(release), clusterName]);
}

/** Equal for two children that an engine would have do the same thing to the same objects. */
export function workText(child: Child): string {
  return backendOf(child).workText(child);
}
