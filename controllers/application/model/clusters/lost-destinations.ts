import sortBy from 'lodash/sortBy.js';
import { ENTRY_NAME_ANNOTATION } from '#api/v1alpha1/labels.js';
import { backendOf } from '../backends/index.js';
import { clusterText } from '../child/cluster.js';
import { isInstalledOnce, isLegacyLeftover } from '../child/metadata.js';
import type { Child, DesiredChild, Entry } from '../child/types.js';
import { liveReleaseKey, releaseKeyText, slotText } from '../destinations/identity.js';

/** The name of an entry and what it releases, without its cluster: one of them tells the entry that lost it. */
function marksOfEntry({ release, name }: Entry): string[] {
  return [slotText(release), ...(name === undefined ? [] : [JSON.stringify([release.kind, name])])];
}

function marksOfLost(child: Child): string[] {
  const name = child.metadata.annotations?.[ENTRY_NAME_ANNOTATION];
  return [slotText(liveReleaseKey(child)), ...(name === undefined ? [] : [JSON.stringify([child.kind, name])])];
}

/** A child and a new entry on one cluster share a mark if they have the same chart or directory, or one is not known. */
function marksOfContent(child: Child, isNew: boolean): string[] {
  const contents = backendOf(child).contentsOf(child);
  const mark = (...text: string[]): string => JSON.stringify([clusterText(child.spec.kubeConfig), child.kind, ...text]);
  const [any, unknown] = [mark('any'), mark('unknown')];
  const known = contents.map((content) => mark('content', content));
  if (isNew) return [any, ...(known.length === 0 ? [unknown] : known)];
  return known.length === 0 ? [any] : [unknown, ...known];
}

function marksOfNew({ entry, object }: DesiredChild): string[] {
  return [...marksOfContent(object, true), ...(entry.release.cluster === '' ? marksOfEntry(entry) : [])];
}

function marksOfChild(child: Child): string[] {
  return [...marksOfContent(child, false), ...(clusterText(child.spec.kubeConfig) === '' ? [] : marksOfLost(child))];
}

/** Nothing is uninstalled when such a child is deleted. */
function isHarmless(child: Child): boolean {
  return isInstalledOnce(child) || child.spec.suspend === true || child.spec['prune'] === false;
}

/** The release or the files that take the place of a child. */
interface Replacement {
  /** In words, with the entry. */
  readonly why: string;
  /** Equal for the same release or the same files in the same place, wherever the entry stands in the spec. */
  readonly to: string;
}

function found<T>(index: ReadonlyMap<string, T>, marks: readonly string[]): T | undefined {
  return marks.map((mark) => index.get(mark)).find((each) => each !== undefined);
}

/**
 * Tells which new entry takes the place of a child without an entry: to remove the one and to create the other would
 * reinstall it. An entry without a name that changes its release or namespace does not match its child any more: the
 * cluster, and the chart or the directory, tell which one it was. An entry that lost its cluster is for the host now,
 * with the name or the release of its child.
 */
export class LostDestinations {
  /** New entries; of several for one mark, always the same one. */
  readonly #fresh = new Map<string, Entry>();
  readonly #legacyMayGo: boolean;

  /** `wanted`: the children that the spec wants; for `legacyMayGo` see `LeftoverFacts`. */
  constructor(wanted: readonly DesiredChild[], legacyMayGo = false) {
    this.#legacyMayGo = legacyMayGo;
    const fresh = wanted.filter(({ live }) => live === undefined);
    for (const each of sortBy(fresh, ({ entry }) => releaseKeyText(entry.release))) {
      for (const mark of marksOfNew(each)) if (!this.#fresh.has(mark)) this.#fresh.set(mark, each.entry);
    }
  }

  /** The replacement of a child; undefined: there is none, or nothing would be uninstalled. */
  replacing(child: Child): Replacement | undefined {
    const mayGo = this.#legacyMayGo || !isLegacyLeftover(child);
    if (this.#fresh.size === 0 || !mayGo || isHarmless(child)) return undefined;
    const entry = found(this.#fresh, marksOfChild(child));
    if (entry === undefined) return undefined;
    const where = entry.release.cluster === clusterText(child.spec.kubeConfig) ? '' : ' on the host';
    const target = `${backendOf(child).describeTarget(entry)}${where}`;
    return { why: `${entry.path} specifies ${target} instead`, to: target };
  }

  /** Finds the one of these children that a new entry replaces. */
  replacedBy(children: readonly Child[]): (desired: DesiredChild) => Child | undefined {
    const replaced = children.filter((child) => this.replacing(child) !== undefined);
    const index = new Map(replaced.flatMap((child) => marksOfChild(child).map((mark) => [mark, child] as const)));
    return (desired) => (index.size === 0 ? undefined : found(index, marksOfNew(desired)));
  }
}
