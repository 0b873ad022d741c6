import { createContext, Script } from 'node:vm';
import { Environment, type TypeCheckResult } from '@marcbachmann/cel-js';
import { addFunctions } from './cel-functions.js';
import { guardExpression } from './cel-guard.js';
import { CelSizes } from './cel-sizes.js';
import { TerminalError } from '../errors.js';
import { RawNumber } from '../json/lossless-json.js';
import { isMap } from '../plain.js';
import { cut } from '../text/text.js';

/** What an expression said, or why it could not say anything of these data. */
export type CelAnswer = { readonly value: boolean } | { readonly problem: string };

/** An expression that compiles. */
export interface CelExpression {
  /** Answers for data as they come out of JSON, by the names of variables; never throws. */
  evaluate(data: Readonly<Record<string, unknown>>): CelAnswer;
}

/** What an expression returned, as JSON has it, or why there is nothing. */
export type CelResult = { readonly value: unknown } | { readonly problem: string };

/** An expression that may return whatever JSON has. */
export interface CelValueExpression {
  /** Never throws. `budget`: what it shares with other evaluations; default: the budget of the expression. */
  evaluate(data: Readonly<Record<string, unknown>>, budget?: CelBudget): CelResult;
}

/** An expression as a user wrote it. */
export interface CelSource {
  readonly text: string;
  /** Where it stands, for messages, e.g. `spec.dependsOn[0].readyExpr`. */
  readonly field: string;
  /** The variables that there are; absent, all may be used, and one that the data lack makes the evaluation fail. */
  readonly variables?: readonly string[];
  /** True: its lists and maps may have items of several types. */
  readonly mayMix?: boolean;
  /** What it shares with the other expressions of an object; absent: it has one for itself. */
  readonly budget?: CelBudget;
}

const MOST_NODES = 10_000;
/** A pattern or nested macros could run without end and block everything else. */
const MOST_MS = 200;
/** How often an expression is tried on a machine that lets it wait. */
const MOST_ATTEMPTS = 3;
const MOST_CHARACTERS = 100_000;
const MOST_SHOWN = 1_000;
/** In addition, the share of time that expressions may use. */
const SHARE = 0.02;

const RUN = new Script('run()');
/** One for all: to create one costs more than most expressions do. */
const CONTEXT: { run?: () => unknown } = createContext({});

