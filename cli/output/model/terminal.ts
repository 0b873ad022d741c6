import pc from 'picocolors';
import { meaningOf, SYMBOLS } from '#queries/views/state-meaning.js';

/** What a stream can show. */
export interface Terminal {
  /** Cells of a line; undefined where nobody sees lines end: in a file or a pipe. */
  readonly columns: number | undefined;
  readonly rows: number | undefined;
  /** Can lines be drawn again? */
  readonly isLive: boolean;
  readonly hasColors: boolean;
  /** Symbols are for people; programs read words. */
  readonly hasSymbols: boolean;
}

/** The part of `process.stdout` that decides. */
interface Stream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

/** A terminal that does not know its own size, e.g. of a serial line. */
const DEFAULT_COLUMNS = 80;
const DEFAULT_ROWS = 24;

type Environment = Readonly<Record<string, string | undefined>>;

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}

function hasColors(isTerminal: boolean, { NO_COLOR, FORCE_COLOR }: Environment): boolean {
  if (isSet(NO_COLOR)) return false;
  return isTerminal || (isSet(FORCE_COLOR) && FORCE_COLOR !== '0' && FORCE_COLOR !== 'false');
}

/** Piped output is whole, plain and only grows; so is that of a terminal in CI, which keeps it as a log. */
export function terminalOf({ isTTY = false, columns, rows }: Stream, environment: Environment): Terminal {
  const isTerminal = isTTY && environment['TERM'] !== 'dumb';
  return {
    columns: isTTY ? columns || DEFAULT_COLUMNS : undefined,
    rows: isTTY ? rows || DEFAULT_ROWS : undefined,
    isLive: isTerminal && !isSet(environment['CI']),
    hasColors: hasColors(isTerminal, environment),
    hasSymbols: isTerminal,
  };
}

/** True for a state that somebody should have a look at. */
export function isBad(state: string): boolean {
  return meaningOf(state) === 'bad';
}

/** The state with its symbol, where there are symbols. */
export function withSymbol(state: string, { hasSymbols }: Pick<Terminal, 'hasSymbols'>): string {
  return hasSymbols ? `${SYMBOLS[meaningOf(state)]} ${state}` : state;
}

/** The text in the colour of the state. */
export function painted(text: string, state: string, { hasColors }: Pick<Terminal, 'hasColors'>): string {
  const { red, yellow, dim, green } = pc.createColors(hasColors);
  const paint = { bad: red, moving: yellow, idle: dim, good: green }[meaningOf(state)];
  return paint(text);
}
