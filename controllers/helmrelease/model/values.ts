import type { ValuesReference } from '#api/flux/helm-release-fields.js';
import { MAX_VALUES_DEPTH, nestsDeeper } from '#lib/json/nesting.js';
import { copyPlain, isMap, mergeMaps, ownField, type PlainMap } from '#lib/plain.js';
import { parseYaml } from '#lib/yaml/yaml.js';
import { AliasError } from '#lib/yaml/yaml-aliases.js';
import { leavesOf, type KnownTexts } from '#engine/flux/model/secret-texts.js';
import { setPath, SetPathError, type SetMode, type ValuesMap } from './set-path.js';
import type { ChartRecord, ReleaseRecord } from './release.js';

/** The decoded data of a referenced object; undefined when the object does not exist. */
export interface ResolvedReference {
  readonly reference: ValuesReference;
  readonly namespace: string;
  readonly data: Readonly<Record<string, string>> | undefined;
}

export interface ComposedValues {
  readonly values: ValuesMap;
}

/** Why the values could not be composed: a sentence that names the reference, never its content. */
export interface ValuesProblem {
  readonly problem: string;
}

export type ComposeResult = ComposedValues | ValuesProblem;

const DEFAULT_KEY = 'values.yaml';
const OF_PATH = 'it is no path, or something on it is no map or no list: correct targetPath';
const OF_TEXT =
  'its text is read as by helm --set, for which , [ ] { } and \\ have a meaning: set literal: true to use it as it is';

function subjectOf({ reference, namespace }: ResolvedReference): string {
  return `${reference.kind} ${namespace}/${reference.name}`;
}

/** The key that a reference is about. */
export function valuesKeyOf({ valuesKey }: ValuesReference): string {
  return valuesKey === undefined || valuesKey === '' ? DEFAULT_KEY : valuesKey;
}

/** The text behind a reference; undefined when it is optional and absent. */
function textOf(resolved: ResolvedReference): string | ValuesProblem | undefined {
  const { reference, data } = resolved;
  const key = valuesKeyOf(reference);
  // Not what each object of JavaScript has.
  const text = data !== undefined && Object.hasOwn(data, key) ? data[key] : undefined;
  if (text !== undefined) return text;
  if (reference.optional === true) return undefined;
  const subject = subjectOf(resolved);
  if (data === undefined) {
    return { problem: `could not find ${subject} named by spec.valuesFrom: create it, or set optional: true` };
  }
  return { problem: `missing key "${key}" in ${subject}: add the key, or set valuesKey or optional: true` };
}

