import { parseTimestamp } from '#lib/kube/conditions.js';
import { defined, isMap, type PlainMap } from '#lib/plain.js';
import { parseVersion } from '#lib/semver/version.js';
import type { ChartEntry, ChartIndex } from '../../model/choose-version.js';

const TYPES: readonly unknown[] = [undefined, null, '', 'application', 'library'];
const ALIAS = /^[a-zA-Z0-9_-]*$/;

function isAlias(value: unknown): boolean {
  return typeof value !== 'string' || ALIAS.test(value);
}

function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Why helm skips an entry that has a version; undefined: it does not. Source: `loadIndex`, `Metadata.Validate`. */
function skippedBecause({ name, type, maintainers, dependencies }: PlainMap): string | undefined {
  if (typeof name !== 'string' || name === '') return 'it has no name';
  if (name.includes('/') || name === '.' || name === '..') return `its name ${JSON.stringify(name)} is none`;
  if (!TYPES.includes(type)) return 'its type is neither application nor library';
  if (itemsOf(maintainers).includes(null)) return 'a maintainer is empty';
  if (itemsOf(dependencies).includes(null)) return 'a dependency is empty';
  const aliases = itemsOf(dependencies).map((dependency) => (isMap(dependency) ? dependency['alias'] : undefined));
  return aliases.every(isAlias) ? undefined : 'the alias of a dependency is none';
}

function toEntry(value: unknown): ChartEntry[] {
  if (!isMap(value)) return [];
  const { version, urls, digest } = value;
  if (typeof version !== 'string' || parseVersion(version) === undefined || !Array.isArray(urls)) return [];
  const texts = urls.filter((url): url is string => typeof url === 'string' && url !== '');
  const known = typeof digest === 'string' && digest !== '' ? { digest } : {};
  return [{ version, urls: texts, ...known, ...defined({ skipped: skippedBecause(value) }) }];
}

interface Created {
  readonly ms: number;
  /** Nanoseconds after them: helm writes an index faster than one version per millisecond. */
  readonly ns: number;
}

/** An entry without a time is older than any other. */
function createdAt(entry: unknown): Created {
  const created = isMap(entry) ? entry['created'] : undefined;
  const ms = typeof created === 'string' ? parseTimestamp(created) : undefined;
  if (typeof created !== 'string' || ms === undefined) return { ms: 0, ns: 0 };
  const [, ns = ''] = /\.\d{3}(\d{1,6})/.exec(created) ?? [];
  return { ms, ns: Number(ns.padEnd(6, '0')) };
}

function newestFirst(entries: readonly unknown[]): unknown[] {
  const dated = entries.map((entry) => ({ entry, at: createdAt(entry) }));
  return dated.sort((a, b) => b.at.ms - a.at.ms || b.at.ns - a.at.ns).map(({ entry }) => entry);
}

/** What the order of versions depends on: all but the build metadata. Undefined if it is not a version. */
function rankOf(entry: unknown): string | undefined {
  const version = isMap(entry) && typeof entry['version'] === 'string' ? parseVersion(entry['version']) : undefined;
  return version && `${version.major}.${version.minor}.${version.patch}-${version.prerelease}`;
}

/** Sorts entries of equal rank by time, newest first; the others keep their places. */
function newestOfEqualsFirst(entries: readonly unknown[]): unknown[] {
  const ranked = entries.map((entry) => ({ entry, rank: rankOf(entry) }));
  const equals = new Map<string | undefined, unknown[]>();
  for (const { entry, rank } of ranked) {
    const group = equals.get(rank);
    if (group === undefined) equals.set(rank, [entry]);
    else group.push(entry);
  }
  equals.delete(undefined);
  const sorted = new Map([...equals].map(([rank, group]) => [rank, newestFirst(group).values()]));
  return ranked.map(({ entry, rank }) => (sorted.has(rank) ? sorted.get(rank)?.next().value : entry));
}

function withoutTime(entry: unknown): unknown {
  if (!isMap(entry)) return entry;
  return Object.fromEntries(Object.entries(entry).filter(([field]) => field !== 'created'));
}

/**
 * What is kept of a repository's index.yaml. `generated` and `created` stay out: an index that is made again, by some
 * servers with every request, says nothing new by them; of versions that differ in build metadata alone the newest comes
 * first, as in Flux. Undefined when the value is no index.
 */
export function canonicalIndex(value: unknown): { apiVersion: unknown; entries: Record<string, unknown> } | undefined {
  if (!isMap(value) || typeof value['apiVersion'] !== 'string' || value['apiVersion'] === '') return undefined;
  const entries = value['entries'] ?? {};
  if (!isMap(entries)) return undefined;
  const timeless = Object.entries(entries).map(([name, versions]): [string, unknown] => [
    name,
    Array.isArray(versions) ? newestOfEqualsFirst(versions).map(withoutTime) : versions,
  ]);
  return { apiVersion: value['apiVersion'], entries: Object.fromEntries(timeless) };
}

/** The charts of an index, without entries that have no version; others that helm skips are marked. */
export function chartIndex(entries: Readonly<Record<string, unknown>>): ChartIndex {
  const charts = Object.entries(entries).map(
    ([name, versions]) => [name, Array.isArray(versions) ? versions.flatMap(toEntry) : []] as const,
  );
  return new Map(charts.filter(([, versions]) => versions.length > 0));
}
