import cloneDeep from 'lodash/cloneDeep.js';
import unsetPath from 'lodash/unset.js';
import { DURATION_PATTERN } from '#api/schema.js';
import { placesOf, typeOf, type Place } from '../../support/schema-arbitrary.js';
import { changed, CONFIG, DEPLOY, entriesAt, FILES, keysOf, SCHEMA, SOURCE, type Spec } from './generated.js';

/** A spec with one mistake in it, and the path that whoever refuses it has to name. */
export interface Mistake {
  readonly what: string;
  readonly path: string;
  readonly spec: Spec;
}

function without(spec: Spec, path: string): Spec {
  const copy = cloneDeep(spec);
  unsetPath(copy, keysOf(path));
  return copy;
}

const OTHER_TYPE: Readonly<Record<string, unknown>> = {
  object: 'text',
  array: { not: 'a list' },
  boolean: 'yes',
  integer: 'many',
  string: 7,
  'int-or-string': true,
};

type Break = (place: Place) => readonly (readonly [what: string, value: unknown])[];

/** Every way to break what the schema says of a place. */
const BREAKS: readonly Break[] = [
  ({ schema }) => [['another type', OTHER_TYPE[typeOf(schema)] ?? null]],
  ({ schema }) => (schema.enum === undefined ? [] : [['an unknown word', 'NoSuchWord']]),
  ({ schema }) =>
    schema.pattern === DURATION_PATTERN
      ? ['soon', '-1s', '1d', ''].map((text) => [`${JSON.stringify(text)} for a duration`, text] as const)
      : [],
  ({ schema }) =>
    schema.pattern === undefined || schema.pattern === DURATION_PATTERN ? [] : [['a bad name', 'Not A Name']],
  ({ schema }) => (schema.maxLength === undefined ? [] : [['a long text', 'x'.repeat(schema.maxLength + 1)]]),
  ({ schema }) => ((schema.minLength ?? 0) > 0 ? [['an empty text', '']] : []),
  ({ schema }) => (schema.minimum === undefined ? [] : [['a small number', schema.minimum - 1]]),
];

/** Every way to break the schema at a place, with what it asks for inside. */
function brokenAt(spec: Spec, place: Place): Mistake[] {
  const wrong = BREAKS.flatMap((each) => each(place));
  const values = wrong.map(([what, value]) => ({ what, path: place.path, spec: changed(spec, place.path, value) }));
  const missing = (place.schema.required ?? []).map((name) => {
    const path = `${place.path}.${name}`;
    return { what: 'a missing field', path, spec: without(spec, path) };
  });
  return [...values, ...missing];
}

/** An inline source may take the place of both. */
const FLUX = 'spec.fluxApp.spec';

/** What no schema says: what is wrong, where, and how it comes about. */
type Misuse = readonly [what: string, path: string, change: (spec: Spec) => Spec];

function set(what: string, path: string, value: unknown): Misuse {
  return [what, path, (spec) => changed(spec, path, value)];
}

/** What refers to nothing is named, not the name in it. */
function refer(what: string, path: string): Misuse {
  return [what, path, (spec) => changed(spec, `${path}.name`, 'nowhere')];
}

function twice(path: string): Misuse {
  return [
    'one identity twice',
    `${path}[0]`,
    (spec) => {
      const [first] = entriesAt(spec, path);
      return changed(spec, path, [first, first]);
    },
  ];
}

/** A chart gives way to a template that cannot be found. */
function templateOf(text: string): Misuse {
  const path = `${CONFIG}.helmRelease.template`;
  const change = (spec: Spec): Spec => changed(without(spec, `${CONFIG}.helmRelease.chart`), path, text);
  return [`${JSON.stringify(text)} for a template`, path, change];
}

