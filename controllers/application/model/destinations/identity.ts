import sortBy from 'lodash/sortBy.js';
import { groupedBy } from '#lib/plain.js';
import { HASH_LENGTH, shortHash } from '#lib/hash.js';
import { backendOf, BACKENDS } from '../backends/index.js';
import type { Backend, MatchRule, Reinstallation, RestMatching } from '../backends/types.js';
import { isLeftBehind } from '../child/metadata.js';
import type { Child, Entry, ReleaseKey } from '../child/types.js';

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
export function placeText({ release, names }: Entry): string {
  return JSON.stringify([releaseKeyText(release), names.short]);
}

/** Equal for two children that an engine would have do the same thing to the same objects. */
export function workText(child: Child): string {
  return backendOf(child).workText(child);
}

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

/** The child of each entry, and the children without an entry. */
export interface Matching extends RestMatching {
  readonly unmatched: readonly Child[];
}

/** Two entries of one release come by their names, the one without first: another rule may find the child of a name. */
function byRelease(entries: readonly Entry[]): Entry[] {
  return sortBy(entries, [({ release }) => releaseKeyText(release), ({ name = '' }) => name]);
}

/** Restricts which children entries may continue. */
interface Restrictions {
  /** False for an entry that must not continue a child which other rules would give it. */
  readonly mayContinue: (entry: Entry, child: Child) => boolean;
  /** True for a child of nobody, or of another Application: the match rules tell whose it is, or nothing does. */
  readonly isLeft: (child: Child) => boolean;
}

const UNRESTRICTED: Restrictions = { mayContinue: () => true, isLeft: isLeftBehind };

/** Matches by one rule: `entries` and `children` are those without a match, in order. */
function pairsBy(
  rule: MatchRule,
  entries: readonly Entry[],
  children: readonly Child[],
  mayContinue: Restrictions['mayContinue'],
): [Entry, Child][] {
  const free = new Set(children);
  // Keeps a thousand entries with a thousand children linear.
  const candidates = groupedBy(children, (child) => rule.ofChild(child));
  const claims = groupedBy(rule.isUnique === true ? entries : [], (entry) => rule.ofEntry(entry));
  return entries.flatMap((entry): [Entry, Child][] => {
    const mark = rule.ofEntry(entry);
    if (mark === undefined) return [];
    const alike = candidates.get(mark) ?? [];
    if (rule.isUnique === true && (alike.length > 1 || claims.get(mark)?.length !== 1)) return [];
    const child = alike.find(
      (each) => free.has(each) && rule.agrees?.(entry, each) !== false && mayContinue(entry, each),
    );
    if (child === undefined) return [];
    free.delete(child);
    return [[entry, child]];
  });
}

/** Matches entries and children of one kind. Each rule is applied to all of them before the next, weaker one. */
function matchKind(
  { matchRules, matchRest }: Backend,
  entries: readonly Entry[],
  children: readonly Child[],
  { mayContinue, isLeft }: Restrictions,
): RestMatching {
  const childOf = new Map<Entry, Child>();
  const free = new Set(children);
  const take = (pairs: Iterable<readonly [Entry, Child]>): void => {
    for (const [entry, child] of pairs) {
      childOf.set(entry, child);
      free.delete(child);
    }
  };
  const open = (): Entry[] => entries.filter((entry) => !childOf.has(entry));
  for (const rule of matchRules) {
    // Mostly all children are taken by the first rules, and a new Application has none.
    if (free.size === 0) break;
    take(pairsBy(rule, open(), [...free], mayContinue));
  }
  // The files of an orphan are told by the rules above, or not at all.
  const rest = matchRest(
    open(),
    [...free].filter((child) => !isLeft(child)),
  );
  take(rest.childOf);
  return { childOf, unclear: rest.unclear };
}

/** Matches each entry with at most one child. The order of both lists does not matter. */
export function matchChildren(
  entries: readonly Entry[],
  children: readonly Child[],
  restrictions = UNRESTRICTED,
): Matching {
  const inOrder = byRelease(entries);
  const byName = [...children].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  const matchings = BACKENDS.map((backend) =>
    matchKind(
      backend,
      inOrder.filter(({ release }) => release.kind === backend.kind),
      byName.filter(({ kind }) => kind === backend.kind),
      restrictions,
    ),
  );
  const childOf = new Map(matchings.flatMap((matching) => [...matching.childOf]));
  const unclear = new Map(matchings.flatMap((matching) => [...matching.unclear]));
  const taken = new Set(childOf.values());
  return { childOf, unclear, unmatched: byName.filter((child) => !taken.has(child)) };
}
