import { validateValues, type SchemaProblem } from '#lib/json/json-schema.js';
import { parseJson, printJson } from '#lib/json/lossless-json.js';
import { isMap, mergeMaps, type PlainMap } from '#lib/plain.js';
import type { Task } from '#runtime/isolation/offload.js';
import { orProblem, unpackedRelease, type StoredRelease } from './stored-release.js';

/** The objections of the chart's schema in a stored release to values, or why there is no telling. */
export type SchemaVerdict = { readonly problems: readonly SchemaProblem[] } | { readonly problem: string };

const DEADLINE_MS = 4_000;

export interface SchemaQuestion extends Pick<StoredRelease, 'data'> {
  readonly values: PlainMap;
  /** Version of the chart whose schema is meant. */
  readonly version: string;
}

function hasNull(value: unknown): boolean {
  if (value === null) return true;
  if (Array.isArray(value)) return value.some(hasNull);
  return isMap(value) && Object.values(value).some(hasNull);
}

/** Helm merges the values of subcharts, and what `null` removes, by rules of its own. */
function unclear({ dependencies }: PlainMap, values: PlainMap): string | undefined {
  if (Array.isArray(dependencies) && dependencies.length > 0) return 'the chart has dependencies';
  return hasNull(values) ? 'a value is null' : undefined;
}

function checked(schema: string, values: PlainMap): SchemaVerdict {
  const parsed = parseJson(Buffer.from(schema, 'base64').toString());
  if (!isMap(parsed)) return { problem: 'the schema is no object' };
  const result = validateValues(parsed, [values]);
  return 'problem' in result ? result : { problems: result.problems[0] ?? [] };
}

function verdictOf({ data, values, version }: SchemaQuestion): SchemaVerdict {
  const { chart } = unpackedRelease(data);
  const { metadata, schema, values: defaults } = isMap(chart) ? chart : {};
  if (!isMap(metadata) || metadata['version'] !== version) {
    return { problem: `the release that is stored is not of chart version ${version}` };
  }
  if (typeof schema !== 'string' || schema === '') return { problems: [] };
  const problem = unclear(metadata, values);
  if (problem !== undefined) return { problem };
  return checked(schema, mergeMaps(isMap(defaults) ? defaults : {}, values));
}

/** A tenant stored the schema, and decides how long it takes: in another thread. @public Called by its name. */
export const storedSchemaTask: Task = {
  module: import.meta.url,
  name: 'storedSchemaTask',
  deadlineMs: DEADLINE_MS,
  mostWaiting: 20,
  run: (input) => printJson(orProblem(() => verdictOf(parseJson(input) as SchemaQuestion))), // as foresee prints it
};
