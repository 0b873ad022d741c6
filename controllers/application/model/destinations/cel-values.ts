import { CelBudget, type CelResult, type CelValueExpression, compileCelValue, SharedData } from '#lib/cel/cel.js';
import { cut, pathText } from '#lib/text/text.js';
import { TerminalError } from '#lib/errors.js';
import { RawNumber } from '#lib/json/lossless-json.js';
import { isMap } from '#lib/plain.js';
import { leavesOf } from '../child/layers.js';

/** Characters of an expression in a message. */
const MOST_SHOWN = 200;
const FACTS = ['name', 'namespace', 'labels', 'annotations', 'kubernetesVersion'];
/** Those that a cluster may lack. */
const OPTIONAL_FACTS = ['namespace', 'kubernetesVersion'];
const MISSING_KEY = /^No such key: (.*)$/;

function shown(expression: string): string {
  return cut(expression, MOST_SHOWN);
}

function quoted(text: string): string {
  return JSON.stringify(text);
}

/** True if the expression reads this key of a map of the cluster: `cluster.labels.zone` or `cluster.labels["zone"]`. */
function reads(expression: string, map: string, key: string): boolean {
  const start = `cluster.${map}`;
  const texts = [`${start}[${quoted(key)}]`, `${start}['${key}']`];
  if (texts.some((text) => expression.includes(text))) return true;
  const dotted = expression.indexOf(`${start}.${key}`);
  return dotted >= 0 && !/\w/.test(expression.charAt(dotted + start.length + 1 + key.length));
}

/** The way out when a key is missing. */
function missingKey(expression: string, key: string): string {
  const map = ['labels', 'annotations'].find((each) => reads(expression, each, key));
  if (map !== undefined) {
    const what = map === 'labels' ? 'label' : 'annotation';
    return `the cluster has no ${what} ${quoted(key)}: add it, or write \${{ cluster.${map}[?${quoted(key)}].orValue("a") }} for a default`;
  }
  if (expression.includes(`cluster.${key}`)) {
    if (OPTIONAL_FACTS.includes(key))
      return `the cluster has no ${key}: write \${{ cluster.?${key}.orValue("a") }} for a default`;
    return `cluster has no ${key}: there are ${FACTS.join(', ')}`;
  }
  return `there is no key ${quoted(key)}: correct it, or read it with [?${quoted(key)}].orValue("a") for a default`;
}

function wayOut(expression: string, problem: string): string {
  const key = MISSING_KEY.exec(problem)?.[1];
  if (key !== undefined && !key.startsWith('index out of bounds')) return missingKey(expression, shown(key));
  if (problem.startsWith('it takes')) return `${problem}: make it simpler`;
  if (problem.startsWith('inside of a text')) return `${problem}: convert it, or let it be the whole text`;
  if (problem.startsWith('it returns')) return `${problem}: convert it, e.g. with string()`;
  return `${problem.replace(MISSING_KEY, '$1')}: correct the expression, or what it reads of the cluster`;
}

/** Why an expression has no value on a cluster, with the way out. `problem`: what the evaluation said. */
export function expressionProblem(expression: string, problem: string): string {
  return `\${{ ${shown(expression)} }}: ${wayOut(expression, problem)}`;
}

/** Why an expression is none, with the way out. `problem` names it. */
export function compileProblem(problem: string): string {
  if (/ has no "}}"/.test(problem)) return problem;
  const known = / Unknown variable: /.test(problem) ? `; expressions read cluster, with ${FACTS.join(', ')}` : '';
  return `${problem}${known}: correct it, or write "$\${{" for the text itself`;
}

/** A part of a text of values: as it stands, or an expression. */
export type Part = { readonly text: string } | { readonly expression: string };

/** A text of values with expressions, or why it is none. */
export type ParsedText = { readonly parts: readonly Part[] } | { readonly problem: string };

const OPEN = '${{';
const ESCAPED = '$${{';
const CLOSE = '}}';

/** The end of a string of CEL that starts at `start`; it may be in three quotes. */
function endOfString(text: string, start: number): number {
  const quote = text.charAt(start);
  const fence = text.startsWith(quote.repeat(3), start) ? quote.repeat(3) : quote;
  let index = start + fence.length;
  while (index < text.length && !text.startsWith(fence, index)) index += text.charAt(index) === '\\' ? 2 : 1;
  return index + fence.length;
}

/** Where the `}}` of an expression begins that starts at `start`: not in a string, and not in a map. -1: nowhere. */
function closeOf(text: string, start: number): number {
  let depth = 0;
  for (let index = start; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (character === '"' || character === "'") index = endOfString(text, index) - 1;
    else if (depth === 0 && text.startsWith(CLOSE, index)) return index;
    else if (character === '{') depth += 1;
    else if (character === '}') depth -= 1;
  }
  return -1;
}

/** True for a text that may hold an expression, or an escaped one. */
export function mayHoldExpression(text: string): boolean {
  return text.includes(OPEN);
}

/** Splits a text at its `${{ }}`; `$${{` stands for `${{` as it is. */
export function parseText(text: string): ParsedText {
  const parts: Part[] = [];
  let literal = '';
  let index = 0;
  while (index < text.length) {
    if (text.startsWith(ESCAPED, index)) {
      literal += OPEN;
      index += ESCAPED.length;
    } else if (text.startsWith(OPEN, index)) {
      const close = closeOf(text, index + OPEN.length);
      if (close < 0)
        return { problem: `"${OPEN}" has no "${CLOSE}": close it, or write "${ESCAPED}" for the text itself` };
      if (literal !== '') parts.push({ text: literal });
      literal = '';
      parts.push({ expression: text.slice(index + OPEN.length, close).trim() });
      index = close + CLOSE.length;
    } else {
      literal += text.charAt(index);
      index += 1;
    }
  }
  return { parts: literal === '' ? parts : [...parts, { text: literal }] };
}

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
