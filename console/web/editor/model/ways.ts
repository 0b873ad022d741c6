import { type PlainMap, isMap } from '#lib/plain.js';
import {
  isOfFiles,
  isSet,
  listPath,
  PLACES,
  textOfField,
  wayOf,
  type Way,
  type DestinationForm,
  type Target,
  targetEdits,
} from './application-form.js';
import { valueAt, type Edit, type Path, contentAt, valueWith, type Written } from '../../model/yaml-edit.js';
import { identityOf } from './three-way.js';

const FRESH: Readonly<Record<Way, { source: unknown; chart: unknown; template: unknown }>> = {
  chart: { source: { sourceRef: { kind: 'HelmRepository' } }, chart: {}, template: undefined },
  inline: { source: { inline: {} }, chart: undefined, template: undefined },
  template: { source: undefined, chart: undefined, template: null },
  files: { source: { sourceRef: { kind: 'GitRepository' } }, chart: undefined, template: undefined },
  fileTemplate: { source: undefined, chart: undefined, template: undefined },
};

/** Keeps of an entry what both kinds have in common: its name and its destination. */
function moved(entry: unknown, more: PlainMap): PlainMap {
  const kept = ['name', 'destination'].filter((key) => isSet(valueAt(entry, [key])));
  return { ...Object.fromEntries(kept.map((key) => [key, valueAt(entry, [key])])), ...more };
}

const OF_FILES: Readonly<Record<'files' | 'fileTemplate', PlainMap>> = {
  files: { path: './', prune: true },
  fileTemplate: { template: null },
};

/**
 * Between files of a source and of templates, all else that entries say stays; so does an entry that names a template
 * already, with the path that it has instead of the template's.
 */
function entryEdits(entry: unknown, path: Path, to: keyof typeof OF_FILES): Edit[] {
  if (to === 'fileTemplate' && textOfField(entry, ['template']) !== '') return [];
  const template = { path: [...path, 'template'], value: to === 'files' ? undefined : null };
  const folder = to === 'files' ? textOfField(entry, ['path']) || './' : undefined;
  return [template, { path: [...path, 'path'], value: folder }];
}

function toFiles({
  list,
  from,
  to,
}: {
  list: readonly unknown[];
  from: Way | undefined;
  to: keyof typeof OF_FILES;
}): Edit[] {
  if (isOfFiles(from)) return list.flatMap((entry, index) => entryEdits(entry, [...PLACES.files, index], to));
  const files = list.map((entry) => moved(entry, OF_FILES[to]));
  return [
    { path: PLACES.release, value: undefined },
    { path: PLACES.files, value: files },
  ];
}

/** To make the Application of something else: destinations stay, and what only the way before had goes. */
export function wayEdits(value: PlainMap, to: Way): Edit[] {
  const from = wayOf(value);
  const entries = valueAt(value, listPath(from));
  const list: readonly unknown[] = Array.isArray(entries) ? entries : [];
  const { source, chart, template } = FRESH[to];
  const first = { path: PLACES.source, value: source };
  if (to === 'files' || to === 'fileTemplate') return [first, ...toFiles({ list, from, to })];
  if (isOfFiles(from)) {
    const deploy = list.map((entry) => moved(entry, {}));
    const release = { ...(chart === undefined ? {} : { chart }), ...(template === null ? { template } : {}), deploy };
    return [first, { path: PLACES.files, value: undefined }, { path: PLACES.release, value: release }];
  }
  return [first, { path: PLACES.releaseChart, value: chart }, { path: PLACES.template, value: template }];
}

/** An Application as it was when another way was chosen. */
export type Left = Written;

/** What each way was when it was left; the last one that was left at the end. */
export type KeptWays = Map<Way, Left>;

function keptAt(left: Left, path: Path, place = path): Edit {
  return { path: place, ...contentAt(left, path) };
}