/** Quotes of both kinds go, however many; undefined when the text is not in quotes. */
function unquote(text: string): string | undefined {
  const isQuoted = ['"', "'"].some((quote) => text.startsWith(quote) && text.endsWith(quote));
  return isQuoted ? text.replace(/^["']+/, '').replace(/["']+$/, '') : undefined;
}

/** The value and how `--set` is to read it. */
function settingOf(reference: ValuesReference, text: string): { value: string; mode: SetMode } {
  if (reference.literal === true) return { value: text.replace(/[\\,[\]{}]/g, String.raw`\$&`), mode: 'string' };
  const quoted = unquote(text);
  return quoted === undefined ? { value: text, mode: 'typed' } : { value: quoted, mode: 'string' };
}

/** True when the text could not be set there. The parser's message may quote the Secret, so it is not passed on. */
function setAt(values: ValuesMap, reference: ValuesReference & { targetPath: string }, text: string): boolean {
  const { value, mode } = settingOf(reference, text);
  try {
    setPath(values, `${reference.targetPath}=${value}`, mode);
    return false;
  } catch (error: unknown) {
    if (error instanceof SetPathError) return true;
    throw error;
  }
}

/** The map in a text, or what it is instead. A parser's message may quote the Secret, so it is not passed on. */
function parseMap(text: string): { map: ValuesMap } | { problem: string } {
  try {
    const parsed = parseYaml(text);
    if (parsed === null || parsed === undefined) return { map: {} };
    if (isMap(parsed)) return { map: parsed };
  } catch (error: unknown) {
    if (error instanceof AliasError) return { problem: `is not valid YAML: ${error.message}` };
  }
  return { problem: 'is not a YAML map' };
}

function mergeText(result: ValuesMap, inline: ValuesMap, resolved: ResolvedReference, text: string): ComposeResult {
  const { reference } = resolved;
  const where = `key "${valuesKeyOf(reference)}" in ${subjectOf(resolved)}`;
  if (reference.targetPath !== undefined && reference.targetPath !== '') {
    const merged = mergeMaps(result, inline);
    const target = { ...reference, targetPath: reference.targetPath };
    if (!setAt(merged, target, text)) return { values: merged };
    // A text without a meaning for helm fits wherever anything does.
    const fitsNone = setAt(mergeMaps(result, inline), { ...target, literal: true }, 'x');
    return { problem: `${where} cannot be set at targetPath "${target.targetPath}": ${fitsNone ? OF_PATH : OF_TEXT}` };
  }
  const parsed = parseMap(text);
  return 'problem' in parsed ? { problem: `${where} ${parsed.problem}` } : { values: mergeMaps(result, parsed.map) };
}

function mergeReference(result: ValuesMap, inline: ValuesMap, resolved: ResolvedReference): ComposeResult {
  const text = textOf(resolved);
  if (text === undefined) return { values: result };
  return typeof text === 'string' ? mergeText(result, inline, resolved, text) : text;
}

/**
 * The values of a release: every reference in list order, later ones win, then `spec.values`. `targetPath` writes as
 * `helm --set` does. Nulls stay: Helm deletes the chart's key when it renders. Source: Flux's values rules.
 */
export function composeValues(
  references: readonly ResolvedReference[],
  inlineValues: Readonly<ValuesMap> | undefined,
): ComposeResult {
  // Before anything walks them.
  if (nestsDeeper(inlineValues, MAX_VALUES_DEPTH)) {
    return { problem: `spec.values nests more than ${MAX_VALUES_DEPTH} lists and maps: make the values flatter` };
  }
  const inline = copyPlain(inlineValues ?? {});
  let result: ValuesMap = {};
  for (const resolved of references) {
    const next = mergeReference(result, inline, resolved);
    if ('problem' in next) return next;
    result = next.values;
  }
  return { values: mergeMaps(result, inline) };
}

/** The values that `--set` makes of a text, and the text itself. */
function textsAt(reference: ValuesReference & { targetPath: string }, text: string): KnownTexts {
  const set: ValuesMap = {};
  setAt(set, reference, text);
  const { values, keys } = leavesOf(set);
  return { secret: [text, text.trim(), settingOf(reference, text).value, ...values], doubtful: [...keys] };
}

/** The values, and the keys of maps, that came from Secrets. */
export function secretsIn(references: readonly ResolvedReference[]): Required<Pick<KnownTexts, 'secret' | 'doubtful'>> {
  const texts = references.flatMap((resolved): KnownTexts[] => {
    const { reference } = resolved;
    const text = textOf(resolved);
    if (reference.kind !== 'Secret' || typeof text !== 'string') return [];
    const { targetPath = '' } = reference;
    if (targetPath !== '') return [textsAt({ ...reference, targetPath }, text)];
    const parsed = parseMap(text);
    const { values, keys } = leavesOf('map' in parsed ? parsed.map : text);
    return [{ secret: [...values], doubtful: [...keys] }];
  });
  return {
    secret: texts.flatMap(({ secret = [] }) => secret),
    doubtful: texts.flatMap(({ doubtful = [] }) => doubtful),
  };
}

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

/** The map that has to lie over `defaults` so that helm is left with nothing but `values`. */
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
  /** The values given to the new revision, for its record. */
  readonly config: PlainMap;
  /** The chart with the values that it had before for its defaults, for the record. */
  readonly chart: ChartRecord;
  /** The values to give to helm so that it renders so: it takes the defaults from the chart itself. */
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
