import { plainLine } from '#lib/text/text.js';
import type { ObjectView } from '#queries/answers/members.js';

/** Lines that are drawn together, and dropped together. */
export interface LogBlock {
  /** Counts from the first block of all. */
  readonly index: number;
  readonly lines: readonly string[];
}

/** The end of what a container printed: a page holds no more of it than it can show. */
export interface LogText {
  readonly blocks: readonly LogBlock[];
  /** Lines at the beginning that are not held any more. */
  readonly dropped: number;
  /** A line whose end has not come yet. */
  readonly rest: string;
}

export const EMPTY_LOG: LogText = { blocks: [], dropped: 0, rest: '' };

const LINES_PER_BLOCK = 200;
/** As many lines as the server sends at most. */
const MOST_LINES = 10_000;
const MOST_CHARACTERS = 4_000_000;
/** A longer line is shown in pieces. */
const MOST_OF_LINE = 10_000;

/** What a terminal would write over itself is shown one below the other. */
function linesOf(line: string): string[] {
  const parts = line.split('\r').filter((part, index) => part !== '' || index === 0);
  return parts.map(plainLine).flatMap((part) => {
    if (part.length <= MOST_OF_LINE) return [part];
    const pieces = Math.ceil(part.length / MOST_OF_LINE);
    return Array.from({ length: pieces }, (_, index) => part.slice(index * MOST_OF_LINE, (index + 1) * MOST_OF_LINE));
  });
}

/** Full blocks stay the same objects, so that only what is new is drawn. */
function withLines(blocks: readonly LogBlock[], lines: readonly string[]): LogBlock[] {
  const next = [...blocks];
  for (let at = 0; at < lines.length;) {
    const last = next.at(-1);
    const room = last === undefined ? 0 : LINES_PER_BLOCK - last.lines.length;
    if (last !== undefined && room > 0) {
      next[next.length - 1] = { ...last, lines: [...last.lines, ...lines.slice(at, at + room)] };
      at += room;
    } else next.push({ index: (last?.index ?? -1) + 1, lines: [] });
  }
  return next;
}

function charactersOf({ lines }: LogBlock): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0);
}

function withinLimits(blocks: readonly LogBlock[]): readonly LogBlock[] {
  let [lines, characters, first] = [0, 0, blocks.length];
  while (first > 0) {
    const block = blocks[first - 1];
    if (block === undefined) break;
    lines += block.lines.length;
    characters += charactersOf(block);
    if (first < blocks.length && (lines > MOST_LINES || characters > MOST_CHARACTERS)) break;
    first -= 1;
  }
  return first === 0 ? blocks : blocks.slice(first);
}

/** With what came next; the oldest lines make room for it. */
export function appended({ blocks, dropped, rest }: LogText, text: string): LogText {
  const parts = (rest + text).split('\n');
  const last = parts.pop() ?? '';
  // A line that never ends is not waited for.
  const isEndless = last.length > MOST_OF_LINE;
  const whole = isEndless ? [...parts, last] : parts;
  const all = withLines(blocks, whole.flatMap(linesOf));
  const held = withinLimits(all);
  const gone = all.slice(0, all.length - held.length).reduce((sum, { lines }) => sum + lines.length, 0);
  return { blocks: held, dropped: dropped + gone, rest: isEndless ? '' : last };
}

/** All that is held, to be kept in a file. */
export function textOfLog({ blocks, rest }: LogText): string {
  const lines = blocks.flatMap(({ lines: each }) => each);
  return [...lines, ...(rest === '' ? [] : linesOf(rest))].map((line) => `${line}\n`).join('');
}

/** The line whose end has not come, as it is shown. */
export function unfinished({ rest }: LogText): readonly string[] {
  return rest === '' ? [] : linesOf(rest);
}

export function lineCount({ blocks, rest }: LogText): number {
  return blocks.reduce((sum, { lines }) => sum + lines.length, rest === '' ? 0 : 1);
}

/** The first log to show of a pod. */
export interface FirstLog {
  readonly container: string;
  /** True for the run before the last restart. */
  readonly previous: boolean;
}

/** Chooses the container that keeps the pod from being ready, else the one that kubectl would choose. */
export function firstLog({ containers, blamed }: Pick<ObjectView, 'containers' | 'blamed'>): FirstLog {
  if (blamed === undefined || !containers.includes(blamed.container)) {
    return { container: containers[0] ?? '', previous: false };
  }
  return { container: blamed.container, previous: blamed.isRestarting };
}
