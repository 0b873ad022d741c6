import { Compile } from 'typebox/compile';
import type { Rule } from '#api/schema.js';
import { ApplicationSpec, type Application } from '#api/v1alpha1/application.js';
import { CelBudget, compileCel, type CelExpression } from '#lib/cel/cel.js';
import { isMap } from '#lib/plain.js';
import { fieldSchema, schemaOf, type Schema } from './pruned.js';

/** A value of an Application, what it was, and where it stands. */
interface Place {
  readonly path: string;
  readonly value: unknown;
  readonly old: unknown;
}

/** Nothing else waits for this process. */
const MOST_MS = 60_000;
const OLD = 'oldSelf';

const isSpec = Compile(ApplicationSpec);
const SCHEMA = schemaOf(ApplicationSpec);
const compiled = new Map<string, CelExpression>();

function expressionOf({ rule }: Rule): CelExpression {
  const known =
    compiled.get(rule) ?? compileCel({ text: rule, field: 'rule', budget: new CelBudget(undefined, MOST_MS) });
  compiled.set(rule, known);
  return known;
}

/** As the API server evaluates it: a rule of a change says nothing of what is new. */
function brokenRule(rules: readonly Rule[], { path, value, old }: Place): string | undefined {
  for (const rule of rules) {
    const isOfChange = rule.rule.includes(OLD);
    if (isOfChange && old === undefined) continue;
    const answer = expressionOf(rule).evaluate({ self: value, ...(isOfChange ? { [OLD]: old } : {}) });
    if ('problem' in answer) return `${path}: ${answer.problem}`;
    if (!answer.value) return `${path}${rule.fieldPath ?? ''}: ${rule.message}`;
  }
  return undefined;
}

function fieldOf(value: unknown, name: string): unknown {
  return isMap(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** The values that a schema has schemas for. Items of lists have no old value. */
function below(schema: Schema, { path, value, old }: Place): [Schema, Place][] {
  const { items } = schema;
  if (Array.isArray(value)) {
    if (items === undefined) return [];
    return value.map((item: unknown, index) => [items, { path: `${path}[${index}]`, value: item, old: undefined }]);
  }
  if (!isMap(value)) return [];
  return Object.keys(value).flatMap((name): [Schema, Place][] => {
    const found = fieldSchema(schema, name);
    const place = { path: `${path}.${name}`, value: value[name], old: fieldOf(old, name) };
    return found === undefined ? [] : [[found, place]];
  });
}

function ruleProblem(schema: Schema, place: Place): string | undefined {
  const broken = brokenRule(schema['x-kubernetes-validations'] ?? [], place);
  if (broken !== undefined) return broken;
  for (const [part, at] of below(schema, place)) {
    const found = ruleProblem(part, at);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * What the API server would refuse of a spec: the first field that is wrong, and how. `old`: the spec that it replaces.
 * Nulls are removed from both before. Never throws.
 */
export function specProblem(spec: Application['spec'], old?: Application['spec']): string | undefined {
  if (isSpec.Check(spec)) return ruleProblem(SCHEMA, { path: 'spec', value: spec, old });
  const [first] = isSpec.Errors(spec);
  const field = (first?.instancePath ?? '').replaceAll('/', '.');
  return `spec${field} ${first?.message ?? 'is not valid'}`;
}
