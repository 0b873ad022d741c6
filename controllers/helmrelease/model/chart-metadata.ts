import { isMap } from '#lib/plain.js';
import { parseVersion, compareVersions, type Version } from '#lib/semver/version.js';
import type { ChartMetadata } from './release.js';

/** The only fields of Chart.yaml and Chart.lock that are no text. */
const BOOLEANS: ReadonlySet<string> = new Set(['deprecated', 'enabled']);
/** May hold any YAML. */
const FREE_FORM = 'import-values';

function textOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => textOf(item));
  if (isMap(value)) return chartTexts(value);
  return typeof value === 'string' ? value : String(value);
}

/**
 * A Chart.yaml or Chart.lock as Helm reads it: `appVersion: 1.2` is text there, and a release record with a number in
 * its place cannot be read by helm. Fields without a value are left out. Never throws.
 */
export function chartTexts(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const entries = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(
    entries.map(([key, value]) => {
      const keep = key === FREE_FORM || (BOOLEANS.has(key) && typeof value === 'boolean');
      return [key, keep ? value : textOf(value)];
    }),
  );
}

type Shape = (value: unknown) => boolean;

const isText: Shape = (value) => typeof value === 'string';
const isBoolean: Shape = (value) => typeof value === 'boolean';

function listOf(shape: Shape): Shape {
  return (value) => Array.isArray(value) && value.every(shape);
}

function fieldsOf(shapes: Readonly<Record<string, Shape>>): Shape {
  return (value) => isMap(value) && misshapen(value, shapes) === undefined;
}

/** The first field that Helm cannot read; it ignores those that it does not know. */
function misshapen(fields: Readonly<Record<string, unknown>>, shapes: Readonly<Record<string, Shape>>) {
  return Object.keys(shapes).find((key) => fields[key] !== undefined && shapes[key]?.(fields[key]) === false);
}

const TEXTS = ['name', 'version', 'apiVersion', 'type', 'appVersion', 'description', 'home', 'icon'];

const SHAPES: Readonly<Record<string, Shape>> = {
  ...Object.fromEntries([...TEXTS, 'condition', 'tags', 'kubeVersion'].map((field) => [field, isText])),
  ...{ sources: listOf(isText), keywords: listOf(isText), deprecated: isBoolean },
  annotations: (value) => isMap(value) && Object.values(value).every(isText),
  maintainers: listOf(fieldsOf({ name: isText, email: isText, url: isText })),
  dependencies: listOf(
    fieldsOf({
      ...Object.fromEntries(['name', 'version', 'repository', 'condition', 'alias'].map((field) => [field, isText])),
      ...{ tags: listOf(isText), enabled: isBoolean, [FREE_FORM]: Array.isArray },
    }),
  ),
};

const API_VERSIONS: ReadonlySet<unknown> = new Set(['v1', 'v2']);
const TYPES: ReadonlySet<unknown> = new Set([undefined, '', 'application', 'library']);
const ALIAS = /^[\w-]+$/;
/** Of texts that become part of the status. */
const MAX_FIELD = 512;
const SHOWN = 100;

function shown(text: string): string {
  return JSON.stringify(text.slice(0, SHOWN));
}

/** Like Helm: other spaces become spaces, other characters that cannot be printed go. */
function printable(text: string): string {
  return text.replaceAll(/\p{White_Space}/gu, ' ').replaceAll(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, '');
}

function dependencyProblem(dependencies: readonly { readonly name?: string; readonly alias?: string }[]) {
  const names = new Set<string>();
  for (const { name = '', alias = '' } of dependencies) {
    if (alias !== '' && !ALIAS.test(alias)) return `the alias ${shown(alias)} has more than letters, digits, - and _`;
    const key = alias === '' ? printable(name) : alias;
    if (names.has(key)) return `more than one dependency has the name or alias ${shown(key)}`;
    names.add(key);
  }
  return undefined;
}

