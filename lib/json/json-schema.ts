import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { RE2JS } from 're2js';
import { RawNumber } from './lossless-json.js';

/** One thing that a value lacks or has too much of. */
export interface SchemaProblem {
  /** Path in the value, e.g. `replicas` or `ports[0].name`; empty for the value itself. */
  readonly path: string;
  /** What is wrong, e.g. `must be >= 1`. */
  readonly message: string;
  /** The keyword of the schema that says so. */
  readonly keyword: string;
}

/** The problems of a value; none when it fits. Throws a RangeError where the schema refers to itself without end. */
export type SchemaCheck = (value: unknown) => SchemaProblem[];

/** What a schema has against each of some values, or why there is no telling. */
export type SchemaResult = { readonly problems: readonly (readonly SchemaProblem[])[] } | { readonly problem: string };

/** Patterns come from users: an engine that cannot backtrack takes time in proportion to the text. */
function compilePattern(pattern: string): { test: (text: string) => boolean } {
  const compiled = RE2JS.compile(pattern);
  return { test: (text) => compiled.matcher(text).find() };
}
compilePattern.code = 're2';

const OPTIONS: Options = {
  // Schemas of charts contain unknown keywords.
  strict: false,
  validateFormats: false,
  logger: false,
  code: { regExp: compilePattern },
};

const DIALECTS: readonly (readonly [pattern: RegExp, Dialect: new (options: Options) => Ajv])[] = [
  [/^$/, Ajv],
  [/^https?:\/\/json-schema\.org\/draft-07\/schema#?$/, Ajv],
  [/^https?:\/\/json-schema\.org\/draft\/2019-09\/schema#?$/, Ajv2019],
  [/^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/, Ajv2020],
];

function dialectOf(schema: Readonly<Record<string, unknown>>): Ajv {
  const name = schema['$schema'] ?? '';
  const found = DIALECTS.find(([pattern]) => typeof name === 'string' && pattern.test(name));
  if (found === undefined) {
    throw new RangeError(`$schema: ${JSON.stringify(name)} is unknown; use draft-07, 2019-09 or 2020-12`);
  }
  return new found[1](OPTIONS);
}

/** Numbers kept as text become doubles: bounds do not care for the last digits. */
function plain(value: unknown): unknown {
  if (value instanceof RawNumber) return Number(String(value));
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, plain(field)]));
}

function dotted(pointer: string): string {
  const parts = pointer.split('/').slice(1);
  const names = parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  return names.reduce((path, name) => (/^\d+$/.test(name) ? `${path}[${name}]` : `${path}.${name}`), '').slice(1);
}

function problemOf({
  instancePath,
  message = 'does not match the schema',
  keyword,
  params,
}: ErrorObject): SchemaProblem {
  const extra: unknown = params['additionalProperty'] ?? params['unevaluatedProperty'];
  const text = typeof extra === 'string' ? `${message} ("${extra}")` : message;
  return { path: dotted(instancePath), message: text, keyword };
}

function compile(schema: Readonly<Record<string, unknown>>): ValidateFunction {
  const body = plain(schema) as Record<string, unknown>;
  if (body['$async'] !== undefined) throw new RangeError('$async is not supported: remove it');
  return dialectOf(body).compile(body);
}

/**
 * The check that a JSON schema stands for (draft-07 unless `$schema` says 2019-09 or 2020-12; `format` is not checked,
 * nothing is fetched). Throws an Error that says what is wrong with the schema.
 */
export function compileSchema(schema: Readonly<Record<string, unknown>>): SchemaCheck {
  const validate = compile(schema);
  return (value) => {
    if (validate(plain(value))) return [];
    return (validate.errors ?? []).map(problemOf);
  };
}

/** More would be longer than any message; each may quote the schema. */
const MOST_PROBLEMS = 10;

function reasonOf(error: unknown): string {
  if (error instanceof RangeError && error.message.includes('call stack')) return 'it is infinitely recursive';
  return error instanceof Error ? error.message : String(error);
}

/** Validates values, which can take unlimited time with a hostile schema. Never throws. */
export function validateValues(schema: Readonly<Record<string, unknown>>, values: readonly unknown[]): SchemaResult {
  try {
    const check = compileSchema(schema);
    return { problems: values.map((value) => check(value).slice(0, MOST_PROBLEMS)) };
  } catch (error: unknown) {
    return { problem: reasonOf(error) };
  }
}
