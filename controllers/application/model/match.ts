import countBy from 'lodash/countBy.js';
import groupBy from 'lodash/groupBy.js';
import { ENTRY_KEY_ANNOTATION, ENTRY_NAME_ANNOTATION } from '../../../api/v1alpha1/labels.js';
import { kindOfChild, type ChildKind } from './child-kind.js';
import { agrees, clusterText, releaseKeyText } from './identity.js';
import { directoryOf, filesText, liveFilesText, matchFiles } from './match-files.js';
import { entryObjectsText, liveObjectsText } from './objects-text.js';
import { isLegacy, liveReleaseKey } from './ownership.js';
import type { Child, Entry } from './types.js';

/** Which child each entry has now, and the children that no entry has. */
export interface Matching {
  readonly childOf: ReadonlyMap<Entry, Child>;
  /** Entries of files that may go on from several children, with these: see `matchFiles`. */
  readonly unclear: ReadonlyMap<Entry, readonly Child[]>;
  readonly unmatched: readonly Child[];
}

/** One way to tell that a child is that of an entry: what both must have in common; undefined where it says nothing. */
interface Sign {
  readonly ofEntry: (entry: Entry) => string | undefined;
  readonly ofChild: (child: Child) => string | undefined;
  /** What must hold besides. */
  readonly agrees?: (entry: Entry, child: Child) => boolean;
  /** Says nothing where several entries or several children have it. */
  readonly isUnique?: boolean;
}

function textOf(...parts: readonly (string | undefined)[]): string {
  return JSON.stringify(parts.map((part) => part ?? null));
}

function nameOf(child: Child): string | undefined {
  return child.metadata.annotations?.[ENTRY_NAME_ANNOTATION];
}

/** What runs stays where it is wanted, whatever the entry that wants it is called: to move it would uninstall it. */
const ITS_RELEASE: Sign = {
  ofEntry: ({ release }) => releaseKeyText(release),
  ofChild: (child) => releaseKeyText(liveReleaseKey(child)),
};

/** Of two children for one release, the one that was this entry's before. */
const ITS_RELEASE_AND_NAME: Sign = {
  ofEntry: ({ name, release }) => (name === undefined ? undefined : textOf(name, releaseKeyText(release))),
  ofChild: (child) => {
    const name = nameOf(child);
    return name === undefined ? undefined : textOf(name, releaseKeyText(liveReleaseKey(child)));
  },
};

const ITS_RELEASE_AND_CHILD_NAME: Sign = {
  ofEntry: ({ childName, release }) => textOf(childName, releaseKeyText(release)),
  ofChild: (child) => textOf(child.metadata.name, releaseKeyText(liveReleaseKey(child))),
};

/** A name keeps its child through any change but that of the cluster, where the old release must go. */
const ITS_NAME: Sign = {
  ofEntry: ({ name, release }) => (name === undefined ? undefined : textOf(name, release.cluster)),
  ofChild: (child) => {
    const name = nameOf(child);
    return name === undefined ? undefined : textOf(name, clusterText(child.spec.kubeConfig));
  },
};

/** The name holds a hash of the release: a child whose fields somebody changed is still known by it. */
const ITS_CHILD_NAME: Sign = {
  ofEntry: ({ childName }) => childName,
  ofChild: ({ metadata }) => metadata.name,
};

/** Where a chart goes without a target namespace: the namespace of its child. */
function targetOf(child: Child): string | undefined {
  const { metadata, spec } = child;
  return spec.targetNamespace ?? (kindOfChild(child) === 'HelmRelease' ? metadata.namespace : undefined);
}

/** Children of ks-devops say only which destination they are for; what the entry states must not differ. */
const ITS_DESTINATION: Sign = {
  ofEntry: ({ release, targetNamespace }) => textOf(release.cluster, targetNamespace),
  ofChild: (child) => {
    const key = child.metadata.annotations?.[ENTRY_KEY_ANNOTATION];
    if (!isLegacy(child) || key === undefined) return undefined;
    return textOf(clusterText(child.spec.kubeConfig), targetOf(child));
  },
  agrees: ({ release, stated }, child) => release.kind === 'HelmRelease' && agrees(stated, liveReleaseKey(child)),
};