/** Source: Helm's Metadata.Validate. */
function problemOf({ name, version, type, dependencies = [] }: ChartMetadata): string | undefined {
  if (name === '' || name === '.' || name === '..' || name.includes('/')) return `the name ${shown(name)} is invalid`;
  if (parseVersion(version) === undefined) return `the version ${shown(version)} is not a semantic version`;
  if (!TYPES.has(type)) return 'the type is neither application nor library';
  return dependencyProblem(dependencies as { name?: string; alias?: string }[]); // as SHAPES has them
}

/**
 * Of the chart itself, not of a subchart: Helm installs no other apiVersion, and these texts become part of the status.
 */
function ownProblem({ apiVersion, name, version, appVersion = '' }: ChartMetadata): string | undefined {
  if (!API_VERSIONS.has(apiVersion)) return 'the apiVersion is neither v1 nor v2';
  const isLong = [name, version, appVersion].some(({ length }) => length > MAX_FIELD);
  return isLong ? `a name or version has more than ${MAX_FIELD} characters` : undefined;
}

function normalized({ apiVersion = '', appVersion, ...metadata }: ChartMetadata): ChartMetadata {
  return {
    ...metadata,
    ...{ apiVersion: apiVersion === '' ? 'v1' : apiVersion, name: printable(metadata.name) },
    ...(appVersion === undefined ? {} : { appVersion: printable(appVersion) }),
  };
}

/** `files`: Chart.yaml and what continues it. Fails where Helm does not load the chart. */
export function readChartMetadata(
  files: readonly Readonly<Record<string, unknown>>[],
  part: 'chart' | 'subchart' = 'chart',
): { readonly metadata: ChartMetadata } | { readonly problem: string } {
  const texts = Object.fromEntries(files.flatMap((fields) => Object.entries(chartTexts(fields))));
  const field = misshapen(texts, SHAPES);
  if (field !== undefined) return { problem: `Helm cannot read the field ${field}` };
  const { name, version } = texts;
  if (name === undefined || version === undefined) return { problem: 'it has no name or no version' };
  const metadata = normalized(texts as ChartMetadata); // as SHAPES has them
  const problem = problemOf(metadata) ?? (part === 'chart' ? ownProblem(metadata) : undefined);
  return problem === undefined ? { metadata } : { problem };
}

/** A chart whose version says which artifact it came from. */
export interface Tracked {
  /** With the first characters of the digest as build metadata: the same version pushed again is another one. */
  readonly version: string;
  /** Digest of the artifact. */
  readonly digest: string;
}

/** The first group is what becomes part of the version. */
const DIGEST = /^[a-z0-9]+:([0-9A-Za-z-]{12})[0-9A-Za-z=_-]*$/;

/** As Masterminds/semver writes it. */
function printVersion({ major, minor, patch, prerelease }: Version, metadata: string): string {
  return `${major}.${minor}.${patch}${prerelease === '' ? '' : `-${prerelease}`}+${metadata}`;
}

/**
 * The version of a chart from an artifact with `revision`, `TAG@DIGEST` or `DIGEST`; undefined when the revision holds
 * no digest, as those of a HelmChart. Source: Flux's digest tracking. Never throws.
 */
export function trackDigest(version: string, revision: string): Tracked | { readonly problem: string } | undefined {
  if (!revision.includes(':')) return undefined;
  const at = revision.lastIndexOf('@');
  const [tag, digest] = [revision.slice(0, Math.max(0, at)), revision.slice(at + 1)];
  const known = parseVersion(version);
  if (known === undefined) {
    return { problem: `version ${shown(version)} in Chart.yaml is not a semantic version: correct it and push again` };
  }
  // As in Helm: a tag cannot contain a plus.
  const tagged = parseVersion(tag.replaceAll('_', '+'));
  if (tagged !== undefined && compareVersions(tagged, known) !== 0) {
    return {
      problem: `artifact revision ${shown(tag)} does not match chart version ${shown(version)}: push the chart under the tag of its version, or refer to it by another tag or its digest`,
    };
  }
  const [, start] = DIGEST.exec(digest) ?? [];
  if (start === undefined) return { problem: `artifact revision ${shown(revision)} ends in no digest` };
  return { version: printVersion(known, start), digest };
}
