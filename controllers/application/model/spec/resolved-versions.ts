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

/** A version range of a chart in a Helm repository. */
export interface UnresolvedRange {
  readonly source: SourcePlace;
  readonly chart: { readonly name: string; readonly version: string; readonly interval: string };
}

/** A reference of an Application that another version may be found for one day, although it stays the same. */
export type Unresolved = UnresolvedRange | { readonly source: SourcePlace; readonly chart?: undefined };

/** Identifies it among those of an Application, whatever version is found for it. */
export function unresolvedText({ source, chart }: Unresolved): string {
  return chart === undefined ? sourceText(source) : `${sourceText(source)} ${chart.name} ${chart.version}`;
}

/** For people. */
export function describeUnresolved({ source, chart }: Unresolved): string {
  const shown = `${source.kind} ${source.namespace}/${source.name}`;
  return chart === undefined ? shown : `chart ${chart.name} ${chart.version} of ${shown}`;
}

function unresolvedChart(application: Application): Unresolved[] {
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
function unresolvedSources(application: Application): Unresolved[] {
  const files = kustomizationOf(application) ?? [];
  const isNamed = helmReleaseOf(application) !== undefined || files.some((each) => ownReference(each) === undefined);
  const references = [...(isNamed ? [sourceReference(application)] : []), ...files.map(ownReference)];
  const places = references.flatMap((each) => placesIn(each, application.metadata.namespace));
  const found = new Map(places.filter(({ kind }) => kind !== CHARTS).map((each) => [sourceText(each), each]));
  return [...found.values()].map((source) => ({ source }));
}

/** The unresolved references of a valid Application whose templates are merged. Never throws. */
export function unresolvedOf(application: Application): Unresolved[] {
  return [...unresolvedChart(application), ...unresolvedSources(application)];
}

/**
 * The versions that one revision of an Application has for its unresolved references, by `unresolvedText`: versions of
 * charts, and revisions of sources as these report them.
 */
export type ResolvedVersions = ReadonlyMap<string, string>;

/** The text of resolved versions in an annotation. */
export function printVersions(versions: ResolvedVersions): string {
  const sorted = [...versions].sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify(Object.fromEntries(sorted.map(([text, revision]) => [text, { revision }])));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The resolved versions in an annotation; none in a text that we did not write. Never throws. */
export function readVersions(text = ''): ResolvedVersions {
  const value = parsed(text);
  const entries = isMap(value) ? Object.entries(value) : [];
  return new Map(
    entries.flatMap(([key, each]): [string, string][] =>
      isMap(each) && typeof each['revision'] === 'string' ? [[key, each['revision']]] : [],
    ),
  );
}

/** The same reference, but to the copy of the resolved revision; as it is if no revision is resolved for it. */
function resolvedReference<Reference>(
  reference: Reference,
  application: Application,
  versions: ResolvedVersions,
): Reference {
  const [source] = placesIn(reference, application.metadata.namespace);
  const revision = source && versions.get(unresolvedText({ source }));
  if (source === undefined || revision === undefined) return reference;
  return { ...reference, name: copyName(source, revision) };
}

/** The same fields with a reference of their own to the copy of the resolved revision. */
export function resolvedFields<Fields extends object>(
  fields: Fields,
  application: Application,
  versions: ResolvedVersions,
): Fields {
  const own = ownReference(fields);
  const sourceRef = resolvedReference(own, application, versions);
  return own === sourceRef ? fields : { ...fields, sourceRef };
}

function resolvedChart(release: HelmReleaseConfig, version: string | undefined): HelmReleaseConfig {
  const { chart } = release;
  return chart === undefined || version === undefined ? release : { ...release, chart: { ...chart, version } };
}

/** The same Application with the resolved versions in place of its unresolved references. */
export function withVersions(application: Application, versions: ResolvedVersions): Application {
  const spec = fluxSpecOf(application);
  const unresolved = unresolvedOf(application).filter((each) => versions.has(unresolvedText(each)));
  if (spec === undefined || unresolved.length === 0) return application;
  const { source, config } = spec;
  const { helmRelease, kustomization } = config;
  const range = unresolved.find((each) => each.chart !== undefined);
  const version = range && versions.get(unresolvedText(range));
  const resolved = <Reference>(reference: Reference): Reference => resolvedReference(reference, application, versions);
  return withFluxSpec(application, {
    ...spec,
    ...defined({
      source: source && { ...source, ...defined({ sourceRef: resolved(source.sourceRef) }) },
    }),
    config: {
      ...config,
      ...defined({
        helmRelease: helmRelease && resolvedChart(helmRelease, version),
        kustomization: kustomization?.map((each) => resolvedFields(each, application, versions)),
      }),
    },
  });
}

const NAMED = 3;

/** The version that is found now, or why none is, and the one that comes `next`, once that is over. */
type Found = { readonly resolved: string } | { readonly problem: string; readonly next?: string };

/** The result of a lookup. `unresolvable`: why no version can be kept, whatever is found. */
export type LookupResult = Found | { readonly unresolvable: string };

/** The version that was chosen for an unresolved reference. */
export interface Choice {
  readonly reference: Unresolved;
  /** Undefined: none is found, and none was before. */
  readonly resolved: string | undefined;
  /** The version that is found now, or comes soon, if that waits. */
  readonly available: string | undefined;
  /** Why none is found now. */
  readonly problem: string | undefined;
}

export interface ChoiceInput {
  /** Those for which a version can be kept. */
  readonly references: readonly { readonly reference: Unresolved; readonly found: Found }[];
  /** The versions of the newest revision. */
  readonly before: ResolvedVersions;
  /** That revision is what the Application says, and its rollout goes on. */
  readonly isRollingOut: boolean;
}

/**
 * Chooses versions: those that are found now, unless a rollout goes on. Where none is found now, the last one stays: a
 * source that is broken or gone changes nothing. Never throws.
 */
export function chooseVersions({ references, before, isRollingOut }: ChoiceInput): Choice[] {
  return references.map(({ reference, found }) => {
    const kept = before.get(unresolvedText(reference));
    const now = 'resolved' in found ? found.resolved : undefined;
    const next = 'next' in found ? found.next : now;
    const resolved = isRollingOut ? (kept ?? now) : (now ?? kept);
    const available = next === resolved ? undefined : next;
    return { reference, resolved, available, problem: 'problem' in found ? found.problem : undefined };
  });
}

/** The chosen versions; undefined while one is missing: nothing may change until then. */
export function versionsOf(choices: readonly Choice[]): ResolvedVersions | undefined {
  const versions = choices.flatMap(({ reference, resolved }) =>
    resolved === undefined ? [] : [[unresolvedText(reference), resolved] as const],
  );
  return versions.length === choices.length ? new Map(versions) : undefined;
}

/** The warning about a reference for which no version can be kept. */
export function unresolvableWarning(reference: Unresolved, why: string): string {
  return `${describeUnresolved(reference)}: ${why}, so what it means changes on all clusters at once, whatever the stages are`;
}

/** Why an Application is not rolled out: no version was ever found for what it names. */
export function whyUnresolved(choices: readonly Choice[] = []): string | undefined {
  const open = choices.filter(({ resolved }) => resolved === undefined);
  if (open.length === 0) return undefined;
  const each = open.map(({ reference, problem }) => `${describeUnresolved(reference)}: ${problem ?? ''}`);
  return `waits for ${listed(each, NAMED)}; what runs is left unchanged`;
}

/** Warnings about references that keep their version because none is found now. */
export function versionWarnings(choices: readonly Choice[]): string[] {
  return choices.flatMap(({ reference, resolved, problem }) =>
    resolved === undefined || problem === undefined
      ? []
      : [`${describeUnresolved(reference)}: ${problem}; ${resolved} stays`],
  );
}

/**
 * The history of an Application with the versions in the revision that is created. While a version is missing, the spec
 * is no revision, and removes none: the one before it is still the current one, 0 if there was none.
 */
export function historyWithVersions(
  plan: HistoryPlan,
  { status }: Pick<Application, 'status'>,
  choices: readonly Choice[] = [],
): HistoryPlan {
  const { create } = plan;
  const versions = versionsOf(choices);
  // The next number would be another one each time.
  if (versions === undefined) return { current: status?.history?.revision ?? 0, isKept: false, remove: [] };
  if (create === undefined || versions.size === 0) return plan;
  const annotations = { ...create.metadata.annotations, [LOCK_ANNOTATION]: printVersions(versions) };
  return { ...plan, create: { ...create, metadata: { ...create.metadata, annotations } } };
}
