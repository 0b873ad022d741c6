import { terminalOf, type Terminal } from './terminal.js';
import { LiveRegion } from './live.js';

/** What the standard output can show now: windows change their size. */
export function outputTerminal(): Terminal {
  return terminalOf(process.stdout, process.env);
}

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** A live region at the end of the standard output. */
export function outputRegion(): LiveRegion {
  return new LiveRegion((text) => process.stdout.write(text), outputTerminal);
}