const EVERYWHERE: readonly Misuse[] = [
  ['no source', SOURCE, (spec) => without(spec, SOURCE)],
  refer('a source that is not there', `${SOURCE}.sourceRef`),
  set('another engine', 'spec.kind', 'argocd'),
  ['no engine', 'spec.fluxApp', (spec) => without(spec, 'spec.fluxApp')],
  ['two engines', 'spec.kind', (spec) => changed(without(spec, 'spec.kind'), 'spec.argoApp', { spec: {} })],
];

function misusesOfPlaces(entry: string): Misuse[] {
  return [
    set('a name that no namespace has', `${entry}.destination.targetNamespace`, 'Not_Valid'),
    set('no Secret', `${entry}.destination.kubeConfig`, {}),
    refer('a Secret that is not there', `${entry}.destination.kubeConfig.secretRef`),
  ];
}

const OF_CHARTS: readonly Misuse[] = [
  ...EVERYWHERE,
  ...misusesOfPlaces(`${DEPLOY}[0]`),
  ['chart and template', FLUX, (spec) => changed(spec, `${CONFIG}.helmRelease.template`, 'base')],
  ['neither chart nor template', FLUX, (spec) => without(spec, `${CONFIG}.helmRelease.chart`)],
  set('chart and files', FILES, [{ destination: { targetNamespace: 'prod' } }]),
  set('no entry', DEPLOY, []),
  twice(DEPLOY),
  [
    'one name twice',
    `${DEPLOY}[0].name`,
    (spec) => {
      const [first] = entriesAt(spec, DEPLOY);
      return changed(
        spec,
        DEPLOY,
        [1, 2].map((at) => ({ ...first, name: 'main', releaseName: `main-${at}` })),
      );
    },
  ],
  set('no version', `${CONFIG}.helmRelease.chart.version`, 'one'),
  ...['missing', 'Bad Name', 'a/b/c', '@', '/', 'base@0', 'base@x', '../base'].map(templateOf),
  ['no destination', `${DEPLOY}[0].destination`, (spec) => without(spec, `${DEPLOY}[0].destination`)],
  set('a name that no namespace has', `${DEPLOY}[0].storageNamespace`, 'Not_Valid'),
  set('a name that no release has', `${DEPLOY}[0].releaseName`, 'Not Valid'),
  set('apply by the client', `${DEPLOY}[0].install.serverSideApply`, false),
  set('apply by the client', `${DEPLOY}[0].upgrade.serverSideApply`, 'disabled'),
  ...['install', 'upgrade'].map((action) =>
    set('a pause without its strategy', `${DEPLOY}[0].${action}.strategy`, { retryInterval: '1m' }),
  ),
];

const OF_FILES: readonly Misuse[] = [
  ...EVERYWHERE,
  ...misusesOfPlaces(`${FILES}[0]`),
  set('a source of charts', `${SOURCE}.sourceRef.kind`, 'HelmRepository'),
  set('no entry', FILES, []),
  set('a template that is not there', `${FILES}[0].template`, 'missing'),
  twice(FILES),
];

/** What the message names where it is about several fields at once. */
const NAMED_BY_PARENT: Readonly<Record<string, string>> = {
  [`${CONFIG}.helmRelease.template`]: `${CONFIG}.helmRelease`,
  [FILES]: CONFIG,
};

/** Which mistake is made: numbers of any size. */
export interface Choice {
  readonly isMisuse: boolean;
  readonly where: number;
  readonly how: number;
}

/** One of the mistakes that can be made in a sound spec. */
export function mistakeIn(spec: Spec, { isMisuse, where, how }: Choice): Mistake {
  if (!isMisuse) {
    const places = placesOf(spec, SCHEMA, 'spec').slice(1);
    const broken = brokenAt(spec, places[where % places.length]!);
    return broken[how % broken.length]!;
  }
  const misuses = entriesAt(spec, DEPLOY).length > 0 ? OF_CHARTS : OF_FILES;
  const [what, path, change] = misuses[how % misuses.length]!;
  const named = what.startsWith('chart and ') ? (NAMED_BY_PARENT[path] ?? path) : path;
  return { what, path: named, spec: change(spec) };
}
