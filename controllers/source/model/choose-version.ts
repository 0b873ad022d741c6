import partition from 'lodash/partition.js';
import { listed } from '#lib/text/text.js';
import { parseVersion, compareVersions } from '#lib/semver/version.js';
import { latestMatching, parseVersionRange, type VersionRange } from '#lib/semver/version-range.js';
import { goPattern } from '#lib/text/go-pattern.js';

/** One version of one chart, as far as fetching it needs. */
export interface ChartEntry {
  readonly version: string;
  /** Absolute or relative to the repository; the first one is used. */
  readonly urls: readonly string[];
  /** sha256 in hex, with or without `sha256:`. */
  readonly digest?: string;
  /** Why helm skips it, so that it is never chosen; absent: it does not. */
  readonly skipped?: string;
}

/** The chart and version that a HelmChart asks for. */
export function wantedChart({ chart, version = '*' }: { chart: string; version?: string }): WantedChart {
  return { chart, version, fields: { chart: 'spec.chart', version: 'spec.version' } };
}

/** Chart name -> its versions, in the order of the index. */
export type ChartIndex = ReadonlyMap<string, readonly ChartEntry[]>;

/** A version of a chart in a Helm repository. */
export interface WantedChart {
  readonly chart: string;
  /** A version or a range. */
  readonly version: string;
  /** The fields of both, for messages. */
  readonly fields: { readonly chart: string; readonly version: string };
}

export type Found = { readonly entry: ChartEntry } | { readonly problem: string };

const SHOWN = 10;

/** The texts of `versions`, the highest one first, without those that are none. */
function highestFirst(versions: readonly string[]): string[] {
  const dated = versions.flatMap((version) => {
    const parsed = parseVersion(version);
    return parsed === undefined ? [] : [{ version, parsed }];
  });
  return dated.sort((a, b) => compareVersions(b.parsed, a.parsed)).map(({ version }) => version);
}

function noChart(index: ChartIndex, { chart, fields }: WantedChart, skipped: string): string {
  const names = [...index].flatMap(([name, entries]) => (entries.some(isUsable) ? [name] : [])).sort();
  const offer = names.length === 0 ? 'the repository has no charts' : `the repository has ${listed(names, SHOWN)}`;
  return `no chart '${chart}' found: ${skipped}${offer}; correct ${fields.chart}`;
}

function isUsable({ skipped }: ChartEntry): boolean {
  return skipped === undefined;
}

/** The beginning of a sentence. */
function skippedText(entry: ChartEntry | undefined): string {
  if (entry?.skipped === undefined) return '';
  return `the entry of version ${entry.version} is skipped, as by helm, because ${entry.skipped}; `;
}

/** The very version if it is there, else the newest in the range. */
function chosenOf(entries: readonly ChartEntry[], wanted: string, range: VersionRange | undefined) {
  const exact = entries.find(({ version }) => version === wanted);
  if (exact !== undefined || range === undefined) return exact;
  const [newest] = latestMatching(
    entries.map(({ version }) => version),
    range,
  );
  return entries.find(({ version }) => version === newest);
}

/**
 * The entry for a chart and version, as helm chooses it (IndexFile.Get). A problem names the way out.
 */
export function findChart(index: ChartIndex, asked: WantedChart): Found {
  const { chart, version: wanted, fields } = asked;
  const [usable, skipped] = partition(index.get(chart) ?? [], isUsable);
  const range = parseVersionRange(wanted);
  const entry = chosenOf(usable, wanted, range);
  if (entry !== undefined) return { entry };
  const unusable = skippedText(chosenOf(skipped, wanted, range));
  if (usable.length === 0) return { problem: noChart(index, asked, unusable) };
  if (range === undefined && unusable === '') return { problem: versionProblem(wanted, fields.version) };
  const versions = listed(highestFirst(usable.map(({ version }) => version)), SHOWN);
  return {
    problem: `no '${chart}' chart with version matching '${wanted}' found: the versions are ${versions}; ${unusable}correct ${fields.version}`,
  };
}

/** Why a version can never match. */
function versionProblem(wanted: string, field: string): string {
  return `${field} ${JSON.stringify(wanted)} is neither a valid version nor a valid semver range: use e.g. "1.2.3" or ">=1.2.0 <2.0.0"`;
}

/** True if `hex` is the digest of the entry, or the entry has none. */
export function isExpectedDigest({ digest }: ChartEntry, hex: string): boolean {
  return digest === undefined || digest.replace(/^sha256:/, '').toLowerCase() === hex;
}

/** As in Flux, a tag such as `1.2` is no version. */
const VERSION = /^v?\d+\.\d+\.\d+(?:[-+]|$)/;

export interface TagQuery {
  readonly tags: readonly string[];
  readonly range: string;
  /** The field that the range is from, for messages. */
  readonly field: string;
  /** A regular expression in Go's syntax, found anywhere in a tag, as in Flux. */
  readonly filter?: string | undefined;
  /** True for tags of charts, in which `_` stands for `+`. */
  readonly areCharts?: boolean;
}

export type TagAnswer = { readonly tag: string } | { readonly problem: string };

/** A test for tags, or the problem with the filter. */
function matcher(filter = ''): ((tag: string) => boolean) | string {
  try {
    return goPattern(filter);
  } catch (error: unknown) {
    if (error instanceof RangeError) return error.message;
    throw error;
  }
}

/** The highest version among the tags; of those that differ in nothing but build metadata, the first. */
export function latestTag({ tags, range, field, filter, areCharts = false }: TagQuery): TagAnswer {
  const matches = matcher(filter);
  if (typeof matches === 'string') return { problem: `spec.ref.semverFilter: ${matches}: correct it` };
  const wanted = tags.filter(matches).map((tag) => [areCharts ? chartVersion(tag) : tag, tag] as const);
  const versions = new Map(wanted.filter(([version]) => VERSION.test(version)));
  const [latest] = latestMatching([...versions.keys()], parseVersionRange(range) ?? []);
  const tag = latest === undefined ? undefined : versions.get(latest);
  if (tag !== undefined) return { tag };
  const filtered = filter === undefined || filter === '' ? '' : ' and spec.ref.semverFilter';
  const offer =
    versions.size === 0
      ? 'no tag is a version'
      : `the tags are ${listed(
          highestFirst([...versions.keys()]).map((version) => versions.get(version) ?? version),
          SHOWN,
        )}`;
  return { problem: `no tag matches ${field} ${JSON.stringify(range)}${filtered}: ${offer}` };
}

/** Three numbers, as helm writes versions; with a range nothing else could be meant. */
const EXACT = /^v?\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/;

/** The tag of an exact version, in which helm writes `_` for `+`; undefined for a range. */
export function chartTag(version: string): string | undefined {
  return EXACT.test(version) ? version.replaceAll('+', '_') : undefined;
}

/** The version that a tag stands for. */
export function chartVersion(tag: string): string {
  return tag.replaceAll('_', '+');
}
