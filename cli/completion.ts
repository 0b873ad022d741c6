import { Argument, Command } from 'commander';
import { completionScript, SHELLS, type Shell } from './completion/scripts.js';
import { completionWords } from './completion/words.js';
import { GLOBAL_FLAGS } from './global-flags.js';
import { print } from './terminal/standard-output.js';

type Verbs = readonly { readonly load: () => Promise<Command> }[];

/** All verbs with their flags: here, and only here, each of them is loaded. */
async function wholeProgram(verbs: Verbs): Promise<Command> {
  const program = new Command('fairlead');
  for (const flag of GLOBAL_FLAGS) program.option(flag);
  for (const { load } of verbs) program.addCommand(await load());
  return program;
}

/** `fairlead completion`: generated from the verbs themselves. */
export function completionCommand(verbs: Verbs): Command {
  return new Command('completion')
    .description('Print a script that completes verbs and flags in a shell.')
    .addArgument(new Argument('<shell>', 'the shell, or kubectl for the plugin').choices(SHELLS))
    .action(async (shell: Shell) => {
      print(completionScript(shell, completionWords(await wholeProgram(verbs))));
    });
}
