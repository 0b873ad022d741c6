import { ENTRY_NAME_ANNOTATION } from '#api/v1alpha1/labels.js';
import { backendOf } from '../backends/index.js';
import { clusterText } from '../child/cluster.js';
import { isInstalledOnce } from '../child/metadata.js';
import type { Child, DesiredChild, Entry } from '../child/types.js';
import { liveReleaseKey, slotText } from '../destinations/identity.js';

/** The name of an entry and what it releases, without its cluster: one of them tells the entry that lost it. */
function marksOfEntry({ release, name }: Entry): string[] {
  return [slotText(release), ...(name === undefined ? [] : [JSON.stringify([release.kind, name])])];
}

function marksOfChild(child: Child): string[] {
  const name = child.metadata.annotations?.[ENTRY_NAME_ANNOTATION];
  return [slotText(liveReleaseKey(child)), ...(name === undefined ? [] : [JSON.stringify([child.kind, name])])];
}

/** Nothing is uninstalled when such a child is deleted. */
function isHarmless(child: Child): boolean {
  return isInstalledOnce(child) || child.spec.suspend === true || child.spec['prune'] === false;
}

/**
 * Tells which children without an entry may have lost their cluster: a new entry for the host has their name or their
 * release. It would be uninstalled on its cluster, and installed on the host.
 */
export class LostDestinations {
  /** New entries for the host. */
  readonly #onHost: ReadonlyMap<string, Entry>;

  /** `wanted`: the children that the spec wants. */
  constructor(wanted: readonly DesiredChild[]) {
    const fresh = wanted.filter(({ live, entry }) => live === undefined && entry.release.cluster === '');
    this.#onHost = new Map(fresh.flatMap(({ entry }) => marksOfEntry(entry).map((mark) => [mark, entry] as const)));
  }

  /** The entry that replaces a child, in words; undefined: none does, or nothing would be uninstalled. */
  replacing(child: Child): string | undefined {
    if (this.#onHost.size === 0 || clusterText(child.spec.kubeConfig) === '' || isHarmless(child)) return undefined;
    const entry = marksOfChild(child)
      .map((mark) => this.#onHost.get(mark))
      .find((each) => each !== undefined);
    return entry && `${entry.path} specifies ${backendOf(child).describeTarget(entry)} on the host instead`;
  }

  /** True if the entry is new, for the host, and may be the one of the child. */
  isOf(entry: Entry, child: Child): boolean {
    if (entry.release.cluster !== '' || this.replacing(child) === undefined) return false;
    const own = marksOfEntry(entry);
    return marksOfChild(child).some((mark) => own.includes(mark));
  }
}
