import isEqual from 'lodash/isEqual.js';
import type { Application, HelmReleaseConfig } from '#api/v1alpha1/application.js';
import { LOCK_ANNOTATION } from '#api/v1alpha1/labels.js';
import { canonicalJson } from '#lib/json/lossless-json.js';
import { listed } from '#lib/text/text.js';
import { defined, isMap } from '#lib/plain.js';
import { HASH_LENGTH, hashedName, hashedStart } from '#lib/hash.js';
import {
  fluxSpecOf,
  helmReleaseOf,
  kustomizationOf,
  placesIn,
  type SourcePlace,
  sourceReference,
  sourceText,
  withFluxSpec,
} from './flux-spec.js';
import type { HistoryPlan } from './history.js';
import { isExactVersion } from './inline-source.js';

const MAX_NAME = 63;

const START = 'pinned-';
/** The end of a name: a short hash. */
const COPY = new RegExp(`^${START}(.+)-[a-z2-7]{${HASH_LENGTH}}$`);

/** The name of the copy of a source at one of its revisions: Applications of its namespace share it. */
export function copyName({ kind, name }: SourcePlace, revision: string): string {
  return hashedName(`${START}${name}`, canonicalJson([kind, name, revision]), MAX_NAME);
}

/**
 * The name of a source, or of the one that it is a copy of, as far as names tell: long ones are shortened in both, so that
 * a source and its copies at all revisions have one text.
 */
export function originText(name: string): string {
  const [, origin = name] = COPY.exec(name) ?? [];
  return hashedStart(`${START}${origin}`, MAX_NAME);
}

/** The default interval at which a range is looked up. */
const INTERVAL = '10m';
const ANY = '*';
const CHARTS = 'HelmRepository';

/** A chart of a Helm repository, by a range of its versions. */
export interface FloatingChart {
  readonly name: string;
  readonly version: string;
  readonly interval: string;
}

/** A version range of a chart. */
export interface FloatingRange {
  readonly source: SourcePlace;
  readonly chart: FloatingChart;
}

/** A reference of an Application that may mean something else one day although it stays the same. */
export type Floating = FloatingRange | { readonly source: SourcePlace; readonly chart?: undefined };

/** Identifies it among those of an Application, whatever it means. */
export function floatingText({ source, chart }: Floating): string {
  return chart === undefined ? sourceText(source) : `${sourceText(source)} ${chart.name} ${chart.version}`;
}

/** For people. */
export function describeFloating({ source, chart }: Floating): string {
  const shown = `${source.kind} ${source.namespace}/${source.name}`;
  return chart === undefined ? shown : `chart ${chart.name} ${chart.version} of ${shown}`;
}

function floatingChart(application: Application): Floating[] {
  const stated = helmReleaseOf(application)?.chart;
  const source = sourceReference(application);
  if (stated === undefined || source?.kind !== CHARTS) return [];
  const { chart: name, version = ANY, interval = INTERVAL } = stated;
  if (isExactVersion(version)) return [];
  const { kind, namespace = '' } = source;
  return [{ source: { kind, namespace, name: source.name }, chart: { name, version, interval } }];
}

/** The source that an entry has from its template, whatever the Application names. */
function ownReference(fields: object): unknown {
  return 'sourceRef' in fields ? fields.sourceRef : undefined;
}

/** The sources whose files or charts have no version but their own. */
function floatingSources(application: Application): Floating[] {
  const files = kustomizationOf(application) ?? [];
  const isNamed = helmReleaseOf(application) !== undefined || files.some((each) => ownReference(each) === undefined);
  const references = [...(isNamed ? [sourceReference(application)] : []), ...files.map(ownReference)];
  const places = references.flatMap((each) => placesIn(each, application.metadata.namespace));
  const found = new Map(places.filter(({ kind }) => kind !== CHARTS).map((each) => [sourceText(each), each]));
  return [...found.values()].map((source) => ({ source }));
}

/** Everything that may float in a valid Application whose templates are merged. Never throws. */
export function floatingOf(application: Application): Floating[] {
  return [...floatingChart(application), ...floatingSources(application)];
}

/** The meaning of something that floats at one time. */
export interface Meaning {
  /** A version of a chart, or a revision of a source as it reports it. */
  readonly revision: string;
}

/** The meanings of all that floats in one revision of an Application, by `floatingText`. */
export type Lock = ReadonlyMap<string, Meaning>;

export const NO_LOCK: Lock = new Map();

export function isSameMeaning(one: Meaning | undefined, other: Meaning | undefined): boolean {
  return isEqual(one, other);
}

