import type { PlainMap } from '#lib/plain.js';
import { isOfFiles, isSet, listPath, PLACES, textOfField, wayOf, type Way } from './application-form.js';
import { valueAt, type Edit, type Path } from '../../model/yaml-edit.js';

const FRESH: Readonly<Record<Way, { source: unknown; chart: unknown; template: unknown }>> = {
  chart: { source: { sourceRef: { kind: 'HelmRepository' } }, chart: {}, template: undefined },
  inline: { source: { inline: {} }, chart: undefined, template: undefined },
  template: { source: undefined, chart: undefined, template: null },
  files: { source: { sourceRef: { kind: 'GitRepository' } }, chart: undefined, template: undefined },
  fileTemplate: { source: undefined, chart: undefined, template: undefined },
};

/** What an entry of one kind has in common with one of the other: which it is, and where. */
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
