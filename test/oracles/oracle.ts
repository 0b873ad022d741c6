import { beforeAll } from '@jest/globals';
import fc from 'fast-check';
import { parseJson, printJson } from '#lib/json/lossless-json.js';
import { runCommand } from '#sandbox/command.js';
import { ensureTools } from '#sandbox/tools.js';

const BUILD_MS = 600_000;
const CASES = 1_000;
/** Fixed, so that a run that fails fails again. */
const SEED = 20_261_121;
const SHOWN = 5;

/** What an oracle says to one question: an object of its own, or `error` where its library refuses. */
export type Answer = Readonly<Record<string, unknown>>;

export type Ask = (questions: readonly unknown[]) => Promise<Answer[]>;

/** Builds tools/oracles unless it is built, and puts questions to one of its programs: one process for all of them. */
export function useOracle(
  name: 'values' | 'digest' | 'health' | 'observed' | 'substitution' | 'yaml' | 'versions' | 'ignored',
): Ask {
  let program = '';
  beforeAll(async () => {
    ({ oracles: program } = await ensureTools(['oracles'], { log: (line) => process.stdout.write(`${line}\n`) }));
  }, BUILD_MS);
  return async (questions) => {
    const input = questions.map((question) => `${printJson(question)}\n`).join('');
    const lines = (await runCommand(program, [name], { input })).split('\n').slice(0, -1);
    return lines.map((line) => parseJson(line) as Answer); // an object per line, as main.go writes them
  };
}

export interface Comparison<T> {
  readonly ask: Ask;
  readonly cases: fc.Arbitrary<T>;
  /** Default: 1,000. */
  readonly count?: number;
  /** What the oracle is asked; default: the case itself. */
  readonly question?: (value: T) => unknown;
  /** What the oracle said, in the form that `ours` has. */
  readonly theirs: (answer: Answer, value: T) => unknown;
  readonly ours: (value: T) => unknown;
}

export interface Difference {
  readonly of: string;
  readonly ours: string;
  readonly theirs: string;
}

/** JSON with sorted keys: the same text for the same value. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(textOf).join(',')}]`;
  if (value === null || typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype) {
    return value === undefined ? 'undefined' : printJson(value);
  }
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${textOf(item)}`).join(',')}}`;
}

/** The first few of the generated cases in which we and the library differ, shortest first. */
export async function differences<T>(comparison: Comparison<T>): Promise<Difference[]> {
  const { ask, cases, count = CASES, question = (value: T): unknown => value, theirs, ours } = comparison;
  const values = fc.sample(cases, { numRuns: count, seed: SEED });
  const answers = await ask(values.map(question));
  if (answers.length !== values.length) throw new Error(`${answers.length} answers to ${values.length} questions`);
  const compared = values.map((value, index) => ({
    of: printJson(value),
    ours: textOf(ours(value)),
    theirs: textOf(theirs(answers[index] ?? {}, value)),
  }));
  return compared
    .filter((row) => row.ours !== row.theirs)
    .sort((a, b) => a.of.length - b.of.length)
    .slice(0, SHOWN);
}
