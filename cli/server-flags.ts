import { Option, type Command } from 'commander';
import type { EndSignals } from '#runtime/process/signals.js';
import type { OptionRow, RawOptions } from '#manager/option-row.js';

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
export function addFlags(command: Command, rows: readonly OptionRow[]): () => RawOptions {
  const flags = rows.map((row) => ({ row, option: flagOf(row) }));
  for (const { option } of flags) command.addOption(option);
  return () => Object.fromEntries(flags.map(({ row, option }) => [row.key, rawValue(command, option)]));
}

/** The first SIGTERM or SIGINT lets running passes end, the second one cancels them, the third one leaves at once. */
export function endSignals(): EndSignals {
  const [stop, cancel] = [new AbortController(), new AbortController()];
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    process.on(name, () => {
      if (cancel.signal.aborted) process.exit(1);
      (stop.signal.aborted ? cancel : stop).abort(new Error(`received ${name}`));
    });
  }
  return { stop: stop.signal, cancel: cancel.signal };
}
