import type { KustomizationSpec } from '#api/flux/kustomization.js';
import { ENTRY_NAME_ANNOTATION } from '#api/v1alpha1/labels.js';
import { canonicalJson } from '#lib/json/lossless-json.js';
import { groupedBy, isMap } from '#lib/plain.js';
import { digestOf } from '#lib/hash.js';
import { includes } from '#lib/json/subset.js';
import { clusterText } from '../child/cluster.js';
import type { Layer } from '../child/layers.js';
import type { Child, Entry, ReleaseKey } from '../child/types.js';
import { originText } from '../spec/resolved-versions.js';
import type { MatchRule, RestMatching } from './types.js';

/** Different for different parts. */
export function textOf(...parts: readonly (string | undefined)[]): string {
  return JSON.stringify(parts.map((part) => part ?? null));
}

function nameOf(child: Child): string | undefined {
  return child.metadata.annotations?.[ENTRY_NAME_ANNOTATION];
}

/** How a backend identifies releases. */
interface Releases {
  readonly keyText: (key: ReleaseKey) => string;
  readonly liveKey: (child: Child) => ReleaseKey;
}

/**
 * A running release stays with the entry that wants it, even if the entry was renamed: a move would uninstall it. Of
 * two children for one release, the previous child of the entry is preferred.
 */
export function releaseRules({ keyText, liveKey }: Releases): readonly MatchRule[] {
  const ofChild = (child: Child): string => keyText(liveKey(child));
  const ofEntry = ({ release }: Entry): string => keyText(release);
  return [
    {
      ofEntry: (entry) => (entry.name === undefined ? undefined : textOf(entry.name, ofEntry(entry))),
      ofChild: (child) => {
        const name = nameOf(child);
        return name === undefined ? undefined : textOf(name, ofChild(child));
      },
    },
    {
      ofEntry: (entry) => textOf(entry.childName, ofEntry(entry)),
      ofChild: (child) => textOf(child.metadata.name, ofChild(child)),
    },
    { ofEntry, ofChild },
  ];
}

/** An entry with a name keeps its child through all changes except of the cluster, where the old release must go. */
const ITS_NAME: MatchRule = {
  ofEntry: ({ name, release }) => (name === undefined ? undefined : textOf(name, release.cluster)),
  ofChild: (child) => {
    const name = nameOf(child);
    return name === undefined ? undefined : textOf(name, clusterText(child.spec.kubeConfig));
  },
};

/** The name contains a hash of the release: it also identifies a child whose fields were changed. */
const ITS_CHILD_NAME: MatchRule = {
  ofEntry: ({ childName }) => childName,
  ofChild: ({ metadata }) => metadata.name,
};

export const NAME_RULES: readonly MatchRule[] = [ITS_NAME, ITS_CHILD_NAME];

interface Place {
  readonly entries: readonly Entry[];
  readonly children: readonly Child[];
}

/** The directory that is applied; `./web/`, `/web` and `web` are one. */
export function directoryOf({ path }: Readonly<Record<string, unknown>>): string {
  const parts = typeof path === 'string' ? path.split('/') : [];
  return parts.filter((part) => part !== '' && part !== '.').join('/');
}

/** Equal for what applies the same files to the same place. */
export function filesText({
  kubeConfig,
  targetNamespace,
  fields,
}: Pick<Entry, 'kubeConfig' | 'targetNamespace' | 'fields'>): string {
  return JSON.stringify([clusterText(kubeConfig), targetNamespace ?? null, directoryOf(fields)]);
}

export function liveFilesText({ spec }: Child): string {
  return filesText({ kubeConfig: spec.kubeConfig, targetNamespace: spec.targetNamespace, fields: spec });
}

/** Entry and child that agree in all that the entry says, and with nobody else. */
function alike({ entries, children }: Place): [Entry, Child][] {
  return entries.flatMap((entry): [Entry, Child][] => {
    const [child, ...others] = children.filter(({ spec }) => includes(spec, entry.fields));
    if (child === undefined || others.length > 0) return [];
    const claimants = entries.filter(({ fields }) => includes(child.spec, fields));
    return claimants.length === 1 ? [[entry, child]] : [];
  });
}

/** The one entry of a directory goes on from the first Kustomization of it: more than one are doubles. */
function onlyOne({ entries, children }: Place): [Entry, Child][] {
  const [entry, ...others] = entries;
  const [child] = children;
  return entry === undefined || child === undefined || others.length > 0 ? [] : [[entry, child]];
}

/** The others have another directory than before: that is told only where nothing can be mixed up. */
function lastOnes(place: Place): [Entry, Child][] {
  return place.children.length === 1 ? onlyOne(place) : [];
}

function without({ entries, children }: Place, pairs: readonly (readonly [Entry, Child])[]): Place {
  const taken = new Set<unknown>(pairs.flat());
  return {
    entries: entries.filter((entry) => !taken.has(entry)),
    children: children.filter((child) => !taken.has(child)),
  };
}

/** Entries and children of one directory: the pairs, and whatever cannot be told apart. */
function matchDirectory(place: Place): { readonly pairs: [Entry, Child][]; readonly rest: Place } {
  const same = alike(place);
  const rest = without(place, same);
  const pairs = [...same, ...onlyOne(rest)];
  return { pairs, rest: without(place, pairs) };
}

