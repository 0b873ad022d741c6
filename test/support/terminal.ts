import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { stripVTControlCharacters } from 'node:util';
import omit from 'lodash/omit.js';
import { PACKAGE_ROOT } from '#runtime/process/package-root.js';

export interface TerminalOptions {
  readonly columns: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** A program at a terminal, as a person sees it. */
export interface TerminalRun {
  /** Everything that was written so far, with its control characters. */
  readonly output: () => string;
  readonly type: (keys: string) => void;
  readonly exitCode: Promise<number | null>;
}

export const CTRL_C = '\u0003';

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The built `fairlead` at a pseudo terminal, which script(1) provides. */
export function fairleadAtTerminal(args: readonly string[], { columns, env = {} }: TerminalOptions): TerminalRun {
  const program = [process.execPath, `${PACKAGE_ROOT}/dist/cli/main.js`, ...args].map(quoted).join(' ');
  const command = `stty cols ${columns} rows 24; exec ${program}`;
  // What the environment of the tests says about terminals is none of the program's business.
  const inherited = omit(process.env, ['CI', 'NO_COLOR', 'FORCE_COLOR']);
  const environment = { ...inherited, TERM: 'xterm-256color', ...env };
  const child = spawn('script', ['-qefc', command, '/dev/null'], { env: environment });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stdin.on('error', () => undefined); // It ended while somebody typed.
  const exitCode = once(child, 'close').then(([code]) => code as number | null);
  return { output: () => output, type: (keys) => void child.stdin.write(keys), exitCode };
}

/** The lines that the terminal shows in the end, without colours: what was drawn over is gone. */
export function screenOf(output: string): string[] {
  const lines = [''];
  let row = 0;
  // A line break, or the cursor some lines up and everything below it erased, as live regions do.
  for (const [part, up] of output.matchAll(/\r\u001b\[(\d+)A\u001b\[J|\r?\n|(?:(?!\r\u001b\[\d+A|\r?\n).)+/gs)) {
    if (up !== undefined) {
      row -= Number(up);
      lines.splice(row, Infinity, '');
    } else if (part.endsWith('\n')) {
      row += 1;
      lines[row] ??= '';
    } else lines[row] = (lines[row] ?? '') + stripVTControlCharacters(part).replaceAll('\r', '');
  }
  return lines.slice(0, -1);
}
