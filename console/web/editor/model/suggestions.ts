import { compareVersions, parseVersion } from '#lib/semver/version.js';
import { shortDigest } from '#lib/text/text.js';
import type { SourceItem } from '#queries/answers/clusters.js';
import type { TemplateView } from '#queries/answers/templates.js';
import { valueAt } from '../../model/yaml-edit.js';

/** The sources that the user may list in a namespace, or why they are not known. */
export interface KnownSources {
  readonly items: readonly SourceItem[];
  readonly unread: readonly string[];
  readonly truncated: readonly string[];
}

export const NO_SOURCES: KnownSources = { items: [], unread: [], truncated: [] };

interface Chosen {
  readonly kind: string;
  readonly name: string;
}

export function sourceSuggestions({ items }: KnownSources, kind: string): string[] {
  return items.filter((each) => each.kind === kind).map(({ name }) => name);
}

/** Charts that somebody takes from the source already: which others it has, only its index says. */
export function chartSuggestions({ items }: KnownSources, { kind, name }: Chosen): string[] {
  const charts = items.filter(({ source }) => source === `${kind}/${name}`).map(({ chart }) => chart);
  return [...new Set(charts)].filter((chart) => chart !== '').sort();
}

function newerFirst(one: string, other: string): number {
  const [left, right] = [parseVersion(one), parseVersion(other)];
  if (left !== undefined && right !== undefined) return compareVersions(right, left);
  if (left === right) return one < other ? -1 : 1;
  return left === undefined ? 1 : -1;
}

/** Their versions, of one chart, the newest first; what is no version comes last. */
export function versionSuggestions({ items }: KnownSources, { kind, name }: Chosen, chart: string): string[] {
  const own = items.filter((each) => each.source === `${kind}/${name}` && each.chart === chart);
  return [...new Set(own.map(({ revision }) => revision))].filter((revision) => revision !== '').sort(newerFirst);
}

/** Describes the chosen source; empty if nothing is known of it. */
export function sourceHint({ items, unread, truncated }: KnownSources, { kind, name }: Chosen): string {
  const found = items.find((each) => each.kind === kind && each.name === name);
  if (found !== undefined) {
    const { state, message, revision, url } = found;
    const why = state === 'Ready' || message === '' ? '' : `: ${message}`;
    return [`${state}${why}`, url, shortDigest(revision)].filter((text) => text !== '').join('; ');
  }
  const isSure = items.length > 0 && !unread.includes(kind) && !truncated.includes(kind);
  return name !== '' && isSure ? `There is no ${kind} of this name.` : '';
}

/** Which template is asked for, from an Application of a namespace. */
interface Asked {
  readonly kind: TemplateView['kind'];
  readonly namespace: string;
}

/** Suggests a text for each template of a kind: one of another namespace is named with it. */
export function templateSuggestions(
  templates: readonly Pick<TemplateView, 'kind' | 'namespace' | 'name'>[],
  { kind, namespace }: Asked,
): string[] {
  const usable = templates.filter((each) => each.kind === kind);
  return usable.map((each) => (each.namespace === namespace ? each.name : `${each.namespace}/${each.name}`)).sort();
}

type Known = Pick<TemplateView, 'kind' | 'state' | 'chart' | 'version' | 'path' | 'revision'>;

interface Named extends Asked {
  readonly template: string;
}

/** The one that an Application names; undefined if the user may read none of that name. */
export function namedTemplate<T extends Pick<TemplateView, 'kind' | 'namespace' | 'name'>>(
  templates: readonly T[],
  { kind, namespace, template }: Named,
): T | undefined {
  const [named = ''] = template.split('@');
  const [name = '', other = namespace] = named.split('/').reverse();
  return templates.find((each) => each.kind === kind && each.namespace === other && each.name === name);
}

/** Suggests texts that pin the template to one of these revisions, the newest first; a server answers anything. */
export function pinnedSuggestions(template: string, answer: unknown): string[] {
  const [named = ''] = template.split('@');
  const items = valueAt(answer, ['items']);
  const revisions = (Array.isArray(items) ? items : []).map((item) => valueAt(item, ['revision']));
  const numbers = revisions.filter((each) => typeof each === 'number').sort((one, other) => other - one);
  return numbers.map((revision) => `${named}@${revision}`);
}

/** Describes the template that an Application names. */
export function templateHint(found: Known | undefined): string {
  if (found === undefined) return '';
  const { kind, state, chart, version, path, revision } = found;
  const files = path === '' ? 'the root of its source' : `files in ${path}`;
  const what = kind === 'HelmTemplate' ? `chart ${chart}${version === '' ? '' : ` ${version}`}` : files;
  return `${state}: ${what}, ${revision === 0 ? 'no revision yet' : `revision ${revision}`}.`;
}