function matchPlace(place: Place): { readonly pairs: [Entry, Child][]; readonly rest: Place } {
  const children = groupedBy(place.children, ({ spec }) => directoryOf(spec));
  const pairs = [...groupedBy(place.entries, ({ fields }) => directoryOf(fields))].flatMap(
    ([directory, entries]) => matchDirectory({ entries, children: children.get(directory) ?? [] }).pairs,
  );
  // A double of what was matched is nobody's predecessor.
  const matched = new Set(pairs.map(([, { spec }]) => directoryOf(spec)));
  const open = without(place, pairs);
  const left = { ...open, children: open.children.filter(({ spec }) => !matched.has(directoryOf(spec))) };
  const last = lastOnes(left);
  return { pairs: [...pairs, ...last], rest: without(left, last) };
}

/**
 * Files have no release: whatever an entry is called, it goes on from the Kustomization that applies its directory to
 * its cluster and namespace, or from the only one there. Two that swap their objects would prune each other's: where
 * more than one could be meant, none is taken. `entries` and `children` are what nothing else has matched, in order.
 */
export function matchFiles(entries: readonly Entry[], children: readonly Child[]): RestMatching {
  const placeOf = (kubeConfig: Entry['kubeConfig'], namespace: string | undefined): string =>
    JSON.stringify([clusterText(kubeConfig), namespace ?? null]);
  const childrenAt = groupedBy(children, ({ spec }) => placeOf(spec.kubeConfig, spec.targetNamespace));
  const entriesAt = groupedBy(entries, (entry) => placeOf(entry.kubeConfig, entry.targetNamespace));
  const places = [...entriesAt].map(([place, list]) =>
    matchPlace({ entries: list, children: childrenAt.get(place) ?? [] }),
  );
  const unclear = places.flatMap(({ rest }) =>
    rest.children.length === 0 ? [] : rest.entries.map((entry) => [entry, rest.children] as const),
  );
  return { childOf: new Map(places.flatMap(({ pairs }) => pairs)), unclear: new Map(unclear) };
}

/**
 * Further fields of a Kustomization that decide which objects come out of it. All others are about when and how these
 * are applied, or change what is in them (images, metadata, keys) and neither add nor rename one: two Kustomizations
 * that differ there keep the same objects, and one that prunes them would take them from the other.
 */
const DECIDING = [
  'namePrefix',
  'nameSuffix',
  'patches',
  'components',
  'postBuild',
] as const satisfies readonly (keyof KustomizationSpec)[];

/**
 * Fields that can rename objects. Patches rarely do: two Kustomizations that differ only in patches would prune the
 * same objects.
 */
const RENAMING = DECIDING.filter((name) => name !== 'patches');

/** Left out, null, false and empty are one: a server may fill in any of them. An empty text is a value of variables. */
function isUnsaid(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value === undefined || value === null || value === false || (isMap(value) && Object.keys(value).length === 0);
}

/** The value without what might as well be left out. */
function stated(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(stated);
  if (!isMap(value)) return value;
  const fields = Object.entries(value).map(([name, field]) => [name, stated(field)] as const);
  return Object.fromEntries(fields.filter(([, field]) => !isUnsaid(field)));
}

function nameText(name: unknown): unknown {
  return typeof name === 'string' ? originText(name) : name;
}

/** The source regardless of how its kind is versioned, and of the commit or digest that it is held at. */
function sourceText(sourceRef: unknown, namespace: string | undefined): unknown {
  const source = isMap(sourceRef) ? sourceRef : {};
  return { kind: source['kind'], name: nameText(source['name']), namespace: source['namespace'] ?? namespace };
}

function decidingFields(spec: Layer, names: readonly string[] = DECIDING): unknown {
  return stated(Object.fromEntries(names.map((name) => [name, spec[name]])));
}

/**
 * A cache: indexes and mappings ask on every event, and variables may be long. A child's spec is never changed in
 * place.
 */
const targets = new WeakMap<Child['spec'], string>();

/** The same text for two Kustomizations that build the same objects from the same files, on any cluster. */
export function filesTarget({ spec, metadata }: Pick<Child, 'spec' | 'metadata'>): string {
  const known = targets.get(spec);
  if (known !== undefined) return known;
  const source = sourceText(spec['sourceRef'], metadata.namespace);
  const text = digestOf([spec.targetNamespace ?? null, directoryOf(spec), source, decidingFields(spec, RENAMING)]);
  targets.set(spec, text);
  return text;
}

/** Equal for an entry and a Kustomization that make the same of the files that they read, in the same place. */
export function entryObjectsText(entry: Pick<Entry, 'kubeConfig' | 'targetNamespace' | 'fields'>): string {
  return canonicalJson([filesText(entry), decidingFields(entry.fields)]);
}

/** See `entryObjectsText`. */
export function liveObjectsText({ spec }: Child): string {
  return entryObjectsText({ kubeConfig: spec.kubeConfig, targetNamespace: spec.targetNamespace, fields: spec });
}

/** See `objectsText`; undefined for an entry that reads the source of its Application. */
export function entryWorkText(entry: Pick<Entry, 'kubeConfig' | 'targetNamespace' | 'fields'>): string | undefined {
  const sourceRef = entry.fields['sourceRef'];
  return sourceRef === undefined
    ? undefined
    : canonicalJson([entryObjectsText(entry), sourceText(sourceRef, undefined)]);
}

/** Equal for two Kustomizations of which the same objects come out, in the same place. */
export function objectsText(child: Child): string {
  return canonicalJson([liveObjectsText(child), sourceText(child.spec['sourceRef'], child.metadata.namespace)]);
}
