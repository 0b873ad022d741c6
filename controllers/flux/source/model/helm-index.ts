import { listed } from '../../../runtime/pure/listed.js';
import { isMap } from '../../../runtime/pure/plain.js';
import { parseVersion, compareVersions } from './version.js';
import { latestMatching, parseVersionRange } from './version-range.js';

/** One version of one chart, as far as fetching it needs. */
export interface ChartEntry {
  readonly version: string;
  /** Absolute or relative to the repository; the first one is used. */
  readonly urls: readonly string[];
  /** sha256 in hex, with or without `sha256:`. */
  readonly digest?: string;
}

/** Chart name -> its versions, in the order of the index. */
export type ChartIndex = ReadonlyMap<string, readonly ChartEntry[]>;

export type Found = { readonly entry: ChartEntry } | { readonly problem: string };

const SHOWN = 10;

function toEntry(value: unknown): ChartEntry[] {
  if (!isMap(value)) return [];
  const { version, urls, digest } = value;
  if (typeof version !== 'string' || parseVersion(version) === undefined || !Array.isArray(urls)) return [];
  const texts = urls.filter((url): url is string => typeof url === 'string' && url !== '');
  return [{ version, urls: texts, ...(typeof digest === 'string' && digest !== '' ? { digest } : {}) }];
}

function withoutTime(entry: unknown): unknown {
  if (!isMap(entry)) return entry;
  return Object.fromEntries(Object.entries(entry).filter(([field]) => field !== 'created'));
}

/**
 * What is kept of a repository's index.yaml. `generated` and `created` stay out: an index that is made again, by some
 * servers with every request, says nothing new by them. Undefined when the value is no index.
 */
export function canonicalIndex(value: unknown): { apiVersion: unknown; entries: Record<string, unknown> } | undefined {
  if (!isMap(value) || typeof value['apiVersion'] !== 'string' || value['apiVersion'] === '') return undefined;
  const entries = value['entries'] ?? {};
  if (!isMap(entries)) return undefined;
  const timeless = Object.entries(entries).map(([name, versions]): [string, unknown] => [
    name,
    Array.isArray(versions) ? versions.map(withoutTime) : versions,
  ]);
  return { apiVersion: value['apiVersion'], entries: Object.fromEntries(timeless) };
}

/** The charts of an index; entries that Helm would skip too (no version, no semver) are left out. */
export function chartIndex(entries: Readonly<Record<string, unknown>>): ChartIndex {
  const charts = Object.entries(entries).map(
    ([name, versions]) => [name, Array.isArray(versions) ? versions.flatMap(toEntry) : []] as const,
  );
  return new Map(charts.filter(([, versions]) => versions.length > 0));
}

function newestFirst(entries: readonly ChartEntry[]): string[] {
  const dated = entries.flatMap(({ version }) => {
    const parsed = parseVersion(version);
    return parsed === undefined ? [] : [{ version, parsed }];
  });
  return dated.sort((a, b) => compareVersions(b.parsed, a.parsed)).map(({ version }) => version);
}

/**
 * The entry for a chart and version: the very version if it is there, else the newest in the range (helm,
 * IndexFile.Get). A problem names the way out.
 */
export function findChart(index: ChartIndex, chart: string, wanted: string): Found {
  const entries = index.get(chart);
  if (entries === undefined) {
    const names = [...index.keys()].sort();
    const offer = names.length === 0 ? 'the repository has no charts' : `the repository has ${listed(names, SHOWN)}`;
    return { problem: `no chart '${chart}' found: ${offer}; correct spec.chart` };
  }
  const exact = entries.find(({ version }) => version === wanted);
  if (exact !== undefined) return { entry: exact };
  const range = parseVersionRange(wanted);
  if (range === undefined) return { problem: versionProblem(wanted) };
  const newest = latestMatching(
    entries.map(({ version }) => version),
    range,
  );
  const entry = entries.find(({ version }) => version === newest);
  if (entry !== undefined) return { entry };
  return {
    problem: `no '${chart}' chart with version matching '${wanted}' found: the versions are ${listed(newestFirst(entries), SHOWN)}; correct spec.version`,
  };
}

/** Why a version text can never match. */
function versionProblem(wanted: string): string {
  return `spec.version ${JSON.stringify(wanted)} is neither a version nor a semver range: write e.g. "1.2.3" or ">=1.2.0 <2.0.0"`;
}

/** True when `hex` is what the entry promises, or it promises nothing. */
export function isExpectedDigest({ digest }: ChartEntry, hex: string): boolean {
  return digest === undefined || digest.replace(/^sha256:/, '').toLowerCase() === hex;
}
