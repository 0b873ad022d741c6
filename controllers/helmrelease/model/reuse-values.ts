import { isMap, ownField, type PlainMap } from '#lib/plain.js';
import type { ChartRecord, ReleaseRecord } from './release.js';

/** A map without nulls, at any depth. */
function withoutNulls(values: Readonly<PlainMap>): PlainMap {
  const kept = Object.entries(values).filter(([, value]) => value !== null);
  return Object.fromEntries(kept.map(([key, value]) => [key, isMap(value) ? withoutNulls(value) : value]));
}

/** One map over another: what is set stays, a null takes away what is below it. */
function coalesce(over: Readonly<PlainMap>, below: Readonly<PlainMap>): PlainMap {
  const own = Object.entries(over).flatMap(([key, value]) => {
    const under = ownField(below, key) ?? null;
    if (value === null && under !== null) return [];
    return [[key, isMap(value) && isMap(under) ? coalesce(value, under) : value] as const];
  });
  const rest = Object.entries(below).filter(([key]) => !Object.hasOwn(over, key));
  return Object.fromEntries([...own, ...rest]);
}

/** What is needed over `defaults` so that nothing but `values` is left when helm puts one over the other. */
function insteadOf(defaults: Readonly<PlainMap>, values: Readonly<PlainMap>): PlainMap {
  const unwanted = Object.keys(defaults).filter((key) => !Object.hasOwn(values, key));
  const wanted = Object.entries(values).map(([key, value]) => {
    const below = ownField(defaults, key);
    return [key, isMap(value) && isMap(below) ? insteadOf(below, value) : value] as const;
  });
  return Object.fromEntries([...wanted, ...unwanted.map((key) => [key, null] as const)]);
}

/** Values of an upgrade that keeps those of the release before it. */
export interface Reused {
  /** What the new revision was given, for its record. */
  readonly config: PlainMap;
  /** The chart with the values that it had before for its defaults, for the record. */
  readonly chart: ChartRecord;
  /** What helm has to be given to render so, since it takes the defaults from the chart itself. */
  readonly given: PlainMap;
}

/**
 * `preserveValues`, as `helm upgrade --reuse-values` does it: the values of the release before win over the chart's
 * defaults, which no longer count, and `values` win over both. As in helm a null takes a value out of the record, but
 * not out of what was rendered before, which is a default now.
 */
export function reuseValues(
  { chart: before, config = {} }: Pick<ReleaseRecord, 'chart' | 'config'>,
  values: Readonly<PlainMap>,
  chart: ChartRecord,
): Reused {
  const defaults = coalesce(config, withoutNulls(before.values ?? {}));
  const merged = coalesce(values, config);
  const given = insteadOf(chart.values ?? {}, coalesce(merged, withoutNulls(defaults)));
  return { config: merged, chart: { ...chart, values: defaults }, given };
}
