import type { LogSource } from '#queries/views/log-selection.js';
import { oneLine } from '#lib/one-line.js';
import { plainLine } from '#lib/plain-line.js';

export interface LineOptions {
  /** Before each line. */
  readonly prefix: string;
  /** Without what could move the cursor of a terminal: containers print what they like. */
  readonly isPlain: boolean;
}

/** A line without an end is passed on in pieces of this many characters. */
const MOST_CHARACTERS = 65_536;

/** Before the lines of a container. Its names are those that its cluster says, which may be anything. */
export function prefixOf({ cluster, pod, container }: Pick<LogSource, 'cluster' | 'pod' | 'container'>): string {
  return `[${oneLine(`${cluster} ${pod}/${container}`)}] `;
}

/** The lines of an output, each with its prefix. Holds no more than one line, or the beginning of a very long one. */
export async function* linesWith(
  chunks: AsyncIterable<Buffer>,
  { prefix, isPlain }: LineOptions,
): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const shown = (line: string): string => `${prefix}${isPlain ? plainLine(line) : line}\n`;
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    if (lines.length > 0) yield lines.map(shown).join('');
    if (rest.length < MOST_CHARACTERS) continue;
    yield shown(rest);
    rest = '';
  }
  rest += decoder.decode();
  if (rest !== '') yield shown(rest);
}
