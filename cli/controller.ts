import { setFlagsFromString } from 'node:v8';
import { Command } from 'commander';
import { OPTIONS, parseOptions } from '#manager/options.js';
import { addFlags, endSignals } from './server-flags.js';

const LEFTOVERS_LIMIT_MS = 5_000;
/** After the time for running reconciliations; shorter than what the grace period of the pod leaves. */
const STUCK_LIMIT_MS = 50_000;
/** Percent that the heap may grow between two full collections; V8 lets that of a large fleet grow to a multiple. */
const HEAP_GROWTH = 40;

/** `fairlead controller`: runs the controllers in this process until SIGTERM. */
export function controllerCommand(): Command {
  const command = new Command('controller').description('Run the controllers against a host cluster until SIGTERM.');
  const rawOptions = addFlags(command, OPTIONS);
  return command.action(async () => {
    setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH}`);
    const options = parseOptions(rawOptions());
    const signals = endSignals();
    // Nothing that hangs may keep a process that was told to stop.
    const exitStuck = (): void => process.exit(1);
    const limitMs = options.shutdownTimeoutMs + STUCK_LIMIT_MS;
    signals.stop.addEventListener('abort', () => setTimeout(exitStuck, limitMs).unref(), { once: true });
    const { runController } = await import('#manager/main.js');
    try {
      await runController(options, signals);
    } finally {
      // Whatever is still open by then must not keep the process.
      setTimeout(() => process.exit(), LEFTOVERS_LIMIT_MS).unref();
    }
  });
}
