import { oneLine } from '#lib/text/text.js';
import { terminalOf, type Terminal } from './terminal.js';
import { LiveRegion } from './live.js';
import { wrap } from './text.js';

/** What the standard output can show now: windows change their size. */
export function outputTerminal(): Terminal {
  return terminalOf(process.stdout, process.env);
}

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** A sentence for people; on a terminal, no word of it is torn. */
export function printSentence(text: string): void {
  print(wrap(oneLine(text), outputTerminal().columns ?? Infinity).join('\n'));
}

/** A live region at the end of the standard output. */
export function outputRegion(): LiveRegion {
  return new LiveRegion((text) => process.stdout.write(text), outputTerminal);
}
