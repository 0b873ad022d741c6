import { ENTRY_KEY_ANNOTATION, ENTRY_NAME_ANNOTATION } from '../../../api/v1alpha1/labels.js';
import { kindOfChild } from './child-kind.js';
import { clusterText, releaseKeyText } from './identity.js';
import { isLegacy, liveReleaseKey } from './ownership.js';
import type { Child, Entry } from './types.js';

/** Which child each entry has now, and the children that no entry has. */
export interface Matching {
  readonly childOf: ReadonlyMap<Entry, Child>;
  readonly unmatched: readonly Child[];
}

type Fits = (entry: Entry, child: Child) => boolean;

/** A name keeps its child through any change but that of the cluster, where the old release must go. */
function hasItsName(entry: Entry, child: Child): boolean {
  return (
    entry.name !== undefined &&
    child.metadata.annotations?.[ENTRY_NAME_ANNOTATION] === entry.name &&
    clusterText(child.spec.kubeConfig) === entry.release.cluster
  );
}

function hasItsRelease(entry: Entry, child: Child): boolean {
  return releaseKeyText(liveReleaseKey(child)) === releaseKeyText(entry.release);
}

/** The name holds a hash of the release: a child whose fields somebody changed is still known by it. */
function hasItsChildName(entry: Entry, child: Child): boolean {
  return child.metadata.name === entry.childName;
}

/** Children of ks-devops say only which destination they are for; what the entry states must not differ. */
function hasItsDestination(entry: Entry, child: Child): boolean {
  if (!isLegacy(child) || child.metadata.annotations?.[ENTRY_KEY_ANNOTATION] !== entry.key) return false;
  const live = liveReleaseKey(child);
  const { releaseName = live.releaseName, storageNamespace = live.storageNamespace } = entry.stated;
  return (
    live.cluster === entry.release.cluster &&
    child.spec.targetNamespace === entry.targetNamespace &&
    live.releaseName === releaseName &&
    live.storageNamespace === storageNamespace
  );
}

/** Files have no release: whatever an entry is called, the Kustomization of its destination can go on from what is there. */
function hasItsPlace(entry: Entry, child: Child): boolean {
  return (
    entry.release.kind === 'Kustomization' &&
    clusterText(child.spec.kubeConfig) === entry.release.cluster &&
    child.spec.targetNamespace === entry.targetNamespace
  );
}

/** In this order, each over all entries, so that a weaker sign never takes a child from a stronger one. */
const SIGNS: readonly Fits[] = [hasItsName, hasItsRelease, hasItsChildName, hasItsDestination, hasItsPlace];

function byRelease(one: Entry, other: Entry): number {
  return releaseKeyText(one.release) < releaseKeyText(other.release) ? -1 : 1;
}

/** Gives each entry at most one child and each child at most one entry. The order of both lists does not matter. */
export function matchChildren(entries: readonly Entry[], children: readonly Child[]): Matching {
  const childOf = new Map<Entry, Child>();
  const free = new Set([...children].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1)));
  const inOrder = [...entries].sort(byRelease);
  for (const fits of SIGNS) {
    for (const entry of inOrder) {
      if (childOf.has(entry)) continue;
      const child = [...free].find((each) => kindOfChild(each) === entry.release.kind && fits(entry, each));
      if (child === undefined) continue;
      childOf.set(entry, child);
      free.delete(child);
    }
  }
  return { childOf, unmatched: [...free] };
}
