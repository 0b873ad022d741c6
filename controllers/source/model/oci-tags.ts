import { goPattern } from '#lib/text/go-pattern.js';
import { latestMatching, parseVersionRange } from '#lib/semver/version-range.js';
import { chartVersion } from './oci-chart.js';

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
  return { problem: `no tag matches ${field} ${JSON.stringify(range)}${filtered}` };
}
