import { oneLine } from '#lib/text/text.js';
import { type Terminal, terminalOf } from './model/terminal.js';
import { widthOf, wrap } from './model/text.js';

type Size = Pick<Terminal, 'columns' | 'rows'>;

/** Lines on the terminal; a line that is wider takes several, as after the window was made narrower. */
function heightOf(text: string, { columns = Infinity }: Size): number {
  if (text === '') return 0;
  const heights = text.split('\n').map((line) => Math.max(1, Math.ceil(widthOf(line) / columns)));
  return heights.reduce((sum, height) => sum + height, 0);
}

/** What the terminal shows at once: lines that have left it cannot be drawn again. */
export function clipped(text: string, { rows = Infinity }: Size): string {
  const lines = text.split('\n');
  // The cursor stands on a line of its own, below the text.
  const room = Math.max(1, rows - 1);
  if (lines.length <= room) return text;
  const kept = lines.slice(0, room - 1);
  return [...kept, `… ${lines.length - kept.length} more lines`].join('\n');
}

/** What has to be written to replace one text by another one; the cursor stands below the text, before and after. */
export function replacing(shown: string, next: string, size: Size): string {
  const height = heightOf(shown, size);
  const erase = height === 0 ? '' : `\r\u001b[${height}A\u001b[J`;
  return next === '' ? erase : `${erase}${next}\n`;
}

/** Lines at the end of the output that are drawn again; the cursor is never hidden, so that nothing has to restore it. */
export class LiveRegion {
  readonly #write: (text: string) => void;
  readonly #size: () => Size;
  #shown = '';

  constructor(write: (text: string) => void, size: () => Size) {
    this.#write = write;
    this.#size = size;
  }

  show(text: string): void {
    const size = this.#size();
    const next = clipped(text, size);
    const change = replacing(this.#shown, next, size);
    if (change !== '') this.#write(change);
    this.#shown = next;
  }
}

/** The abilities of the standard output right now: windows change their size. */
export function outputTerminal(): Terminal {
  return terminalOf(process.stdout, process.env);
}

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** A line beside the output, for people. */
export function note(text: string): void {
  process.stderr.write(`${oneLine(text)}\n`);
}

/** A sentence for people; on a terminal, no word of it is torn. */
export function printSentence(text: string): void {
  print(wrap(oneLine(text), outputTerminal().columns ?? Infinity).join('\n'));
}

/** A live region at the end of the standard output. */
export function outputRegion(): LiveRegion {
  return new LiveRegion((text) => process.stdout.write(text), outputTerminal);
}
