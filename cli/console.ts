import { Command } from 'commander';
import { CONSOLE_OPTIONS, parseConsoleOptions } from '#console/server/options.js';
import { packageVersion } from './program-name.js';
import { addFlags, endSignals } from './server-flags.js';

const LEFTOVERS_LIMIT_MS = 5_000;

/** `fairlead console`: serves the API for the console of KubeSphere until SIGTERM. */
export function consoleCommand(): Command {
  const command = new Command('console').description('Serve the API for the console of KubeSphere until SIGTERM.');
  const rawOptions = addFlags(command, CONSOLE_OPTIONS);
  return command.action(async () => {
    const options = parseConsoleOptions(rawOptions());
    const { runConsole } = await import('#console/server/main.js');
    try {
      await runConsole(options, endSignals(), packageVersion());
    } finally {
      // Whatever is still open by then must not keep the process.
      setTimeout(() => process.exit(), LEFTOVERS_LIMIT_MS).unref();
    }
  });
}
