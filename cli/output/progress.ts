import pc from 'picocolors';
import { outputRegion, outputTerminal, print } from './standard-output.js';
import type { Terminal } from './model/terminal.js';
import { wrap } from './model/text.js';

/** Shows what is going on now: one or more lines, which replace those before them. */
export type Say = (text: string) => void;

/** What a person sees of one piece of work. */
export interface StepView {
  readonly title: string;
  readonly said: string;
  readonly seconds: number;
  readonly end?: 'done' | 'failed';
}

const INDENT = '  ';
const TICK_MS = 1_000;

function linesOf(text: string): string[] {
  return text === '' ? [] : text.split('\n');
}

/** A step on a terminal: its title, how long it takes, and below it what it says until it is done. */
export function stepFrame({ title, said, seconds, end }: StepView, terminal: Terminal): string {
  const { green, red, yellow, dim } = pc.createColors(terminal.hasColors);
  const mark = { done: green('✓'), failed: red('✗'), open: yellow('●') }[end ?? 'open'];
  const time = seconds === 0 ? '' : ` ${dim(`(${seconds} s)`)}`;
  const width = (terminal.columns ?? Infinity) - INDENT.length;
  const below = end === undefined ? linesOf(said).flatMap((line) => wrapped(line, width)) : [];
  return [`${mark} ${title}${time}`, ...below.map((line) => INDENT + line)].join('\n');
}

/** A line that is too long goes on below, further to the right. */
function wrapped(line: string, width: number): string[] {
  const [first = '', ...more] = wrap(line, width - INDENT.length);
  return [first, ...more.map((part) => INDENT + part)];
}

/** The lines that were not there before, for an output that only grows. */
export function newLines(before: string, after: string): string[] {
  const known = new Set(linesOf(before));
  return linesOf(after).filter((line) => !known.has(line));
}

async function liveStep<T>(title: string, work: (say: Say) => Promise<T>): Promise<T> {
  const region = outputRegion();
  const start = performance.now();
  let said = '';
  const show = (end?: 'done' | 'failed'): void => {
    const seconds = Math.floor((performance.now() - start) / 1_000);
    region.show(stepFrame({ title, said, seconds, ...(end === undefined ? {} : { end }) }, outputTerminal()));
  };
  show();
  const tick = setInterval(show, TICK_MS);
  try {
    const result = await work((text) => {
      said = text;
      show();
    });
    show('done');
    return result;
  } catch (error: unknown) {
    show('failed');
    throw error;
  } finally {
    clearInterval(tick);
  }
}

function plainStep<T>(title: string, work: (say: Say) => Promise<T>): Promise<T> {
  let said = '';
  print(title);
  return work((text) => {
    for (const line of newLines(said, text)) print(INDENT + line);
    said = text;
  });
}

/** Runs one titled piece of work, showing what it says while it runs, and returns its result. */
export function step<T>(title: string, work: (say: Say) => Promise<T>): Promise<T> {
  return outputTerminal().isLive ? liveStep(title, work) : plainStep(title, work);
}
