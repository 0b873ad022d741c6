import {
  CelBudget,
  compileCelValue,
  SharedData,
  type CelResult,
  type CelValueExpression,
} from '#controllers/runtime/pure/cel.js';
import { TerminalError } from '#controllers/runtime/pure/errors.js';
import { RawNumber } from '#controllers/runtime/pure/lossless-json.js';
import { pathText } from '#controllers/runtime/pure/path-text.js';
import { isMap } from '#controllers/runtime/pure/plain.js';
import { compileProblem, expressionProblem } from './cel-problem.js';
import { mayHoldExpression, parseText, type Part } from './cel-text.js';
import { leavesOf } from './provenance.js';

/** A text of values that holds `${{`, and where it stands. */
export interface CelText {
  readonly path: readonly string[];
  readonly text: string;
  /** The field of the entry that it stands for; default: its place in values. */
  readonly field?: string;
}

/** The texts of one entry on each of its clusters, and what expressions may read there as `cluster`. */
export interface CelQuestion {
  readonly texts: readonly CelText[];
  readonly clusters: readonly unknown[];
}

/** One value for each text, or why there is none. */
export type CelValues =
  | { readonly values: readonly unknown[] }
  /** `isInvalid`: whatever the cluster is. */
  | { readonly problem: string; readonly isInvalid?: boolean };

type Place = readonly string[];

/** The texts with expressions among values. */
export function celTexts(values: unknown): CelText[] {
  return leavesOf(values).flatMap(({ path, value }) =>
    typeof value === 'string' && mayHoldExpression(value) ? [{ path, text: value }] : [],
  );
}

/** A text whose expressions compile. */
type CompiledPart = { readonly text: string } | { readonly expression: string; readonly compiled: CelValueExpression };

function compilePart(part: Part, field: string, budget: CelBudget): CompiledPart {
  if ('text' in part) return part;
  const { expression } = part;
  return {
    expression,
    compiled: compileCelValue({ text: expression, field, variables: ['cluster'], mayMix: true, budget }),
  };
}

/** Where a text stands in an entry. */
function fieldOf({ path, field }: CelText): string {
  return field ?? pathText(['values', ...path]);
}

function compileText(text: CelText, budget: CelBudget): readonly CompiledPart[] {
  const field = fieldOf(text);
  const parsed = parseText(text.text);
  if ('problem' in parsed) throw new TerminalError('ValuesInvalid', `${field}: ${parsed.problem}`);
  return parsed.parts.map((part) => compilePart(part, field, budget));
}

/** Inside of a text, a value must have one obvious form. */
function asText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  const isPlain = typeof value === 'number' || typeof value === 'boolean' || value instanceof RawNumber;
  return isPlain ? String(value) : undefined;
}

interface Run {
  readonly cluster: SharedData;
  readonly budget: CelBudget;
}

function evaluatePart(part: CompiledPart, { cluster, budget }: Run): CelResult {
  if ('text' in part) return { value: part.text };
  const result = part.compiled.evaluate({ cluster }, budget);
  return 'problem' in result ? { problem: expressionProblem(part.expression, result.problem) } : result;
}

const NOT_INSIDE = 'inside of a text it must return text, a number, true or false';

/** Typed if the text is one expression, else a text. */
function evaluateText(parts: readonly CompiledPart[], run: Run): CelResult {
  const [first] = parts;
  if (parts.length === 1 && first !== undefined) return evaluatePart(first, run);
  let text = '';
  for (const part of parts) {
    const result = evaluatePart(part, run);
    if ('problem' in result) return result;
    const added = asText(result.value);
    if (added === undefined) {
      const expression = 'expression' in part ? part.expression : '';
      return { problem: expressionProblem(expression, NOT_INSIDE) };
    }
    text += added;
  }
  return { value: text };
}

function valuesOn(texts: readonly CelText[], compiled: readonly (readonly CompiledPart[])[], run: Run): CelValues {
  const values: unknown[] = [];
  for (const [index, parts] of compiled.entries()) {
    const result = evaluateText(parts, run);
    const text = texts[index];
    if ('problem' in result) return { problem: `${text === undefined ? '' : fieldOf(text)}: ${result.problem}` };
    values.push(result.value);
  }
  return { values };
}

/**
 * The values of the texts on each cluster, in their order; problems begin with the field in the entry. Compiling has a
 * budget, and so has each cluster. Never throws.
 */
export function evaluateTexts(
  { texts, clusters }: CelQuestion,
  newBudget: () => CelBudget = () => new CelBudget(),
): readonly CelValues[] {
  try {
    const budget = newBudget();
    const compiled = texts.map((text) => compileText(text, budget));
    return clusters.map((cluster) =>
      valuesOn(texts, compiled, { cluster: new SharedData(cluster), budget: newBudget() }),
    );
  } catch (error: unknown) {
    if (!(error instanceof TerminalError)) throw error;
    const problem = compileProblem(error.message);
    return clusters.map(() => ({ problem, isInvalid: true }));
  }
}

/** The values with other ones at some paths, which exist. */
export function withValuesAt(values: unknown, replaced: readonly (readonly [Place, unknown])[]): unknown {
  const here = replaced.find(([path]) => path.length === 0);
  if (here !== undefined) return here[1];
  if (replaced.length === 0 || !(Array.isArray(values) || isMap(values))) return values;
  const below = new Map<string, [Place, unknown][]>();
  for (const [[key = '', ...rest], value] of replaced) {
    const inside = below.get(key) ?? [];
    inside.push([rest, value]);
    below.set(key, inside);
  }
  const entries = Object.entries(values).map(([key, item]: [string, unknown]) => {
    const inside = below.get(key);
    return [key, inside === undefined ? item : withValuesAt(item, inside)] as const;
  });
  return Array.isArray(values) ? entries.map(([, item]) => item) : Object.fromEntries(entries);
}