/** Which one it is in every way: folders and releases are of one of them. */
function destinationsIn(value: PlainMap, way: Way | undefined): (string | undefined)[] {
  const list = valueAt(value, listPath(way));
  const entries: readonly unknown[] = Array.isArray(list) ? list : [];
  return entries.map((entry) => {
    return identityOf({ name: valueAt(entry, ['name']), destination: valueAt(entry, ['destination']) });
  });
}

/** What is put back of an entry: all, or these keys. Entries that are new, or go elsewhere now, have nothing to get. */
function backInEntries(now: PlainMap, left: Left, to: Way, keys?: readonly string[]): Edit[] {
  const [own, before] = [destinationsIn(now, wayOf(now)), destinationsIn(left.value, to)];
  const isOne = (list: readonly unknown[], each: unknown): boolean => list.indexOf(each) === list.lastIndexOf(each);
  return own.flatMap((each, index) => {
    const was = each === undefined || !isOne(own, each) || !isOne(before, each) ? -1 : before.indexOf(each);
    if (was < 0) return [];
    const list = listPath(to);
    const [path, place]: readonly [Path, Path] = [
      [...list, was],
      [...list, index],
    ];
    if (keys === undefined) return [keptAt(left, path, place)];
    return keys.map((key) => keptAt(left, [...path, key], [...place, key]));
  });
}

/** What only this way had, besides what was made of the one before. */
function backEdits(now: PlainMap, left: Left, to: Way): Edit[] {
  const source = keptAt(left, PLACES.source);
  const isAlike = isOfFiles(wayOf(now)) === isOfFiles(to);
  if (isOfFiles(to)) return [source, ...backInEntries(now, left, to, isAlike ? ['template', 'path'] : undefined)];
  const release = valueAt(left.value, PLACES.release);
  const keys = isAlike ? ['chart', 'template'] : Object.keys(isMap(release) ? release : {});
  const others = keys.filter((key) => key !== 'deploy').map((key) => keptAt(left, [...PLACES.release, key]));
  return [source, ...others, ...(isAlike ? [] : backInEntries(now, left, to))];
}

function editsTo(kept: KeptWays, now: PlainMap, to: Way): Edit[] {
  const left = kept.get(to);
  return [...wayEdits(now, to), ...(left === undefined ? [] : backEdits(now, left, to))];
}

/** To make the Application of something else; who comes back to a way finds what it had, for the destinations of now. */
export function chooseWay(kept: KeptWays, now: Left, to: Way): Edit[] {
  const from = wayOf(now.value);
  if (from !== undefined) {
    kept.delete(from);
    kept.set(from, now);
  }
  if (isOfFiles(from) === isOfFiles(to)) return editsTo(kept, now.value, to);
  // Charts and templates of them have the same destinations, and so have manifests: the newest count.
  const via = [...kept.keys()].filter((way) => isOfFiles(way) === isOfFiles(to)).at(-1) ?? to;
  const first = editsTo(kept, now.value, via);
  const value = valueWith(now.value, first);
  return via === to || !isMap(value) ? first : [...first, ...editsTo(kept, value, to)];
}

/** One destination named its cluster so in each way, when that was left. */
export type KeptTargets = Map<Target, { readonly left: Left; readonly destination: DestinationForm }>;

/** To name the cluster in another way: a name that was changed meanwhile counts, else what this way had. */
export function chooseTarget(kept: KeptTargets, left: Left, destination: DestinationForm, to: Target): Edit[] {
  kept.set(destination.target, { left, destination });
  const edits = targetEdits(destination, to);
  const was = kept.get(to);
  if (was === undefined || to === 'here') return edits;
  const isOther = destination.cluster !== '' && destination.cluster !== was.destination.cluster;
  if (isOther && to !== 'clusterSelector') return edits;
  const [from, place] = [was.destination, destination].map(({ path }) => [...path, 'destination', to]);
  return from === undefined ? edits : [...edits, keptAt(was.left, from, place)];
}