/** What is applied stays where it is wanted: to give its Kustomization the variables of another would prune it. */
const ITS_OBJECTS: Sign = {
  ofEntry: (entry) => (entry.release.kind === 'Kustomization' ? entryObjectsText(entry) : undefined),
  ofChild: (child) => (kindOfChild(child) === 'Kustomization' ? liveObjectsText(child) : undefined),
  isUnique: true,
};

/** What is applied stays where it is wanted: to give its Kustomization another directory would prune it. */
const ITS_FILES: Sign = {
  ofEntry: (entry) => (entry.release.kind === 'Kustomization' ? filesText(entry) : undefined),
  ofChild: (child) => (kindOfChild(child) === 'Kustomization' ? liveFilesText(child) : undefined),
  isUnique: true,
};

const BY_RELEASE: readonly Sign[] = [ITS_RELEASE_AND_NAME, ITS_RELEASE_AND_CHILD_NAME, ITS_RELEASE];

/** The key of files is hardly more than a name: another entry may mean what the child of that name applies. */
const BY_RELEASE_AND_FILES = BY_RELEASE.map((sign): Sign => ({
  ...sign,
  agrees: ({ release, fields }, { spec }) =>
    release.kind === 'HelmRelease' || directoryOf(fields) === directoryOf(spec),
}));

/** In this order, each over all entries, so that a weaker sign never takes a child from a stronger one. */
const SIGNS: readonly Sign[] = [
  ITS_OBJECTS,
  ...BY_RELEASE_AND_FILES,
  ITS_FILES,
  ...BY_RELEASE,
  ITS_NAME,
  ITS_CHILD_NAME,
  ITS_DESTINATION,
];

function byRelease(entries: readonly Entry[]): Entry[] {
  const texts = new Map(entries.map((entry) => [entry, releaseKeyText(entry.release)]));
  return [...entries].sort((one, other) => ((texts.get(one) ?? '') < (texts.get(other) ?? '') ? -1 : 1));
}

/** What a sign tells: `entries` in order, none of which has a child, and children that nobody has. */
function pairsBy(sign: Sign, entries: readonly Entry[], children: readonly Child[]): [Entry, Child][] {
  const free = new Set(children);
  // A thousand entries must not look at a thousand children each.
  const candidates = groupBy(children, (child) => textOf(kindOfChild(child), sign.ofChild(child)));
  const claims =
    sign.isUnique === true ? countBy(entries, (entry) => textOf(entry.release.kind, sign.ofEntry(entry))) : {};
  return entries.flatMap((entry): [Entry, Child][] => {
    const mark = sign.ofEntry(entry);
    if (mark === undefined) return [];
    const text = textOf(entry.release.kind, mark);
    const alike = candidates[text] ?? [];
    if (sign.isUnique === true && (alike.length > 1 || claims[text] !== 1)) return [];
    const child = alike.find((each) => free.has(each) && sign.agrees?.(entry, each) !== false);
    if (child === undefined) return [];
    free.delete(child);
    return [[entry, child]];
  });
}

/** Gives each entry at most one child and each child at most one entry. The order of both lists does not matter. */
export function matchChildren(entries: readonly Entry[], children: readonly Child[]): Matching {
  const childOf = new Map<Entry, Child>();
  const free = new Set([...children].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1)));
  const inOrder = byRelease(entries);
  const take = (pairs: Iterable<readonly [Entry, Child]>): void => {
    for (const [entry, child] of pairs) {
      childOf.set(entry, child);
      free.delete(child);
    }
  };
  for (const sign of SIGNS) {
    // Mostly all children are taken by the first signs, and a new Application has none.
    if (free.size === 0) break;
    const open = inOrder.filter((entry) => !childOf.has(entry));
    take(pairsBy(sign, open, [...free]));
  }
  const isOfFiles = (kind: ChildKind): boolean => kind === 'Kustomization';
  const files = matchFiles(
    inOrder.filter((entry) => !childOf.has(entry) && isOfFiles(entry.release.kind)),
    [...free].filter((child) => isOfFiles(kindOfChild(child))),
  );
  take(files.childOf);
  return { childOf, unclear: files.unclear, unmatched: [...free] };
}
