import { expect } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import pLimit from 'p-limit';
import { PACKAGE_ROOT } from '#runtime/process/package-root.js';
import { fairleadAtTerminal, screenOf } from './terminal.js';

/** One run of the program: what is typed, and how wide the terminal is; without it, the output goes into a pipe. */
export interface Run {
  readonly line: string;
  readonly columns?: number;
  readonly input?: string;
  /** Instead of those that every run gets. */
  readonly flags?: readonly string[];
  /** Waits until what it prints is settled. */
  readonly before?: () => Promise<unknown>;
}

export interface GoldenOptions {
  /** Flags that every run gets, and nobody reads: those of the cluster. */
  readonly flags: readonly string[];
  /** What differs from one run of the tests to the next, and what stands for it, which is as long. */
  /** Each run begins when the one before it is over. */
  readonly inOrder?: boolean;
  readonly normal: readonly (readonly [RegExp, string | ((found: string) => string)])[];
}

/** As many as a machine of two cores runs well. */
const AT_ONCE = 3;
/** So much older than it is does everything look: ages are then the same in each run. */
const AGED_MS = 9.5 * 86_400_000;
/** `Date.now` of the program; what only measures time differs by nothing. */
const LATER = `--import=data:text/javascript,globalThis.was=Date.now;Date.now=()=>was()+${AGED_MS}`;

function words({ line, flags }: Run, options: GoldenOptions): string[] {
  return [...line.split(' '), ...(flags ?? options.flags)];
}

/** As a person sees it. */
async function atTerminal(run: Run, columns: number, options: GoldenOptions): Promise<string> {
  const terminal = fairleadAtTerminal(words(run, options), { columns, env: { NODE_OPTIONS: LATER } });
  const code = await terminal.exitCode;
  const lines = screenOf(terminal.output());
  return withCode(lines.join('\n'), code);
}

/** As a program reads it: the standard output, and then each line of the other one. */
async function inPipe(run: Run, options: GoldenOptions): Promise<string> {
  const program = [`${PACKAGE_ROOT}/dist/cli/main.js`, ...words(run, options)];
  const env = { ...process.env, NODE_OPTIONS: LATER, FORCE_COLOR: undefined, NO_COLOR: undefined };
  const child = spawn(process.execPath, program, { env });
  const output = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => (output.out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output.err += chunk.toString()));
  child.stdin.end(run.input);
  const [code] = (await once(child, 'close')) as [number | null];
  const { out, err } = output;
  expect(out + err).toBe(stripVTControlCharacters(out + err));
  return withCode(
    [out.trimEnd(), err.trimEnd().replaceAll(/^/gm, '! ')].filter((part) => !/^(! )?$/.test(part)).join('\n'),
    code,
  );
}

function withCode(text: string, code: number | null): string {
  return code === 0 ? text : `${text}\n[exit code ${code ?? 'none'}]`;
}

async function shown(run: Run, options: GoldenOptions): Promise<string> {
  const { line, columns, before } = run;
  await before?.();
  const where = columns === undefined ? '' : `   (${columns} columns)`;
  const text = await (columns === undefined ? inPipe(run, options) : atTerminal(run, columns, options));
  const whole = `$ fairlead ${line}${where}\n${text}\n`;
  // Either of the two is one that `replace` takes.
  return options.normal.reduce((all, [from, to]) => all.replace(from, to as string), whole);
}

/** Throws unless the runs print what the file has. UPDATE_GOLDEN=1 rewrites it: read its diff as code. */
export async function expectGolden(file: string, runs: readonly Run[], options: GoldenOptions): Promise<void> {
  const limit = pLimit(options.inOrder === true ? 1 : AT_ONCE);
  const all = await Promise.all(runs.map((run) => limit(() => shown(run, options))));
  const text = all.join('\n');
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(file, text);
  expect(text).toBe(readFileSync(file, 'utf8'));
}

/** The table of a verb on two terminals, and each of its formats in a pipe. */
export function everyFormat(line: string): Run[] {
  const formats = ['wide', 'json', 'yaml'].map((format) => ({ line: `${line} -o ${format}` }));
  return [{ line, columns: 80 }, { line, columns: 40 }, { line }, ...formats];
}

/** A text of the same length. */
export function as(placeholder: string): (found: string) => string {
  return ({ length }) => placeholder.repeat(Math.ceil(length / placeholder.length)).slice(0, length);
}