/** CPU time of this process. It decides how long an expression may compute, and nothing about its result. */
function cpuMs(): number {
  // eslint-disable-next-line no-restricted-globals
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** What the expressions of one object may use together: text, and time, which comes back slowly. */
export class CelBudget {
  readonly #now: () => number;
  readonly #mostMs: number;
  #leftMs: number;
  #at: number;
  #characters = MOST_CHARACTERS;

  /** Both in milliseconds; `mostMs` is more only where nothing else waits. */
  constructor(now: () => number = () => performance.now(), mostMs = MOST_MS) {
    this.#now = now;
    this.#mostMs = mostMs;
    this.#leftMs = mostMs;
    this.#at = now();
  }

  /** False when there is more text than may be. */
  takeText(length: number): boolean {
    this.#characters -= length;
    return this.#characters >= 0;
  }

  /** Runs to its end, or not longer than it may. What waited for a processor is run again: `run` has no side effects. */
  limited<T>(run: () => T): T {
    this.#leftMs = Math.min(this.#mostMs, this.#leftMs + (this.#now() - this.#at) * SHARE);
    const leftMs = this.#leftMs;
    for (let attempt = 1; ; attempt += 1) {
      const begunMs = cpuMs();
      try {
        return this.#run(run);
      } catch (error: unknown) {
        const isStarved = isTimeout(error) && cpuMs() - begunMs < leftMs / 2;
        if (!isStarved || attempt === MOST_ATTEMPTS) throw error;
        this.#leftMs = leftMs;
      }
    }
  }

  #run<T>(run: () => T): T {
    const begun = this.#now();
    try {
      CONTEXT.run = run;
      return RUN.runInContext(CONTEXT, { timeout: Math.max(1, Math.floor(this.#leftMs)) }) as T; // what `run` returned
    } finally {
      delete CONTEXT.run;
      this.#at = this.#now();
      this.#leftMs = Math.max(0, this.#leftMs - (this.#at - begun));
    }
  }
}

function environment({ variables, mayMix = false }: CelSource): Environment {
  const unlistedVariablesAreDyn = variables === undefined;
  const env = new Environment({
    enableOptionalTypes: true,
    // As Flux has it: where the variables are free, types are a matter of the evaluation.
    homogeneousAggregateLiterals: !(unlistedVariablesAreDyn || mayMix),
    unlistedVariablesAreDyn,
    limits: { maxAstNodes: MOST_NODES },
  });
  addFunctions(env);
  for (const name of variables ?? []) env.registerVariable(name, 'map<string, dyn>');
  return env;
}

/** Data that many evaluations read: the first converts them for all, in the time that it may take. */
export class SharedData {
  readonly #data: unknown;
  #converted: unknown;

  constructor(data: unknown) {
    this.#data = data;
  }

  get converted(): unknown {
    return (this.#converted ??= toCel(this.#data));
  }
}

/** Converting digits to a number takes time quadratic in their count. */
const MOST_DIGITS = 1_000;

function integer(digits: string): bigint {
  if (digits.length > MOST_DIGITS) throw new NoJson(`it reads a number of more than ${MOST_DIGITS} digits`);
  return BigInt(digits);
}

/** JSON numbers without a fraction are integers, as they are to every other client of an API server. */
function toCel(value: unknown): unknown {
  if (value instanceof SharedData) return value.converted;
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value;
  if (value instanceof RawNumber) return /^-?[0-9]+$/.test(value.text) ? integer(value.text) : Number(value.text);
  if (Array.isArray(value)) return value.map(toCel);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toCel(item)]));
}

class NoJson extends Error {}

/** Most that a result may contain in all. A list or text that occurs several times is counted each time. */
const MOST_RETURNED = { characters: 1024 * 1024, items: 100_000 };

/** The rest of this budget. */
type Left = { -readonly [each in keyof typeof MOST_RETURNED]: number };

function take(left: Left, characters: number): void {
  left.characters -= characters;
  left.items -= 1;
  if (left.characters < 0) throw new NoJson(`it returns more than ${MOST_RETURNED.characters} characters`);
  if (left.items < 0) throw new NoJson(`it returns more than ${MOST_RETURNED.items} items`);
}

/** Integers become numbers again, without a loss of digits. */
function numberOf(value: number | bigint): number | RawNumber {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : new RawNumber(`${value}`);
  if (!Number.isFinite(value)) throw new NoJson(`it returns ${value}, which is no number`);
  return value;
}

/** `left`: the budget for the whole result. */
function fromCel(value: unknown, left: Left = { ...MOST_RETURNED }): unknown {
  take(left, typeof value === 'string' ? value.length : 0);
  if (typeof value === 'bigint' || typeof value === 'number') return numberOf(value);
  if (Array.isArray(value)) return value.map((item) => fromCel(item, left));
  if (value === null || typeof value !== 'object') return value;
  if (!isMap(value))
    throw new NoJson('it returns something that is not text, a number, true, false, null, a list or a map');
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => {
    take(left, key.length);
    return [key, fromCel(item, left)];
  });
  return Object.fromEntries(entries);
}

function isTimeout(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}

/** The first line: the library draws the expression below it. */
function problemOf(error: unknown): string {
  if (isTimeout(error)) return 'it takes too long';
  const { message } = error as Error; // all that is thrown below here are errors
  return cut(message.split('\n', 1)[0] ?? '', MOST_SHOWN);
}

function parse(source: CelSource): { run: Run; checked: TypeCheckResult } {
  const { text, field } = source;
  try {
    const parsed = environment(source).parse(text);
    const sizes = new CelSizes();
    guardExpression(parsed.ast, sizes);
    const run: Run = (data) => {
      sizes.begin();
      const value: unknown = parsed(data);
      sizes.complete();
      return value;
    };
    return { run, checked: parsed.check() };
  } catch (error: unknown) {
    throw wrong(field, text, problemOf(error));
  }
}

function wrong(field: string, text: string, problem: string): TerminalError {
  return new TerminalError(
    'InvalidCELExpression',
    `${field} is not a valid CEL expression: ${problem}: ${cut(text, MOST_SHOWN)}`,
  );
}

/** Evaluates the expression; throws if that fails. */
type Run = (data: Record<string, unknown>) => unknown;

interface Compiled {
  readonly run: Run;
  readonly type: string | undefined;
  readonly budget: CelBudget;
}

function compile(source: CelSource): Compiled {
  const { text, field, budget = new CelBudget() } = source;
  if (!budget.takeText(text.length))
    throw wrong(field, text, `expressions have more than ${MOST_CHARACTERS} characters`);
  const { run, checked } = parse(source);
  if (!checked.valid) throw wrong(field, text, problemOf(checked.error));
  return { run, type: checked.type, budget };
}

/**
 * Compiles an expression that must say true or false. Throws TerminalError `InvalidCELExpression` with the field, the
 * problem and the expression when it is none, uses a function or variable that does not exist, or says something else.
 */
export function compileCel(source: CelSource): CelExpression {
  const { run, type, budget } = compile(source);
  // Of free data only the evaluation can tell.
  const isBoolean = type === 'bool' || (type === 'dyn' && source.variables === undefined);
  if (!isBoolean) throw wrong(source.field, source.text, `it returns ${type ?? 'nothing'}, not bool`);
  return { evaluate: (data) => evaluate(run, data, budget) };
}

/** The same for an expression that may return whatever JSON has. */
export function compileCelValue(source: CelSource): CelValueExpression {
  const { run, budget: own } = compile(source);
  return { evaluate: (data, budget = own) => resultOf(run, data, budget) };
}

function resultOf(run: Run, data: Readonly<Record<string, unknown>>, budget: CelBudget): CelResult {
  try {
    // What it takes to convert the data counts, too.
    return { value: budget.limited(() => fromCel(run(toCel(data) as Record<string, unknown>))) }; // an object stays one
  } catch (error: unknown) {
    return { problem: problemOf(error) };
  }
}

function evaluate(run: Run, data: Readonly<Record<string, unknown>>, budget: CelBudget): CelAnswer {
  const result = resultOf(run, data, budget);
  if ('problem' in result) return result;
  const { value } = result;
  return typeof value === 'boolean' ? { value } : { problem: 'it does not return true or false' };
}
