import { createContext, Script } from 'node:vm';
import { Environment, type ParseResult, type TypeCheckResult } from '@marcbachmann/cel-js';
import { addFunctions } from './cel-functions.js';
import { TerminalError } from './errors.js';
import { RawNumber } from './lossless-json.js';

/** What an expression said, or why it could not say anything of these data. */
export type CelAnswer = { readonly value: boolean } | { readonly problem: string };

/** An expression that compiles. */
export interface CelExpression {
  /** Answers for data as they come out of JSON, by the names of variables; never throws. */
  evaluate(data: Readonly<Record<string, unknown>>): CelAnswer;
}

/** An expression as a user wrote it. */
export interface CelSource {
  readonly text: string;
  /** Where it stands, for messages, e.g. `spec.dependsOn[0].readyExpr`. */
  readonly field: string;
  /** The variables that there are; absent, all may be used, and one that the data lack makes the evaluation fail. */
  readonly variables?: readonly string[];
}

const MOST_NODES = 10_000;
/** A pattern or nested macros may take for ever, and nothing else would run in that time. */
const MOST_MS = 1_000;

const RUN = new Script('run()');

/** Runs to its end, or not longer than it may. */
function limited<T>(run: () => T): T {
  const context = createContext({ run });
  return RUN.runInContext(context, { timeout: MOST_MS }) as T; // what `run` returned
}

function environment(variables: readonly string[] | undefined): Environment {
  const unlistedVariablesAreDyn = variables === undefined;
  const env = new Environment({
    enableOptionalTypes: true,
    // As Flux has it: where the variables are free, types are a matter of the evaluation.
    homogeneousAggregateLiterals: !unlistedVariablesAreDyn,
    unlistedVariablesAreDyn,
    limits: { maxAstNodes: MOST_NODES },
  });
  addFunctions(env);
  for (const name of variables ?? []) env.registerVariable(name, 'map<string, dyn>');
  return env;
}

/** JSON numbers without a fraction are integers, as they are to every other client of an API server. */
function toCel(value: unknown): unknown {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value;
  if (value instanceof RawNumber) return /^-?[0-9]+$/.test(value.text) ? BigInt(value.text) : Number(value.text);
  if (Array.isArray(value)) return value.map(toCel);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toCel(item)]));
}

/** The first line: the library draws the expression below it. */
function problemOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException; // all that is thrown below here are errors
  if (code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return `it takes longer than ${MOST_MS} ms`;
  return message.split('\n', 1)[0] ?? '';
}

function parse({ text, field, variables }: CelSource): { run: ParseResult; checked: TypeCheckResult } {
  try {
    const run = environment(variables).parse(text);
    return { run, checked: run.check() };
  } catch (error: unknown) {
    throw wrong(field, text, problemOf(error));
  }
}

function wrong(field: string, text: string, problem: string): TerminalError {
  return new TerminalError(
    'InvalidCELExpression',
    `${field} is no CEL expression that can be used: ${problem}: ${text}`,
  );
}

/**
 * Compiles an expression that must say true or false. Throws TerminalError `InvalidCELExpression` with the field, the
 * problem and the expression when it is none, uses a function or variable that does not exist, or says something else.
 */
export function compileCel(source: CelSource): CelExpression {
  const { text, field, variables } = source;
  const { run, checked } = parse(source);
  if (!checked.valid) throw wrong(field, text, problemOf(checked.error));
  // Of free data only the evaluation can tell.
  const isBoolean = checked.type === 'bool' || (checked.type === 'dyn' && variables === undefined);
  if (!isBoolean) throw wrong(field, text, `it gives ${checked.type ?? 'nothing'}, not bool`);
  return { evaluate: (data) => evaluate(run, data) };
}

function evaluate(run: ParseResult, data: Readonly<Record<string, unknown>>): CelAnswer {
  try {
    const variables = toCel(data) as Record<string, unknown>; // an object stays one
    const value = limited((): unknown => run(variables));
    return typeof value === 'boolean' ? { value } : { problem: 'it does not give true or false' };
  } catch (error: unknown) {
    return { problem: problemOf(error) };
  }
}
