import { type Command, Option } from 'commander';
import { setFlagsFromString } from 'node:v8';
import type { EndSignals } from '#runtime/process/signals.js';
import type { OptionRow, RawOptions } from '#manager/option-row.js';
import { OPTIONS, parseOptions } from '#manager/options.js';
import { CONSOLE_OPTIONS, parseConsoleOptions } from '#console/server/options.js';
import { packageVersion } from './command/program-info.js';

function flagOf(row: OptionRow): Option {
  const option = new Option(
    row.value === undefined ? `--${row.flag}` : `--${row.flag} <${row.value}>`,
    row.description,
  );
  return row.defaultValue === undefined ? option : option.default(row.defaultValue);
}

/** Commander turns `--no-x` into `x: false`; the table speaks of the flag as it is written. */
function rawValue(command: Command, option: Option): string | boolean | undefined {
  const value: unknown = command.getOptionValue(option.attributeName());
  if (option.negate) return value === false;
  return typeof value === 'string' || typeof value === 'boolean' ? value : undefined;
}

/** Adds the flags of a table to a verb; the result reads what was given, once the verb runs. */
function addFlags(command: Command, rows: readonly OptionRow[]): () => RawOptions {
  const flags = rows.map((row) => ({ row, option: flagOf(row) }));
  for (const { option } of flags) command.addOption(option);
  return () => Object.fromEntries(flags.map(({ row, option }) => [row.key, rawValue(command, option)]));
}

/** The first SIGTERM or SIGINT lets running passes end, the second one cancels them, the third one leaves at once. */
function endSignals(): EndSignals {
  const [stop, cancel] = [new AbortController(), new AbortController()];
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    process.on(name, () => {
      if (cancel.signal.aborted) process.exit(1);
      (stop.signal.aborted ? cancel : stop).abort(new Error(`received ${name}`));
    });
  }
  return { stop: stop.signal, cancel: cancel.signal };
}

const LEFTOVERS_LIMIT_MS = 5_000;
/** After the time for running reconciliations; shorter than what the grace period of the pod leaves. */
const STUCK_LIMIT_MS = 50_000;
/** Percent that the heap may grow between two full collections; V8 lets that of a large fleet grow to a multiple. */
const HEAP_GROWTH = 40;

/** Runs a server to its end. Whatever is still open by then must not keep the process. */
async function toItsEnd(server: Promise<void>): Promise<void> {
  try {
    await server;
  } finally {
    setTimeout(() => process.exit(), LEFTOVERS_LIMIT_MS).unref();
  }
}

/** `fairlead controller`: runs the controllers in this process until SIGTERM. */
export function controllerCommand(command: Command): void {
  const rawOptions = addFlags(command, OPTIONS);
  command.action(async () => {
    setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH}`);
    const options = parseOptions(rawOptions());
    const signals = endSignals();
    // Nothing that hangs may keep a process that was told to stop.
    const exitStuck = (): void => process.exit(1);
    const limitMs = options.shutdownTimeoutMs + STUCK_LIMIT_MS;
    signals.stop.addEventListener('abort', () => setTimeout(exitStuck, limitMs).unref(), { once: true });
    const { runController } = await import('#manager/main.js');
    await toItsEnd(runController(options, signals));
  });
}

/** `fairlead console`: serves the API for the console of KubeSphere until SIGTERM. */
export function consoleCommand(command: Command): void {
  const rawOptions = addFlags(command, CONSOLE_OPTIONS);
  command.action(async () => {
    const options = parseConsoleOptions(rawOptions());
    const { runConsole } = await import('#console/server/main.js');
    await toItsEnd(runConsole(options, endSignals(), packageVersion()));
  });
}