/** The text of a lock in an annotation. */
export function printLock(lock: Lock): string {
  return JSON.stringify(Object.fromEntries([...lock].sort(([one], [other]) => (one < other ? -1 : 1))));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The lock in an annotation; an empty one for a text that we did not write. Never throws. */
export function readLock(text = ''): Lock {
  const value = parsed(text);
  if (!isMap(value)) return NO_LOCK;
  const meanings = Object.entries(value).flatMap(([key, each]): [string, Meaning][] =>
    isMap(each) && typeof each['revision'] === 'string' ? [[key, { revision: each['revision'] }]] : [],
  );
  return new Map(meanings);
}

/** The same reference, but to the copy that it means; as it is for what the lock does not have. */
function lockedReference<Reference>(reference: Reference, application: Application, lock: Lock): Reference {
  const [source] = placesIn(reference, application.metadata.namespace);
  const meaning = source && lock.get(floatingText({ source }));
  if (source === undefined || meaning === undefined) return reference;
  return { ...reference, name: copyName(source, meaning.revision) };
}

/** The same fields with a reference of their own to the copy that it means. */
export function lockedFields<Fields extends object>(fields: Fields, application: Application, lock: Lock): Fields {
  const own = ownReference(fields);
  const sourceRef = lockedReference(own, application, lock);
  return own === sourceRef ? fields : { ...fields, sourceRef };
}

function lockedChart(application: Application, lock: Lock, release: HelmReleaseConfig): HelmReleaseConfig {
  const { chart } = release;
  const range = floatingOf(application).find((each) => each.chart !== undefined);
  const version = range && lock.get(floatingText(range))?.revision;
  return chart === undefined || version === undefined ? release : { ...release, chart: { ...chart, version } };
}

/** The same Application with what it means instead of what floats; as it is for what the lock does not have. */
export function lockedApplication(application: Application, lock: Lock): Application {
  const spec = fluxSpecOf(application);
  if (spec === undefined || !floatingOf(application).some((each) => lock.has(floatingText(each)))) return application;
  const { source, config } = spec;
  const { helmRelease, kustomization } = config;
  return withFluxSpec(application, {
    ...spec,
    ...defined({
      source: source && { ...source, ...defined({ sourceRef: lockedReference(source.sourceRef, application, lock) }) },
    }),
    config: {
      ...config,
      ...defined({
        helmRelease: helmRelease && lockedChart(application, lock, helmRelease),
        kustomization: kustomization?.map((each) => lockedFields(each, application, lock)),
      }),
    },
  });
}

const NAMED = 3;

/** The meaning of something that floats, or why nobody knows it, and the one that comes once that is over. */
type Known = { readonly meaning: Meaning } | { readonly problem: string; readonly coming?: Meaning };

/** The same, or why it cannot be held at one meaning. */
export type Found = Known | { readonly floats: string };

/** The chosen meaning of something that floats. */
export interface Choice {
  readonly floating: Floating;
  /** Undefined: it is not known, and was not known before. */
  readonly meaning: Meaning | undefined;
  /** The meaning that it has now, or gets soon, if that waits. */
  readonly available: Meaning | undefined;
  /** Why nobody knows what it means now. */
  readonly problem: string | undefined;
}

export interface LockInput {
  /** Everything that can be held at one meaning. */
  readonly held: readonly { readonly floating: Floating; readonly found: Known }[];
  /** The lock of the newest revision. */
  readonly before: Lock;
  /** That revision is what the Application says, and its rollout goes on. */
  readonly isRollingOut: boolean;
}

function choiceFor({ floating, found }: LockInput['held'][number], { before, isRollingOut }: LockInput): Choice {
  const kept = before.get(floatingText(floating));
  const now = 'meaning' in found ? found.meaning : undefined;
  const next = 'coming' in found ? found.coming : now;
  const meaning = isRollingOut ? (kept ?? now) : (now ?? kept);
  return {
    floating,
    meaning,
    available: next === undefined || isSameMeaning(next, meaning) ? undefined : next,
    problem: 'problem' in found ? found.problem : undefined,
  };
}

/**
 * Chooses meanings: those of now, unless a rollout goes on. Whatever is not known now means what it
 * did: a source that is broken or gone changes nothing. Never throws.
 */
export function chooseLock(input: LockInput): Choice[] {
  return input.held.map((each) => choiceFor(each, input));
}

/** The lock of what was chosen; undefined while something has no meaning: nothing may change until then. */
export function lockOf(choices: readonly Choice[]): Lock | undefined {
  const meanings = choices.flatMap(({ floating, meaning }) =>
    meaning === undefined ? [] : [[floatingText(floating), meaning] as const],
  );
  return meanings.length === choices.length ? new Map(meanings) : undefined;
}

/** The warning about something that cannot be held at one meaning. */
export function floatWarning(floating: Floating, why: string): string {
  return `${describeFloating(floating)}: ${why}, so what it means changes on all clusters at once, whatever the stages are`;
}

/** Why an Application is not rolled out: what it names has no meaning yet. */
export function whyUnlocked(choices: readonly Choice[] = []): string | undefined {
  const open = choices.filter(({ meaning }) => meaning === undefined);
  if (open.length === 0) return undefined;
  const each = open.map(({ floating, problem }) => `${describeFloating(floating)}: ${problem ?? ''}`);
  return `waits for ${listed(each, NAMED)}; what runs is left unchanged`;
}

/** Warnings about whatever keeps its meaning because nobody knows the one that it has now. */
export function lockWarnings(choices: readonly Choice[]): string[] {
  return choices.flatMap(({ floating, meaning, problem }) =>
    meaning === undefined || problem === undefined
      ? []
      : [`${describeFloating(floating)}: ${problem}; ${meaning.revision} stays`],
  );
}

/**
 * The history of an Application with its lock in the revision that is created. What has no lock yet is no revision, and
 * removes none: the one before it is still the current one, 0 if there was none.
 */
export function lockedHistory(
  plan: HistoryPlan,
  { status }: Pick<Application, 'status'>,
  choices: readonly Choice[] = [],
): HistoryPlan {
  const { create } = plan;
  const lock = lockOf(choices);
  // The next number would be another one each time.
  if (lock === undefined) return { current: status?.history?.revision ?? 0, isKept: false, remove: [] };
  if (create === undefined || lock.size === 0) return plan;
  const annotations = { ...create.metadata.annotations, [LOCK_ANNOTATION]: printLock(lock) };
  return { ...plan, create: { ...create, metadata: { ...create.metadata, annotations } } };
}
