import type { SchemaProblem, SchemaResult } from '../../runtime/pure/json-schema.js';
import { isMap } from '../../runtime/pure/plain.js';
import { describeObject } from '../../runtime/pure/urls.js';
import { helmSpecOf, type FoundTemplate } from './template-lookup.js';
import type { Entry, Violation } from './types.js';

const MAX_PROBLEMS = 3;
/** What says no more than that something is missing, which may come from `valuesFrom`. */
const MISSING = ['required', 'dependentRequired', 'dependencies', 'minProperties', 'anyOf', 'oneOf', 'if'];

/** What is to be held against the schema of a template. */
export interface ValuesQuestion {
  readonly schema: Readonly<Record<string, unknown>>;
  /** One for each entry. */
  readonly values: readonly unknown[];
}

/** A null takes a value away before the chart sees it. */
export function withoutNulls(value: unknown): unknown {
  if (!isMap(value)) return value;
  const kept = Object.entries(value).filter(([, field]) => field !== null);
  return Object.fromEntries(kept.map(([key, field]) => [key, withoutNulls(field)]));
}

/** What to ask about entries whose template has a schema; undefined when there is nothing to ask. */
export function valuesQuestion(
  entries: readonly Entry[],
  template: FoundTemplate | undefined,
): ValuesQuestion | undefined {
  const schema = template === undefined ? undefined : helmSpecOf(template.spec)?.valuesSchema;
  if (schema === undefined) return undefined;
  return { schema, values: entries.map(({ fields }) => withoutNulls(fields['values'] ?? {})) };
}

function problemText(entry: Entry, { path, message }: SchemaProblem): string {
  const dot = path === '' || path.startsWith('[') ? '' : '.';
  return `${entry.path}.values${dot}${path}: ${message}`;
}

function violationOf(entry: Entry, problems: readonly SchemaProblem[], object: string): Violation | undefined {
  const isOpen = Array.isArray(entry.fields['valuesFrom']) && entry.fields['valuesFrom'].length > 0;
  const counting = problems.filter(({ keyword }) => !isOpen || !MISSING.includes(keyword));
  if (counting.length === 0) return undefined;
  const texts = counting.slice(0, MAX_PROBLEMS).map((problem) => problemText(entry, problem));
  return { reason: 'ValuesInvalid', message: `${texts.join('; ')} (schema of ${object})` };
}

/**
 * What the values of entries have against the schema of their template, by the path of the entry, when `result` is the
 * answer to `valuesQuestion`. With `valuesFrom` nothing counts as missing; a schema that cannot be used is a violation
 * of all of them.
 */
export function valuesViolations(
  entries: readonly Entry[],
  template: FoundTemplate,
  result: SchemaResult,
): ReadonlyMap<string, Violation> {
  const object = describeObject(template.inUse.kind, template.inUse);
  const violations = entries.map((entry, index): Violation | undefined =>
    'problem' in result
      ? { reason: 'TemplateInvalid', message: `${object} cannot be used: spec.valuesSchema: ${result.problem}` }
      : violationOf(entry, result.problems[index] ?? [], object),
  );
  return new Map(
    entries.flatMap(({ path }, index) => {
      const violation = violations[index];
      return violation === undefined ? [] : [[path, violation] as const];
    }),
  );
}
