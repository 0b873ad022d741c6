import { setFlagsFromString } from 'node:v8';
import { Command, Option } from 'commander';
import type { EndSignals } from '../controllers/main.js';
import type { OptionRow } from '../controllers/option-row.js';
import { OPTIONS, parseOptions } from '../controllers/options.js';

const LEFTOVERS_LIMIT_MS = 5_000;
/** After the time for running reconciliations; shorter than what the grace period of the pod leaves. */
const STUCK_LIMIT_MS = 50_000;
/** Percent that the heap may grow between two full collections; V8 lets that of a large fleet grow to a multiple. */
const HEAP_GROWTH = 40;

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

/** `fairlead controller`: runs the controllers in this process until SIGTERM. */
export function controllerCommand(): Command {
  const flags = OPTIONS.map((row) => ({ row, option: flagOf(row) }));
  const command = new Command('controller').description('Run the controllers against a host cluster until SIGTERM.');
  for (const { option } of flags) command.addOption(option);
  return command.action(async () => {
    setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH}`);
    const raw = Object.fromEntries(flags.map(({ row, option }) => [row.key, rawValue(command, option)]));
    const options = parseOptions(raw);
    const signals = endSignals();
    // Nothing that hangs may keep a process that was told to stop.
    const exitStuck = (): void => process.exit(1);
    const limitMs = options.shutdownTimeoutMs + STUCK_LIMIT_MS;
    signals.stop.addEventListener('abort', () => setTimeout(exitStuck, limitMs).unref(), { once: true });
    const { runController } = await import('../controllers/main.js');
    try {
      await runController(options, signals);
    } finally {
      // Whatever is still open by then must not keep the process.
      setTimeout(() => process.exit(), LEFTOVERS_LIMIT_MS).unref();
    }
  });
}
