import { compileSchema, type SchemaCheck, type SchemaProblem } from '../../runtime/pure/json-schema.js';
import { describeObject } from '../../runtime/pure/urls.js';
import { helmSpecOf, type FoundTemplate } from './template-lookup.js';
import type { Entry, Violation } from './types.js';

const MAX_PROBLEMS = 3;
/** What says no more than that something is missing, which may come from `valuesFrom`. */
const MISSING = ['required', 'dependentRequired', 'dependencies', 'minProperties', 'anyOf', 'oneOf', 'if'];

/** Compiling takes longer than checking, and a schema is one object for as long as its revision is cached. */
const compiled = new WeakMap<object, SchemaCheck>();

function checkOf(schema: Readonly<Record<string, unknown>>): SchemaCheck {
  const known = compiled.get(schema) ?? compileSchema(schema);
  compiled.set(schema, known);
  return known;
}

/** A null takes a value away before the chart sees it. */
function withoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  const kept = Object.entries(value).filter(([, field]) => field !== null);
  return Object.fromEntries(kept.map(([key, field]) => [key, withoutNulls(field)]));
}

function problemText(entry: Entry, { path, message }: SchemaProblem): string {
  const dot = path === '' || path.startsWith('[') ? '' : '.';
  return `${entry.path}.values${dot}${path}: ${message}`;
}

/** What the values of an entry have against the schema of its template; with `valuesFrom` nothing counts as missing. */
export function valuesFlaw(entry: Entry, template: FoundTemplate | undefined): Violation | undefined {
  const schema = template === undefined ? undefined : helmSpecOf(template.spec)?.valuesSchema;
  if (template === undefined || schema === undefined) return undefined;
  const isOpen = Array.isArray(entry.fields['valuesFrom']) && entry.fields['valuesFrom'].length > 0;
  const problems = checkOf(schema)(withoutNulls(entry.fields['values'] ?? {}));
  const counting = problems.filter(({ keyword }) => !isOpen || !MISSING.includes(keyword));
  if (counting.length === 0) return undefined;
  const texts = counting.slice(0, MAX_PROBLEMS).map((problem) => problemText(entry, problem));
  const origin = `schema of ${describeObject(template.inUse.kind, template.inUse)}`;
  return { reason: 'ValuesInvalid', message: `${texts.join('; ')} (${origin})` };
}
