import groupBy from 'lodash/groupBy.js';
import { includes } from '#controllers/runtime/pure/subset.js';
import { clusterText } from '../cluster.js';
import type { Child, Entry } from '../types.js';
import type { RestMatching } from './types.js';

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

/** What is left has another directory than before: that is told only where nothing can be mixed up. */
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
  const entries = groupBy(place.entries, ({ fields }) => directoryOf(fields));
  const children = groupBy(place.children, ({ spec }) => directoryOf(spec));
  const pairs = Object.keys(entries).flatMap(
    (directory) => matchDirectory({ entries: entries[directory] ?? [], children: children[directory] ?? [] }).pairs,
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
  const childrenAt = groupBy(children, ({ spec }) => placeOf(spec.kubeConfig, spec.targetNamespace));
  const entriesAt = groupBy(entries, (entry) => placeOf(entry.kubeConfig, entry.targetNamespace));
  const places = Object.entries(entriesAt).map(([place, list]) =>
    matchPlace({ entries: list, children: childrenAt[place] ?? [] }),
  );
  const unclear = places.flatMap(({ rest }) =>
    rest.children.length === 0 ? [] : rest.entries.map((entry) => [entry, rest.children] as const),
  );
  return { childOf: new Map(places.flatMap(({ pairs }) => pairs)), unclear: new Map(unclear) };
}
